import { describe, test } from 'vitest'
import { fail } from '../../../src/domain/errors.ts'
import { newId } from '../../../src/lib/id.ts'
import type { SessionApi } from '../../../src/objects/api.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { call, json, type List, stage } from './http.ts'
import { env } from '../session/worker-home.ts'

/** Sessions that nobody reaches any more with a call. */
const without = (lost: keyof SessionApi) =>
  new Proxy(env.SESSION, {
    get: (sessions, name) =>
      name === 'getByName'
        ? (...named: Parameters<typeof sessions.getByName>) => stubWithout(sessions.getByName(...named), lost)
        : Reflect.get(sessions, name, sessions),
  })

const stubWithout = <T extends object>(stub: T, lost: keyof SessionApi): T =>
  new Proxy(stub, {
    get: (one, name: string & keyof T) =>
      name === lost ? async () => fail({ code: 'unavailable' }) : Reflect.get(one, name, one),
  })

async function chat() {
  const { config, model } = await stage([{ content: 'One.' }, { content: 'Two.' }, { content: 'Three.' }])
  const id = `anew-${newId('run', Date.now())}`
  const say = async (text: string, more: object = {}, laid = {}) => {
    const message = { id: `u-${text}`, role: 'user', parts: [{ type: 'text', text }] }
    const body = { id, messages: [message], ...more }
    const answer = await call('POST', '/v1/ai-sdk/chat', { body, env: laid })
    const deltas = [...(await answer.text()).matchAll(/"delta":"(.*?)"/g)]
    const told = deltas.map(([, delta = '']) => delta).join('')
    return { status: answer.status, session: answer.headers.get('x-yaa-session') ?? '', text: told }
  }
  const { session } = await say('Hello')
  const llm = { ...config.llm, protocol: 'native' }
  await json(call('PATCH', `/v1/sessions/${session}`, { body: { config: { ...config, llm } } }))
  const history = async () => {
    const answer = await call('GET', `/v1/ai-sdk/chat/${id}`)
    return { session: answer.headers.get('x-yaa-session'), text: await answer.text() }
  }
  return { say, session, history, model }
}

/** Sessions made since a time that run. */
async function running(since: string): Promise<SessionData[]> {
  const { data } = await json<List<SessionData>>(call('GET', '/v1/sessions?status=in_progress'))
  return data.filter(({ start_time: started }) => started >= since)
}

describe('a message answered anew, whose process died', () => {
  test('when its run had begun, is where the chat goes on for whoever comes next', async ({ expect }) => {
    for (const isRead of [true, false]) {
      const { say, session: first, history, model } = await chat()
      expect((await say('Tell me')).text).toBe('One.')
      const anew = { trigger: 'regenerate-message' }
      const since = new Date().toISOString()
      expect((await say('Tell me', anew, { SESSION: without('goOnIn') })).status).toBe(503)
      await expect.poll(async () => (await model.asked()).length).toBe(2)
      if (isRead) await expect.poll(async () => (await history()).text).toMatch(/^(?!.*One\.).*Two\./)
      else await expect.poll(() => running(since)).toEqual([])
      const next = await say('And then?')
      expect(next.text).toBe('Three.')
      expect(next.session).not.toBe(first)
      expect((await history()).session).toBe(next.session)
      expect(JSON.stringify((await model.asked()).at(-1)?.body)).toMatch(/^(?!.*One\.).*Tell me.*Two\..*And then/)
    }
  })

  test('before that, leaves the chat where it was', async ({ expect }) => {
    const { say, session: first } = await chat()
    expect((await say('Tell me')).text).toBe('One.')
    const anew = { trigger: 'regenerate-message' }
    expect((await say('Tell me', anew, { SESSION: without('create') })).status).toBe(503)
    expect(await say('And then?')).toMatchObject({ session: first, text: 'Two.' })
  })
})
