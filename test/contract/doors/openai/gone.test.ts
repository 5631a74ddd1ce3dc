import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'

let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: '' })
  openai = new OpenAI({ apiKey: served.key, baseURL: `${served.url}/v1`, maxRetries: 0 })
})
afterAll(() => served.close())

/** An answer that is asked for, and whose session is deleted meanwhile. */
async function deleted(ask: (headers: Record<string, string>) => Promise<unknown>): Promise<unknown> {
  await served.script([{ content: 'Never heard.', hold_after: 0 }])
  const { id } = await served.client.sessions.create({})
  const answered = ask({ 'x-yaa-session': id }).catch((error: unknown) => error)
  await vi.waitUntil(() => served.model.requests.length === 1)
  await served.client.sessions.delete(id)
  return answered
}

describe('a session that is deleted while its answer is waited for', () => {
  test('is a conflict for chat completions', async ({ expect }) => {
    const messages = [{ role: 'user' as const, content: 'Wait.' }]
    const answer = await deleted((headers) => openai.chat.completions.create({ model: 'yaa', messages }, { headers }))
    expect(answer).toMatchObject({ status: 409, code: 'cancelled', type: 'server_error' })
  })

  test('is a response that was cancelled', async ({ expect }) => {
    const answer = await deleted((headers) => openai.responses.create({ model: 'yaa', input: 'Wait.' }, { headers }))
    expect(answer).toMatchObject({ status: 'cancelled', output: [] })
  })
})
