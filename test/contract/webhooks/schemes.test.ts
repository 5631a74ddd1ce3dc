import { sign } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { WebhookScheme } from '../../../src/domain/webhook.ts'
import { SCHEMES } from '../../../src/triggers/schemes.ts'

type Headers = Record<string, string>

const verify = (scheme: WebhookScheme, secret: string, body: string, headers: Headers, seconds: number) =>
  SCHEMES[scheme].verify({ headers, bytes: Buffer.from(body), now: seconds * 1_000 }, secret)

/** A delivery that is signed as its scheme's own documentation has it; `time`: in seconds. */
interface Vector {
  source: string
  secret: string
  body: string
  headers: Headers
  time: number
}

const VECTORS: Partial<Record<WebhookScheme, Vector>> = {
  standard: {
    source: 'docs.svix.com, "Verifying webhooks manually"',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    time: 1_614_265_330,
  },
  github: {
    source: 'docs.github.com, "Validating webhook deliveries"',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    time: 0,
  },
  slack: {
    source: 'docs.slack.dev, "Verifying requests from Slack"',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    time: 1_531_420_618,
  },
}

describe('the example of a scheme’s own documentation', () => {
  for (const [scheme, { source, secret, body, headers, time }] of Object.entries(VECTORS)) {
    test(`holds: ${scheme}, ${source}`, async ({ expect }) => {
      const check = (given: { body?: string; secret?: string; headers?: Headers } = {}) =>
        verify(scheme as WebhookScheme, given.secret ?? secret, given.body ?? body, given.headers ?? headers, time)
      expect(await check()).toBeNull()
      expect(await check({ body: `${body} ` })).toMatch(/no signature fits/)
      expect(await check({ secret: 'whsec_bm90IHRoZSBzZWNyZXQ=' })).toMatch(/no signature fits/)
      expect(await check({ headers: {} })).toMatch(/needed/)
    })
  }
})

const NOW = 1_800_000_000
const BODY = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', text: '你好，\u{1f600} “quotes”' })
const stripe = new Stripe('sk_test_none')

/** What the owners' own libraries write. */
const SIGNERS: Record<'standard' | 'github' | 'stripe', { secret: string; sign: (time: number) => Promise<Headers> }> =
  {
    standard: {
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      sign: async (time) => {
        const webhook = new StandardWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
        const signature = webhook.sign('msg_1', new Date(time * 1_000), BODY)
        return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(time), 'webhook-signature': signature }
      },
    },
    github: { secret: 'octocat', sign: async () => ({ 'x-hub-signature-256': await sign('octocat', BODY) }) },
    stripe: {
      secret: 'whsec_test_secret',
      sign: async (timestamp) => ({
        'stripe-signature': await stripe.webhooks.generateTestHeaderStringAsync({
          payload: BODY,
          secret: 'whsec_test_secret',
          timestamp,
        }),
      }),
    },
  }

describe('what the library of a scheme’s owner signs', () => {
  for (const [name, { secret, sign: signed }] of Object.entries(SIGNERS)) {
    const scheme = name as keyof typeof SIGNERS
    test(`is taken, and nothing that differs from it: ${scheme}`, async ({ expect }) => {
      const headers = await signed(NOW)
      expect(await verify(scheme, secret, BODY, headers, NOW)).toBeNull()
      expect(await verify(scheme, secret, BODY.replace('paid', 'void'), headers, NOW)).not.toBeNull()
      for (const [header, value] of Object.entries(headers)) {
        const forged = { ...headers, [header]: value.slice(0, -2) + (value.endsWith('00') ? '11' : '00') }
        expect(await verify(scheme, secret, BODY, forged, NOW), header).not.toBeNull()
        expect(await verify(scheme, secret, BODY, { ...headers, [header]: '' }, NOW), header).not.toBeNull()
      }
    })
  }

  test('is too old, or too early, by more than five minutes, where a time is signed', async ({ expect }) => {
    const tolerance = LIMITS.trigger.toleranceMs / 1_000
    for (const scheme of ['standard', 'stripe'] as const) {
      const { secret, sign: signed } = SIGNERS[scheme]
      const headers = await signed(NOW)
      for (const [away, isTaken] of [
        [tolerance, true],
        [tolerance + 1, false],
        [-tolerance, true],
        [-tolerance - 1, false],
      ] as const)
        expect((await verify(scheme, secret, BODY, headers, NOW + away)) === null, `${scheme} ${away}`).toBe(isTaken)
    }
  })
})

test('one of several signatures is enough, whichever it is', async ({ expect }) => {
  const { standard, stripe: ofStripe } = SIGNERS
  const headers = await standard.sign(NOW)
  const both = `v1a,bm9uZQ== v1,bm9uZQ== ${headers['webhook-signature']}`
  expect(await verify('standard', standard.secret, BODY, { ...headers, 'webhook-signature': both }, NOW)).toBeNull()
  const signed = (await ofStripe.sign(NOW))['stripe-signature'] ?? ''
  const [time = '', good = ''] = signed.split(',')
  const rolled = `${time},v1=${'0'.repeat(64)},${good},v0=${'1'.repeat(64)}`
  expect(await verify('stripe', ofStripe.secret, BODY, { 'stripe-signature': rolled }, NOW)).toBeNull()
  const old = `${time},${good.replace('v1=', 'v0=')}`
  expect(await verify('stripe', ofStripe.secret, BODY, { 'stripe-signature': old }, NOW)).not.toBeNull()
})

test('a signature in base64 is the text that was signed, no other of the same bytes', async ({ expect }) => {
  const { secret, sign: signed } = SIGNERS.standard
  const headers = await signed(NOW)
  const good = headers['webhook-signature'] ?? ''
  const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const taken = async (signature: string) =>
    (await verify('standard', secret, BODY, { ...headers, 'webhook-signature': signature }, NOW)) === null
  expect(good).toMatch(/^v1,.{43}=$/)
  const others = base64.split('').map((last) => `${good.slice(0, -2)}${last}=`)
  expect((await Promise.all(others.map(taken))).filter(Boolean)).toHaveLength(1)
  expect(await taken(good.slice(0, -1))).toBe(false)
})

test('a bearer shows the secret itself, all of it', async ({ expect }) => {
  const check = (authorization?: string) =>
    verify('bearer', 'let-me-in', BODY, authorization === undefined ? {} : { authorization }, NOW)
  expect(await check('Bearer let-me-in')).toBeNull()
  for (const wrong of [
    undefined,
    '',
    'Bearer ',
    'Bearer let-me-i',
    'Bearer let-me-inn',
    'let-me-in',
    'Basic let-me-in',
  ])
    expect(await check(wrong), wrong).not.toBeNull()
})

test('secrets that are made here are taken by the libraries, and no two are the same', async ({ expect }) => {
  const made = SCHEMES.standard.newSecret?.() ?? ''
  const signature = new StandardWebhook(made).sign('msg_1', new Date(NOW * 1_000), BODY)
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(NOW), 'webhook-signature': signature }
  expect(await verify('standard', made, BODY, headers, NOW)).toBeNull()
  const all = Array.from({ length: 20 }, () => SCHEMES.github.newSecret?.())
  expect(new Set(all).size).toBe(20)
  expect([SCHEMES.slack.newSecret, SCHEMES.stripe.newSecret]).toEqual([null, null])
})
