import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { EventBody, SessionEvent } from '../../../src/domain/event.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { tasksIn } from '../../../src/orchestrators/plan/state.ts'
import type { Pending } from '../../../src/domain/pending.ts'
import { newState, type SessionState } from '../../../src/domain/state.ts'
import { newId } from '../../../src/lib/id.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import type { Session } from '../../../src/session/session.ts'
import { TESTER } from '../../support/home.ts'
import { type AskedModel, offline, type Said } from '../../support/offline.ts'
import { READER } from '../../support/planned.ts'
import { RECORDED_HOST } from '../../support/record/stage.ts'
import { memoryLog } from '../../../src/store/memory-log.ts'

const FOLDER = 'test/contract/replay'
const TIME = '2026-01-01T00:00:00Z'
const NAMES = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []))

interface Document {
  session: { config: Record<string, unknown>; orchestrator: string; messages?: unknown }
  events: SessionEvent[]
}

type Body = EventBody & { scope?: string | null }

/** A recorded run whose config allows nothing. */
function recorded(name: string): Document {
  const document = JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8')) as Document
  const { messages: _, ...session } = document.session
  return { ...document, session: { ...session, config: { ...session.config, tools: {} } } }
}

const PAGE = `http://${RECORDED_HOST}/read/x`
const PLAN = JSON.stringify({ plan: [{ name: READER, description: 'Read it once more' }] })

/** A model that makes its last call again, or asks for a page, and finishes every third time. */
function insistent({ messages, tools = [] }: AskedModel, index: number): Said {
  const isLast = index % 3 === 2
  const names = tools.map((tool) => tool.function.name)
  if (names.length === 0) {
    if (JSON.stringify(messages).includes('\\"plan\\"')) return { content: isLast ? '{"plan":[]}' : PLAN }
    return { content: isLast ? 'Done.' : `<web_access><url>${PAGE}</url></web_access>` }
  }
  const last = messages.findLast((message) => message.tool_calls)?.tool_calls?.[0]?.function
  const again = last && names.includes(last.name) && last.name !== 'finish' ? last : null
  const visit = { name: 'web_access', arguments: JSON.stringify({ url: PAGE }) }
  const finish = { name: 'finish', arguments: '{"reason":"Done."}' }
  const wanted = isLast && names.includes('finish') ? finish : (again ?? visit)
  return { content: null, tool_calls: [{ id: 'call_0', type: 'function', function: wanted }] }
}

const fold = (events: readonly SessionEvent[]) => reduce(newState(0), events)

/** A log that goes on with these, and whose run then failed, so that it can be carried on. */
function failedWith(events: readonly SessionEvent[], bodies: readonly Body[]): SessionEvent[] {
  const { usage, run } = fold(events)
  const error = { code: 'model_failed', detail: '' }
  const end: Body = { type: 'run-end', status: 'failed', finish_reason: 'failed', result: null, usage, error }
  const { time = TIME } = events.at(-1) ?? {}
  const place = { run_id: run?.id ?? null, time, scope: null }
  return [...events, ...[...bodies, end].map((body, index) => ({ ...place, ...body, seq: events.length + index + 1 }))]
}

/** Only who decided here is named in a log of this server. */
const IN_A_NAME = "ended with all that waits allowed in somebody's name"

const named = (body: Body): Body =>
  body.type === 'pending-end' ? { ...body, by: { kind: 'key', id: 'key_of_somebody' } } : body

/** Ways to leave a log: as it is cut, or with an end of its run behind all that is open, or forged on top of that. */
const WAYS: Record<string, (events: readonly SessionEvent[]) => SessionEvent[]> = {
  cut: (events) => [...events],
  'ended with all that is open': (events) => failedWith(events, []),
  'ended with all that waits allowed': (events) => failedWith(events, allowed(fold(events))),
  [IN_A_NAME]: (events) => failedWith(events, allowed(fold(events)).map(named)),
  'ended with all calls under way, as a human edited them': (events) => {
    const state = fold(events)
    return failedWith(events, [...allowed(state, true), ...started(state)])
  },
}

function openCalls({ run }: SessionState) {
  const scopes = Object.entries(run?.scopes ?? {})
  return scopes.flatMap(([scope, { calls }]) => calls.map((call) => ({ scope: scope || null, call })))
}

