// The product, unchanged, between things that count: its storage, its bindings, its console. All of its objects live in this
// isolate, whose clock stands still, so that nothing that is counted depends on how long it took. `GET /counts` tells what was
// counted since `DELETE /counts`; `PUT /held/CALL` keeps the answers of such calls back, and alarms of sessions (`SESSION.alarm`), until
// `DELETE /held`.
import * as product from '../../../src/index.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { Env } from '../../../src/objects/env.ts'
import { objectsWith, withTenantCalls } from '../harness/tenant-calls.ts'

/** Objects are called by their bindings. */
interface Counts {
  /** Rows written, as Cloudflare bills them (those of indexes too, an alarm is one), by `OBJECT.table`. */
  rows: Record<string, number>
  /** By object: outermost transactions, and statements that write outside of one. */
  transactions: Record<string, number>
  /** Calls of SQL by object. */
  statements: Record<string, number>
  /** Hashes, and codes that authenticate a text, that were made. */
  hashes: number
  macs: number
  /** Calls of the tenant's objects by `OBJECT.method`. */
  calls: Record<string, number>
  /** Alarms that are to ring at once, by object. */
  alarms: Record<string, number>
  lines: number
  errors: string[]
}

const nothing = (): Counts => ({
  rows: {},
  transactions: {},
  statements: {},
  hashes: 0,
  macs: 0,
  calls: {},
  alarms: {},
  lines: 0,
  errors: [],
})

let counts = nothing()
/** Calls of the tenant's objects that are not over. */
let underWay = 0
const held = new Set<string>()

const WRITTEN_TABLE = /\b(?:INTO|UPDATE|DELETE FROM)\s+(\w+)/i

function add(sums: Record<string, number>, name: string, more = 1): void {
  if (more > 0) sums[name] = (sums[name] ?? 0) + more
}

/** A class of the product; what its objects do is counted under `name`. */
function counting<Class extends Function>(name: string, objects: Class): Class {
  return objectsWith(objects, (ctx, env) => {
    watchStorage(ctx.storage, name)
    return watchCalls(env)
  })
}

function watchStorage(storage: DurableObjectStorage, object: string): void {
  const exec = storage.sql.exec.bind(storage.sql)
  const transaction = storage.transactionSync.bind(storage)
  const setAlarm = storage.setAlarm.bind(storage)
  let depth = 0
  const countingExec = (...args: Parameters<typeof exec>) => {
    const cursor = exec(...args)
    const rows = cursor.toArray()
    add(counts.statements, object)
    add(counts.rows, `${object}.${WRITTEN_TABLE.exec(args[0])?.[1] ?? 'schema'}`, cursor.rowsWritten)
    if (depth === 0 && cursor.rowsWritten > 0) add(counts.transactions, object)
    return { toArray: () => rows }
  }
  const countingTransaction = <T>(work: () => T): T => {
    if (depth === 0) add(counts.transactions, object)
    depth++
    try {
      return transaction(work)
    } finally {
      depth--
    }
  }
  Object.defineProperty(storage.sql, 'exec', { value: countingExec })
  const countingAlarm = (...args: Parameters<typeof setAlarm>) => {
    add(counts.rows, `${object}.alarm`)
    if (Number(args[0]) <= Date.now()) add(counts.alarms, object)
    return setAlarm(...args)
  }
  Object.defineProperty(storage, 'transactionSync', { value: countingTransaction })
  Object.defineProperty(storage, 'setAlarm', { value: countingAlarm })
}

/** Calls of the tenant's objects are counted, and those that are held are not answered. */
function watchCalls(env: Env): Env {
  return withTenantCalls(env, async (called, call) => {
    add(counts.calls, called)
    underWay++
    try {
      const answer = await call()
      await whileHeld(called)
      return answer
    } finally {
      underWay--
    }
  })
}

/** Asked again and again: workerd takes a request that waits for nothing but another request to be stuck. */
async function whileHeld(what: string): Promise<void> {
  while (held.has(what)) await new Promise((resolve) => setTimer(resolve, 1))
}

const { subtle } = crypto
const digest = subtle.digest.bind(subtle)
const sign = subtle.sign.bind(subtle)
Object.defineProperty(subtle, 'digest', {
  value: (...args: Parameters<typeof digest>) => {
    counts.hashes++
    return digest(...args)
  },
})
Object.defineProperty(subtle, 'sign', {
  value: (...args: Parameters<typeof sign>) => {
    counts.macs++
    return sign(...args)
  },
})

console.log = console.warn = () => void counts.lines++
console.error = (line: unknown) => void counts.errors.push(String(line))

// The clock stands where it was first asked, which is not while modules load: workerd has it at 0 then.
const now = Date.now
let firstAsked: number | undefined
Date.now = () => (firstAsked ??= now())
// Nothing that is done now and then comes between; what a tenant is told is written at once, as no clock runs on to its time.
const SLOWER = 1_000
const setTimer = globalThis.setTimeout
Object.defineProperty(globalThis, 'setTimeout', {
  value: (work: () => void, ms: number) => setTimer(work, ms <= LIMITS.store.reportGroupMs ? 0 : ms * SLOWER),
})

export abstract class SessionObject extends counting('SESSION', product.SessionObject) {
  override async alarm() {
    await whileHeld('SESSION.alarm')
    return super.alarm()
  }
}
export const DirectoryObject = counting('DIRECTORY', product.DirectoryObject)
export const MemoryObject = counting('MEMORY', product.MemoryObject)
export const TriggerObject = counting('TRIGGER', product.TriggerObject)
export const OutboxObject = counting('OUTBOX', product.OutboxObject)
export const AuditObject = counting('AUDIT', product.AuditObject)
export const MetricsObject = counting('METRICS', product.MetricsObject)

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    const [, what, call = ''] = new URL(request.url).pathname.split('/')
    if (what === 'counts') return countsAt(request.method)
    if (what === 'held') return heldAt(request.method, call)
    return product.default.fetch(request, watchCalls(env), ctx)
  },
}

function countsAt(method: string): Response {
  if (method === 'DELETE') counts = nothing()
  return Response.json({ ...counts, underWay })
}

function heldAt(method: string, call: string): Response {
  if (method === 'PUT') held.add(call)
  if (method === 'DELETE') held.clear()
  return Response.json([...held])
}
