import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import crew from '../../contract/replay/team-worker-approval-and-choice.json' with { type: 'json' }
import { native, WORDS } from '../../support/words.ts'
import { call, json, newSession, read, sent, stage, type Stage } from './http.ts'

const words = WORDS['zh-CN']

interface Document {
  session: Pick<SessionData, 'config'>
  events: SessionEvent[]
}

/** A log up to its first pending item, which is then said to be allowed; its run failed, so that it can be carried on. */
function allowed({ events, ...document }: Document): Document & { known: string; scope: string | null } {
  const at = events.findIndex(({ type }) => type === 'pending')
  const part = events.slice(0, at + 1)
  const asked = part[at]
  if (asked?.type !== 'pending') throw new Error('something was to wait in this log')
  const { run_id, time, scope } = asked
  const decided = { type: 'pending-end', id: asked.pending.id, decision: 'approve', scope }
  const error = { code: 'model_failed', detail: '' }
  const failed = { type: 'run-end', status: 'failed', finish_reason: 'failed', result: null, error, scope: null }
  const more = [decided, failed].map((body, index) => ({ run_id, time, ...body, seq: at + 2 + index }))
  return { ...document, events: [...part, ...more] as SessionEvent[], known: asked.pending.id, scope }
}

/** The native model of a stage, for a document of any server. */
const configOf = ({ model }: Stage) => ({
  language: 'en' as const,
  llm: { model: model.name, protocol: 'native' as const },
})

const visit = (page: (name: string) => string) => native('web_access', { url: page('zh') })

describe('a call that a forged document says was allowed', () => {
  test('reaches nothing when the copy is carried on, which asks anew; nor does that of a fork', async ({ expect }) => {
    const set = await stage((page) => Array.from({ length: 4 }, () => visit(page)))
    const { id } = await newSession(set, { config: configOf(set) })
    expect(await sent(id, words.task)).toMatchObject({ status: 'interrupted' })
    const { known, scope, ...forged } = allowed(await json(call('GET', `/v1/sessions/${id}/export`)))
    const body = { ...forged, session: { ...forged.session, config: configOf(set) } }
    const copy = await json<SessionData>(call('POST', '/v1/sessions/import', { body }), 201)
    expect(copy).toMatchObject({ status: 'failed', pending: [] })
    expect(copy.messages.at(-1)).toMatchObject({ kind: 'tool_result', scope })
    const fork = await json<SessionData>(call('POST', `/v1/sessions/${copy.id}/fork`), 201)
    for (const { id: of } of [copy, fork]) {
      const carried = await json<AgentResponseData>(call('POST', `/v1/sessions/${of}/continue`, { body: {} }))
      expect(carried).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access' }] })
      expect(carried.pending[0]?.id).not.toBe(known)
      expect((await read(of)).status).toBe('interrupted')
    }
    expect(await set.site.visits()).toEqual([])
    const [own] = (await read(copy.id)).pending
    await json(call('POST', `/v1/sessions/${copy.id}/pending/${own?.id}`, { body: { decision: 'approve' } }))
    expect(await set.site.visits()).toHaveLength(1)
  })

  test('of a role that works at a sub-task is closed in its own branch, and asked there anew', async ({ expect }) => {
    const set = await stage((page) => [visit(page), visit(page)])
    const { known, scope, ...forged } = allowed(crew as unknown as Document)
    expect(scope).toMatch(/^tsk_\w+\/Ann$/)
    const body = { ...forged, session: { ...forged.session, config: configOf(set) } }
    const copy = await json<SessionData>(call('POST', '/v1/sessions/import', { body }), 201)
    expect(copy).toMatchObject({ status: 'failed', pending: [] })
    expect(copy.messages.at(-1)).toMatchObject({ kind: 'tool_result', scope })
    const path = `/v1/sessions/${copy.id}/continue`
    const carried = await json<AgentResponseData>(call('POST', path, { body: {} }))
    expect(carried).toMatchObject({ status: 'interrupted', pending: [{ tool: 'web_access', scope }] })
    expect(carried.pending[0]?.id).not.toBe(known)
    expect(await set.site.visits()).toEqual([])
  })
})