/** A human's word on everything that waits, and on every open call, for which an item is made where there is none. */
function allowed(state: SessionState, isEdited = false): Body[] {
  const waiting = new Set(state.pending.map((item) => item.call_id))
  const times = { created_time: TIME, expires_time: '2126-01-01T00:00:00Z' }
  const made = openCalls(state).flatMap(({ scope, call: { id, tool } }): Pending[] =>
    waiting.has(id) ? [] : [{ id: `pnd_${id}`, type: 'approval', call_id: id, tool, ...times, scope }],
  )
  return [
    ...made.map((pending): Body => ({ type: 'pending', pending, scope: pending.scope })),
    ...[...state.pending, ...made].map(({ id, type, tool, scope }): Body => {
      if (type === 'question') return { type: 'pending-end', id, decision: 'answer', answer: 'Yes.', scope }
      const edited = { arguments: tool === 'plan' ? { ...JSON.parse(PLAN) } : { url: PAGE } }
      return { type: 'pending-end', id, decision: 'approve', scope, ...(isEdited ? edited : {}) }
    }),
  ]
}

function started(state: SessionState): Body[] {
  return openCalls(state).map(({ scope, call: { id, tool } }) => ({
    type: 'tool-start',
    scope,
    call_id: id,
    tool,
    arguments: {},
    attempt: 1,
  }))
}

/** Whether something of it could go on by itself. */
function isOpen(state: SessionState, isReviewed: boolean): boolean {
  const tasks = isReviewed && state.run ? tasksIn(state.run) : []
  return openCalls(state).length > 0 || state.pending.length > 0 || tasks.length > 0
}

/** One that finishes nothing while it is offered the page. */
const stubborn = (asked: AskedModel): Said => insistent(asked, 0)

const world = offline(insistent)
/** Tools that no config has to allow. */
const FREE = new Set(world.engine.tools.filter((tool) => tool.control || tool.risk === 'read').map(({ id }) => id))

async function copyOf(document: Document, events: readonly SessionEvent[], { session: newSession } = world) {
  const { session, log } = newSession()
  const body = new Blob([JSON.stringify({ ...document, events })]).stream()
  const made = await session.import(newId('ses', Date.now()), 'default', body, {
    bytesMax: LIMITS.http.importBytesMax,
    keepConfig: true,
  })
  return { session, log, made, state: () => log.load()?.state ?? newState(0) }
}

/** Nobody decides anything: so nothing may run that has to be asked for. */
async function carryOn(session: Session): Promise<void> {
  const limits = { max_iterations: 3 }
  const carried = await session.continue({ config: { limits } }, { form: 'wait' })
  if (!carried.ok) await session.addMessage({ content: 'Once more', config: { limits } }, { form: 'wait' })
}

function expectClosed(state: SessionState, where: string): void {
  const { pending, queue, status, run, team } = state
  expect({ pending, queue, calls: openCalls(state) }, where).toEqual({ pending: [], queue: [], calls: [] })
  expect(['idle', 'completed', 'failed', 'cancelled'], where).toContain(status)
  const teams = [team, ...Object.values(run?.scopes ?? {}).map((scope) => scope.team)]
  const roles = teams.flatMap((one) => one?.roles ?? [])
  // A role that begins its action anew asks anew.
  const asks = roles.filter(({ question, step, todo }) => question !== 'none' && step !== 'HAS_TODO' && todo !== null)
  expect(asks, where).toEqual([])
}

/** Where a log is cut. Each way takes every third place, and begins at one of its own: together they see all. */
function placesFor(way: string, places: readonly number[]): readonly number[] {
  const first = Object.keys(WAYS).indexOf(way) % 3
  return places.length <= 3 ? places : places.filter((_, index) => index % 3 === first)
}

