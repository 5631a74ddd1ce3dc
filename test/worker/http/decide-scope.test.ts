import { describe, test } from 'vitest'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import type { Pending } from '../../../src/domain/pending.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, type List, problem, stage } from './http.ts'

const words = WORDS['zh-CN']

async function keyWith(scopes: string[]) {
  const { id, key } = await json<{ id: string; key: string }>(
    call('POST', '/v1/keys', { body: { name: 'k', scopes } }),
    201,
  )
  const ask = (method: string, path: string, body?: unknown) =>
    call(method, path, { body, headers: { authorization: `Bearer ${key}` } })
  return { id, ask }
}

/** A session whose run waits for a human, made by a key that may run and read. */
async function waiting(reply: (page: string) => string) {
  const set = await stage((page) => [reply(page('zh')), words.finish('好')])
  const runs = await keyWith(['run', 'read'])
  const body = { task: words.task, config: set.config }
  const { id, status, pending } = await json<SessionData>(runs.ask('POST', '/v1/sessions', body), 201)
  if (status !== 'interrupted' || !pending[0]) throw new Error('the run was to wait')
  const item: Pending = pending[0]
  return { set, id, item, say: (content: string) => runs.ask('POST', `/v1/sessions/${id}/messages`, { content }), runs }
}

const endsOf = async (id: string) => {
  const { data } = await json<List<SessionEvent>>(
    call('GET', `/v1/sessions/${id}/events?limit=100`, { headers: { accept: 'application/json' } }),
  )
  return data.flatMap((event) => (event.type === 'pending-end' ? [event] : []))
}

describe('a key that may run and not decide', () => {
  const APPROVAL: [string, string][] = [
    ['approves', '<授权><工具>网页访问</工具><反馈></反馈></授权>'],
    ['refuses', '<拒绝><工具>网页访问</工具><反馈>不</反馈></拒绝>'],
    ['says something else', '换一个网站'],
  ]
  test.for(APPROVAL)('sends a message that %s: 403, and the call still waits', async ([, content], { expect }) => {
    const { set, id, item, say, runs } = await waiting((page) => words.visit(page))
    expect(await problem(say(content), 403)).toMatchObject({ code: 'forbidden' })
    const session = await json<SessionData>(runs.ask('GET', `/v1/sessions/${id}`))
    expect(session).toMatchObject({ status: 'interrupted', pending: [item] })
    expect(session.messages.at(-1)?.kind).toBe('reply')
    expect(await set.site.visits()).toEqual([])
    expect(await endsOf(id)).toEqual([])
  })

  test('answers no question by a message', async ({ expect }) => {
    const { id, item, say, runs } = await waiting(() => words.ask('哪一个？'))
    expect(item.type).toBe('question')
    expect(await problem(say('第一个'), 403)).toMatchObject({ code: 'forbidden' })
    expect(await json<SessionData>(runs.ask('GET', `/v1/sessions/${id}`))).toMatchObject({ pending: [item] })
  })

  test('may still end the run and begin another', async ({ expect }) => {
    const { id, say, runs } = await waiting((page) => words.visit(page))
    await json(runs.ask('POST', `/v1/sessions/${id}/cancel`))
    expect(await json<AgentResponseData>(say(words.task))).toMatchObject({ status: 'completed', result: '好' })
  })
})

describe('a message of a key that may decide', () => {
  test('lets the call run, and the log says who decided', async ({ expect }) => {
    const { set, id } = await waiting((page) => words.visit(page))
    const both = await keyWith(['run', 'decide'])
    const content = '<授权><工具>网页访问</工具><反馈></反馈></授权>'
    const answer = both.ask('POST', `/v1/sessions/${id}/messages`, { content })
    expect(await json<AgentResponseData>(answer)).toMatchObject({ status: 'completed', result: '好' })
    expect(await set.site.visits()).toHaveLength(1)
    expect(await endsOf(id)).toMatchObject([{ decision: 'approve', by: { kind: 'key', id: both.id } }])
  })
})
