import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, test, vi } from 'vitest'
import type { ListedPending } from '../../../src/domain/pending.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import type { UserJob } from '../../../src/domain/user-job.ts'
import { newSecretText } from '../../../src/lib/secret.ts'
import { WORDS } from '../../support/words.ts'
import { env } from '../session/worker-home.ts'
import { call, json, type List, problem, stage } from './http.ts'

const words = WORDS['zh-CN']

/** The server under a secret. */
function under(secret: string) {
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    call(method, path, { body, headers, env: { YAA_SECRET: secret } })
}

/** A session that waits for an approval, made under an Idempotency-Key and a secret; and the server under another secret. */
async function madeUnderAnother(user: string = crypto.randomUUID()) {
  const set = await stage((page) => [words.visit(page('article')), words.finish('好')])
  const body = { task: words.task, user, title: `Of ${user}`, config: set.config }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const made = await json<SessionData>(under(newSecretText())('POST', '/v1/sessions', body, headers), 201)
  const ask = under(newSecretText())
  const path = `/v1/sessions/${made.id}`
  const listed = async () => (await json<List<SessionData>>(ask('GET', `/v1/sessions?user=${user}`))).data
  await vi.waitUntil(async () => (await listed()).some(({ id }) => id === made.id), { timeout: 20_000 })
  return { made, ask, path, user }
}

describe('a session of a key that was made under another secret', () => {
  test('is read, changed, decided and deleted as any other', async ({ expect }) => {
    const { made, ask, path } = await madeUnderAnother()
    expect(await json<SessionData>(ask('GET', path))).toMatchObject({ id: made.id, status: 'interrupted' })
    await json(ask('PATCH', path, { title: 'Another title' }))
    const decision = { decision: 'reject' }
    const decided = await json<AgentResponseData>(ask('POST', `${path}/pending/${made.pending[0]?.id}`, decision))
    expect(decided).toMatchObject({ id: made.id, status: 'completed' })
    expect((await ask('DELETE', path)).status).toBe(204)
  })

  test('is found in what waits, by its words, and among those that are cancelled together', async ({ expect }) => {
    const { made, ask, user } = await madeUnderAnother()
    const waiting = await json<List<ListedPending>>(ask('GET', `/v1/pending?user=${user}`))
    expect(waiting.data).toMatchObject([{ session_id: made.id }])
    const found = await json<List<SessionData>>(ask('GET', `/v1/sessions?q=${user}`))
    expect(found.data).toMatchObject([{ id: made.id }])
    const cancelled = await json<List<unknown>>(ask('POST', '/v1/sessions/cancel', { ids: [made.id] }))
    expect(cancelled.data).toMatchObject([{ id: made.id, status: 'cancelled' }])
  })

  test('goes with the person that it is of', async ({ expect }) => {
    const { ask, path, user } = await madeUnderAnother()
    const { id } = await json<UserJob>(ask('DELETE', `/v1/users/${user}`), 202)
    const over = async () => {
      await runDurableObjectAlarm(env.MEMORY.getByName(`default:${user}`))
      return json<UserJob>(ask('GET', `/v1/users/${user}/jobs/${id}`))
    }
    await expect.poll(over).toMatchObject({ status: 'completed', counts: { sessions: 1 } })
    await problem(ask('GET', path), 404)
  })

  test('is no other of the same ending, nor one that nobody made', async () => {
    const { made, ask } = await madeUnderAnother()
    const [start, end] = [made.id.slice(0, 14), made.id.slice(14)]
    const other = (text: string) => (text === '0' ? '1' : '0')
    const forged = [
      `${start.slice(0, -1)}${other(start.slice(-1))}${end}`,
      `${start}${end.slice(0, -1)}${other(end.slice(-1))}`,
    ]
    for (const id of forged) await problem(ask('GET', `/v1/sessions/${id}`), 404)
  })
})
