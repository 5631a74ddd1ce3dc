/// <reference types="@cloudflare/vitest-plugin/types" />
import { describe, inject, onTestFinished, test } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import { startPlay } from '../../support/play.ts'
import { receiverFor } from '../../support/receivers.ts'
import { expectSound } from '../../support/sound.ts'
import { native } from '../../support/words.ts'
import { call, json } from '../http/http.ts'
import { dieAfter } from './die.ts'
import { workerHome } from './worker-home.ts'

/** A call of the method to a receiver, in a session that runs to its end, and the same when the isolate died while the call was under way. */
async function cut(method: 'get' | 'post') {
  const receiver = receiverFor(inject('peers'))
  const { origin, pathname } = new URL(receiver.url)
  const name = `box-${crypto.randomUUID().slice(0, 8)}`
  const requestBody = { content: { 'application/json': { schema: {} } } }
  const paths = { [pathname]: { [method]: { operationId: 'op', requestBody } } }
  const document = { openapi: '3.1.0', servers: [{ url: origin }], paths }
  await json(call('POST', '/v1/openapi-tools', { body: { name, document } }), 201)
  onTestFinished(async () => void (await call('DELETE', `/v1/openapi-tools/${name}`)))
  const end = { ...native('finish', { reason: '好' }), repeat: true }
  const config = { language: 'en', tools: { [`${name}__op`]: { permission: 'allow' } } } as const
  const play = await startPlay(workerHome, {
    config,
    script: [native(`${name}__op`, method === 'post' ? { body: {} } : {}), end],
  })
  await play.create()
  await play.send('Go')
  const events = await play.events()
  await dieAfter(play, events.slice(0, events.findIndex(({ type }) => type === 'tool-start') + 1))
  await play.session()
  await play.event('run-end')
  return { play, receiver }
}

describe('an isolate that dies while an operation is called', () => {
  test('sends a POST no second time: the model is told that nobody knows', async ({ expect }) => {
    const { play, receiver } = await cut('post')
    expect(await receiver.received(1)).toHaveLength(1)
    const [result] = (await play.messages()).filter(({ role }) => role === 'tool')
    expect(contentText(result?.content ?? '', null)).toMatch(/interrupt/i)
    expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: '好' })
    await expectSound(play, expect)
  })

  test('sends a GET again, under the same id', async ({ expect }) => {
    const { play } = await cut('get')
    const starts = (await play.events()).flatMap((event) =>
      event.type === 'tool-start' && event.tool !== 'finish' ? [event] : [],
    )
    expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(new Set(starts.map((start) => start.call_id)).size).toBe(1)
    const [result] = (await play.messages()).filter(({ role }) => role === 'tool')
    expect(contentText(result?.content ?? '', null)).toContain('Status: 200')
    await expectSound(play, expect)
  })
})
