import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { callbackFrom, withSecret } from '../../../src/callbacks/callback.ts'
import { sendDelivery, type SendPorts } from '../../../src/callbacks/send.ts'
import { feishuSignature, newSecret, signedHeaders } from '../../../src/callbacks/payload.ts'
import { newCallback } from '../../../src/domain/callback-input.ts'
import { createGuardedFetch } from '../../../src/net/guarded-fetch.ts'
import { receiverFor, type Receiver } from '../../support/receivers.ts'
import { startReceivers } from '../../support/receivers-server.ts'

/** Source: github.com/standard-webhooks, the tests of its libraries. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  time: 1_614_265_330_000,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

describe('the signature of a delivery', () => {
  test('is that of the scheme’s own vector', ({ expect }) => {
    const { secret, id, body, time, signature } = VECTOR
    expect(signedHeaders({ secret, previousSecret: null }, id, body, time)).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    })
  })

  test('is made with the secret before too, until its time', ({ expect }) => {
    const before = { value: newSecret(), until: VECTOR.time + 1 }
    const secrets = { secret: VECTOR.secret, previousSecret: before }
    const at = (time: number) => signedHeaders(secrets, VECTOR.id, VECTOR.body, time)['webhook-signature']
    expect(at(VECTOR.time)).toBe(
      `${VECTOR.signature} ${new Webhook(before.value).sign(VECTOR.id, new Date(VECTOR.time), VECTOR.body)}`,
    )
    expect(at(VECTOR.time + 1)).not.toContain(' ')
  })

  test('for Feishu is the HMAC of nothing under its time and secret', async ({ expect }) => {
    const { timestamp, sign } = await feishuSignature('a secret', VECTOR.time)
    expect(sign).toBe(createHmac('sha256', `${timestamp}\na secret`).digest('base64'))
  })
})

describe('a receiver on loopback', () => {
  let receivers: Awaited<ReturnType<typeof startReceivers>>
  let receiver: Receiver
  beforeAll(async () => {
    receivers = await startReceivers()
    receiver = receiverFor({ receiversUrl: receivers.url })
  })
  afterAll(() => receivers.close())

  const ports = (): SendPorts => ({
    fetch: createGuardedFetch({ publicFetch: fetch, privateFetch: null, allowPrivateHosts: [receivers.host] }),
    now: Date.now,
    language: 'en',
    publicUrl: null,
  })
  const callback = (more: object = {}) =>
    callbackFrom(
      newCallback.parse({ url: receiver.url, events: ['run.completed'], ...more }),
      { tenant: 'default', origin: 'https://yaa.example' },
      Date.now(),
    )
  const delivery = {
    id: 'dlv_01m7zsp7q17fd7zz1mbd50mfc1',
    event: 'run.completed',
    time: VECTOR.time,
    data: { session_id: 'ses_1', run_id: 'run_1', status: 'completed', finish_reason: 'completed', result: '好 & <b>' },
  } as const

  test('verifies what it gets with the library of the scheme, whichever of two secrets it knows', async ({
    expect,
  }) => {
    const known = callback()
    const rotated = withSecret(known, newSecret(), Date.now())
    const { attempt } = await sendDelivery(ports(), rotated, delivery)
    expect(attempt).toMatchObject({ status: 200, answer: 'ok', error: null })
    const got = (await receiver.received(1)).at(-1)
    expect([known.secret, rotated.secret, newSecret()].map((secret) => got?.verifies(secret))).toEqual([
      true,
      true,
      false,
    ])
    expect(got?.headers['webhook-id']).toBe(delivery.id)
    expect(got?.body).toEqual({ type: 'run.completed', timestamp: '2021-02-25T15:02:10.000Z', data: delivery.data })
  })

  test('that answers with a refusal in Feishu’s words has not taken the message', async ({ expect }) => {
    await receiver.answer([{ body: '{"code":19021,"msg":"sign match fail"}' }, { body: '{"code":0,"msg":"success"}' }])
    const toFeishu = callback({ template: 'feishu', template_secret: 's3cret' })
    const refused = await sendDelivery(ports(), toFeishu, delivery)
    expect(refused.attempt).toMatchObject({ status: 200, error: { code: 'refused_by_template' } })
    expect((await sendDelivery(ports(), toFeishu, delivery)).attempt.error).toBeNull()
    const got = (await receiver.received(3)).at(-1)
    expect(got?.body).toMatchObject({
      msg_type: 'interactive',
      sign: expect.any(String),
      card: { elements: expect.any(Array) },
    })
    expect(got?.verifies(toFeishu.secret)).toBe(true)
  })

  test('that is not there, or may not be reached, is a failure that says so', async ({ expect }) => {
    const gone = await startReceivers()
    await gone.close()
    const { fetch: guarded, ...rest } = ports()
    const allowed = createGuardedFetch({ publicFetch: fetch, privateFetch: null, allowPrivateHosts: [gone.host] })
    const lost = await sendDelivery({ ...rest, fetch: allowed }, { ...callback(), url: gone.url }, delivery)
    expect(lost.attempt).toMatchObject({ status: null, error: { code: 'unreachable' } })
    const refused = await sendDelivery({ ...rest, fetch: guarded }, { ...callback(), url: gone.url }, delivery)
    expect(refused.attempt).toMatchObject({ status: null, error: { code: 'address_refused' } })
  })
})
