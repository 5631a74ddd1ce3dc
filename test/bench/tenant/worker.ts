// The product, unchanged, and `POST /tenant/NAME/RUNS`: what sessions of that tenant would report of so many runs is sent to its directory,
// each from a session of its own, so many at once as are told at most. With `?acts` also what was done goes along, and the answer waits until the
// audit has it. All is made after the report of a real run, which has to be made before.
import * as product from '../../../src/index.ts'
import { newId } from '../../../src/lib/id.ts'
import { type Env, directoryObject } from '../../../src/objects/env.ts'
import type { SessionReport } from '../../../src/run/ports.ts'

const AT_ONCE = 256

let example: SessionReport | undefined

export class DirectoryObject extends product.DirectoryObject {
  override put(tenant: string, told: SessionReport, shards?: number) {
    if (told.summary.status === 'completed') example ??= told
    return super.put(tenant, told, shards)
  }
}

export const {
  SessionObject,
  MemoryObject,
  TriggerObject,
  OutboxObject,
  AuditObject,
  MetricsObject,
  McpSessionObject,
} = product

async function reportRuns(env: Env, tenant: string, runs: number, withActs: boolean): Promise<Response> {
  if (example === undefined) return new Response('no run was made yet', { status: 409 })
  const { summary, words, spent, acts } = example
  const directory = directoryObject(env, tenant)
  const now = Date.now()
  const report = () => {
    const id = newId('ses', now)
    const own = acts.map((act) => ({ ...act, id: newId('aud', now), target: id }))
    return directory.put(tenant, {
      summary: { ...summary, id },
      words,
      spent: { ...spent, session: id },
      acts: withActs ? own : [],
    })
  }
  for (let left = runs; left > 0; left -= AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, report))
  if (withActs) await directory.forwardActs(tenant)
  return new Response('reported')
}

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, what, tenant = '', runs] = pathname.split('/')
    if (what !== 'tenant') return product.default.fetch(request, env, ctx)
    return reportRuns(env, tenant, Number(runs), searchParams.has('acts'))
  },
}