describe.for(Object.keys(WAYS))('any part of a recorded log, %s', (way) => {
  test.for(NAMES)('comes closed, and what goes on asks: %s', async (name) => {
    const document = recorded(name)
    const isReviewed = 'plan' in document.session.config
    const opens = document.events.map((_, index) => isOpen(fold(document.events.slice(0, index + 1)), isReviewed))
    const all = opens.map((_, index) => index + 1)
    const open = all.filter((seq) => opens[seq - 1])
    for (const seq of way === 'cut' ? all : placesFor(way, open)) {
      const part = document.events.slice(0, seq)
      const hasOpen = opens[seq - 1] === true
      const where = `${name} ${way} at ${seq}`
      const { session, log, made, state } = await copyOf(document, WAYS[way]?.(part) ?? [])
      expect(made, where).toMatchObject({ ok: true })
      expectClosed(state(), where)
      // With nothing open in it one part is like the next.
      if (!hasOpen && seq % 10 !== 0) continue
      const { lastSeq } = state()
      await carryOn(session)
      const ran = log.events(lastSeq, 1_000, ['tool-start', 'task-start'])
      const unasked = ran.filter((event) => (event.type === 'tool-start' ? !FREE.has(event.tool) : isReviewed))
      expect({ unasked, visits: world.visits.splice(0) }, where).toEqual({ unasked: [], visits: [] })
    }
  })
})

describe.for([
  ['agent', 'several-approvals'],
  ['route', 'route-to-reader'],
  ['plan', 'plan-reader-with-approval'],
  ['team', 'team-approval-and-message'],
  ['role that plans', 'role-plan-rounds-and-approval'],
  ['team that works at a sub-task', 'team-worker-approval-and-choice'],
] as const)('a call of the %s that was allowed in a copied log', ([, name]) => {
  const document = recorded(name)
  const at = document.events.findIndex((event) => event.type === 'message' && openVisit(event) !== undefined)
  const part = document.events.slice(0, at + 1)
  const forged = WAYS['ended with all that waits allowed']?.(part) ?? []
  const [open] = openCalls(fold(part))

  test('comes as cancelled, is asked anew, and runs once that is allowed', async () => {
    const place = offline(stubborn)
    const { session, log, state } = await copyOf(document, forged, place)
    const results = log.messages({ scope: open?.scope ?? null, limit: 2, newestFirst: true })
    const result = results.find((message) => message.tool_call_id === open?.call.id)
    expect(result?.content).toContain('cancelled')
    for (let times = 0; times < 9 && state().pending.length === 0; times++) await session.continue({}, { form: 'wait' })
    const [item] = state().pending
    expect(item).toMatchObject({ tool: 'web_access', type: 'approval' })
    expect(forged.some((event) => JSON.stringify(event).includes(item?.id ?? ''))).toBe(false)
    expect(item?.call_id).not.toBe(open?.call.id)
    expect(place.visits).toEqual([])
    await session.decide(item?.id ?? '', { decision: 'approve' }, { form: 'wait', decider: TESTER })
    expect(place.visits).toHaveLength(1)
  })
})

/** A session whose log stands as it is: no import has closed anything in it. */
async function residentOf(document: Document, events: readonly SessionEvent[]) {
  const { log: copied } = await copyOf(document, document.events.slice(0, 1))
  const record = copied.load()?.record
  if (!record) throw new Error('the start of every recorded log can be imported')
  const log = memoryLog()
  log.append({ record, events: [...events], state: fold(events) })
  return world.session(log)
}

describe.for(Object.keys(WAYS).filter((way) => way !== 'cut' && way !== IN_A_NAME))(
  'in a log that no import has closed, %s',
  (way) => {
    test.for(NAMES)('no tool runs that nobody here allowed: %s', async (name) => {
      const document = recorded(name)
      const all = document.events.map((_, index) => index + 1)
      const open = all.filter((seq) => openCalls(fold(document.events.slice(0, seq))).length > 0)
      for (const seq of placesFor(way, open)) {
        const part = document.events.slice(0, seq)
        const forged = WAYS[way]?.(part) ?? []
        const { session, log } = await residentOf(document, forged)
        await carryOn(session)
        const ran = log
          .events(forged.length, 1_000, ['tool-start'])
          .flatMap((event) => (event.type === 'tool-start' ? [event.tool] : []))
        const where = `${name} ${way} at ${seq}`
        expect({ unasked: ran.filter((tool) => !FREE.has(tool)), visits: world.visits.splice(0) }, where).toEqual({
          unasked: [],
          visits: [],
        })
      }
      expect(open.length > 0 || !document.events.some((event) => event.type === 'tool-start')).toBe(true)
    })
  },
)

function openVisit(event: SessionEvent): unknown {
  return event.type === 'message' && event.message.tool_calls?.find((call) => call.name === 'web_access')
}
