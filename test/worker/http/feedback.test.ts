import { describe, test } from 'vitest'
import type { SessionData } from '../../../src/domain/session.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, type List, newSession, problem, read, sent, stage } from './http.ts'

const words = WORDS.en

interface Feedback {
  type: string
  message_id: string
  rating: string | null
  comment: string | null
}

/** A session with one answer, and the ids of what was said in it. */
async function answered(): Promise<{ id: string; task: string; answer: string }> {
  const { id } = await newSession(await stage([words.finish('Forty-two.'), words.finish('Still forty-two.')]))
  await sent(id, 'How many?')
  const { messages } = await read(id)
  const idOf = (role: string) => messages.findLast((message) => message.role === role)?.id ?? ''
  return { id, task: idOf('user'), answer: idOf('assistant') }
}

const rate = (id: string, message: string, body: unknown, headers: Record<string, string> = {}) =>
  call('POST', `/v1/sessions/${id}/messages/${message}/feedback`, { body, headers })

async function said(id: string): Promise<Pick<Feedback, 'message_id' | 'rating' | 'comment'>[]> {
  const { data } = await json<List<Feedback>>(
    call('GET', `/v1/sessions/${id}/events?limit=100`, { headers: { accept: 'application/json' } }),
  )
  return data
    .filter(({ type }) => type === 'feedback')
    .map(({ message_id, rating, comment }) => ({ message_id, rating, comment }))
}

describe('what a person says of an answer', () => {
  test('is an event of the session; the same again is none, another takes its place', async ({ expect }) => {
    const { id, answer } = await answered()
    const told = { object: 'feedback', session_id: id, message_id: answer }
    const good = { message_id: answer, rating: 'good', comment: null }
    expect(await json(rate(id, answer, { rating: 'good' }))).toEqual({ ...told, rating: 'good', comment: null })
    expect(await json(rate(id, answer, { rating: 'good', comment: ' ' }))).toMatchObject({ rating: 'good' })
    expect(await said(id)).toEqual([good])
    const why = { rating: 'bad', comment: 'It is forty-three.' }
    expect(await json(rate(id, answer, { ...why, comment: ' It is forty-three.\n' }))).toEqual({ ...told, ...why })
    expect(await json(rate(id, answer, { rating: null }))).toMatchObject({ rating: null, comment: null })
    await rate(id, answer, { rating: null })
    const taken = { message_id: answer, rating: null, comment: null }
    expect(await said(id)).toEqual([good, { message_id: answer, ...why }, taken])
  })

  test('is sent again under its key without being said again', async ({ expect }) => {
    const { id, answer } = await answered()
    const key = { 'idempotency-key': crypto.randomUUID() }
    await json(rate(id, answer, { rating: 'bad' }, key))
    await json(rate(id, answer, { rating: null }))
    const again = await rate(id, answer, { rating: 'bad' }, key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await said(id)).map(({ rating }) => rating)).toEqual(['bad', null])
  })

  test('goes with the session: exported, imported, and the run goes on as if nothing was said', async ({ expect }) => {
    const { id, answer } = await answered()
    await json(rate(id, answer, { rating: 'bad', comment: 'Wrong.' }))
    const document = await (await call('GET', `/v1/sessions/${id}/export`)).text()
    const copy = await json<SessionData>(call('POST', '/v1/sessions/import', { body: document }), 201)
    expect(await said(copy.id)).toEqual(await said(id))
    expect(copy.messages.map((message) => message.id)).toContain(answer)
    expect(await sent(id, 'And now?')).toMatchObject({ status: 'completed', result: 'Still forty-two.' })
    expect(JSON.stringify((await read(id)).messages)).not.toContain('Wrong.')
  })

  test('is refused where it is none, of no message, or of no answer', async ({ expect }) => {
    const { id, task, answer } = await answered()
    const refused = async (body: unknown) => {
      const { errors = [] } = await problem(rate(id, answer, body), 400)
      return errors.map(({ path }) => path)
    }
    expect(await refused({})).toEqual(['rating'])
    expect(await refused({ rating: 'fine' })).toEqual(['rating'])
    expect(await refused({ rating: null, comment: 'Why not?' })).toEqual(['comment'])
    expect(await refused({ rating: 'bad', comment: 'x'.repeat(20_001) })).toEqual(['comment'])
    expect(await refused({ rating: 'bad', stars: 1 })).toEqual(['stars'])
    expect((await problem(rate(id, task, { rating: 'good' }), 400)).errors).toMatchObject([{ path: 'message' }])
    await problem(rate(id, 'msg_none', { rating: 'good' }), 404)
    await problem(rate('ses_00000000000000000000000000', answer, { rating: 'good' }), 404)
    expect(await said(id)).toEqual([])
  })
})
