import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'
const PRICE = { prompt_per_mtok: 1_000, completion_per_mtok: 1_000, currency: 'USD' }

let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: PAGE, price: PRICE, config: { tools: { web_access: { auto_approve: true } } } })
  openai = clientOf(served.key)
})
afterAll(() => served.close())

async function keyWith(wanted: Parameters<Served['client']['keys']['create']>[0]): Promise<string> {
  const { key } = await served.client.keys.create(wanted)
  if (key === undefined) throw new Error('a new key is shown once')
  return key
}

/** `maxRetries` as the client has it by default, unless a test is about them. */
const clientOf = (apiKey: string, more: { maxRetries?: number } = {}) =>
  new OpenAI({ apiKey, baseURL: `${served.url}/v1`, ...more })

type Messages = OpenAI.ChatCompletionMessageParam[]
const user = (content: string): Messages[number] => ({ role: 'user', content })
const ask = (messages: Messages, more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
  openai.chat.completions.create({ model: 'yaa', messages, ...more }).withResponse()
const asked = () => served.model.requests.length

async function textOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = ''
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
  return text
}

describe('a refusal has the shape of the client', () => {
  test('for a wrong key, and one whose scope is too small', async ({ expect }) => {
    const wrong = clientOf('sk-wrong').chat.completions.create({ model: 'yaa', messages: [user('x')] })
    await expect(wrong).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
    await expect(wrong).rejects.toMatchObject({ status: 401, code: 'unauthorized', type: 'authentication_error' })
    const key = await keyWith({ name: 'reads', scopes: ['read'] })
    const reads = clientOf(key).chat.completions.create({ model: 'gpt-99', messages: [user('x')], stream: true })
    await expect(reads).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError)
    await expect(reads).rejects.toMatchObject({ status: 403, code: 'forbidden', type: 'permission_error' })
  })

  test('for a body that is too large, is no JSON, or asks for what there is not', async ({ expect }) => {
    const huge = ask([user('x'.repeat(64 * 1024 * 1024))])
    await expect(huge).rejects.toMatchObject({ status: 413, code: 'body_too_large', type: 'invalid_request_error' })
    const raw = await fetch(`${served.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.key}`, 'content-type': 'application/json' },
      body: '{"model": "yaa"',
    })
    expect([raw.status, await raw.json()]).toMatchObject([400, { error: { code: 'invalid_input' } }])
    for (const more of [{ n: 2 }, { logprobs: true }, { top_logprobs: 3 }])
      await expect(ask([user('x')], more)).rejects.toMatchObject({ status: 400, param: Object.keys(more)[0] })
    await expect(ask([])).rejects.toMatchObject({ status: 400, param: 'messages' })
    await expect(ask([{ role: 'assistant', content: 'x' }])).rejects.toMatchObject({ status: 400, param: 'messages' })
    const get = await fetch(`${served.url}/v1/chat/completions`, { headers: { authorization: `Bearer ${served.key}` } })
    expect([get.status, get.headers.get('allow'), await get.json()]).toMatchObject([
      405,
      'OPTIONS, POST',
      { error: { code: 'method_not_allowed' } },
    ])
  })

  test('for a key that asks too often, which the client then waits for', async ({ expect }) => {
    const key = await keyWith({
      name: 'slow',
      scopes: ['run'],
      limits: { requests_per_minute: 1 },
    })
    await served.script([says('One.')])
    const slow = clientOf(key, { maxRetries: 0 })
    await slow.chat.completions.create({ model: 'yaa', messages: [user('Once')] })
    const again = slow.chat.completions.create({ model: 'yaa', messages: [user('Twice')] })
    await expect(again).rejects.toBeInstanceOf(OpenAI.RateLimitError)
    await expect(again).rejects.toMatchObject({ status: 429, code: 'rate_limited', type: 'rate_limit_error' })
  })

  test('and fields that SDKs send beside are passed over', async ({ expect }) => {
    await served.script([says('Fine.')])
    const more = { top_p: 1, presence_penalty: 0, seed: 7, store: false, parallel_tool_calls: true, logit_bias: {} }
    const { data } = await ask([{ ...user('Extra'), name: 'ann' } as Messages[number]], more)
    expect(data.choices[0]?.message.content).toBe('Fine.')
  })
})

describe('a model that fails', () => {
  test('is a bad gateway with its class, and is not asked again and again', async ({ expect }) => {
    await served.script([{ status: 500, repeat: true }])
    const before = asked()
    await expect(ask([user('Down')])).rejects.toMatchObject({ status: 502, code: 'model_unavailable' })
    expect(asked() - before).toBeLessThanOrEqual(1)
  })

  test('says when to come again where the service does', async ({ expect }) => {
    await served.script([{ status: 429, headers: { 'retry-after': '7' } }])
    const once = clientOf(served.key, { maxRetries: 0 })
    const answer = once.chat.completions.create({ model: 'yaa', messages: [user('Busy')] })
    await expect(answer).rejects.toMatchObject({ status: 429, code: 'model_rate_limited' })
    const error: unknown = await answer.catch((reason: unknown) => reason)
    expect(error instanceof OpenAI.APIError && error.headers?.get('retry-after')).toBe('7')
  })

  test('in the middle of a stream is an error of the stream', async ({ expect }) => {
    await served.script([
      { content: 'It begins and', stream_cut_after: 3 },
      { status: 500, repeat: true },
    ])
    const stream = await openai.chat.completions.create({ model: 'yaa', messages: [user('Cut')], stream: true })
    const text = textOf(stream)
    await expect(text).rejects.toBeInstanceOf(OpenAI.APIError)
    await expect(text).rejects.toMatchObject({ code: expect.stringMatching(/^model_/) })
  })
})

describe('a request that no window holds', () => {
  const long = 'word '.repeat(60_000)

  test('is one of the client, by the code that clients look for, and asks no model', async ({ expect }) => {
    const before = asked()
    const code = { code: 'context_length_exceeded', type: 'invalid_request_error' }
    await expect(ask([user(long)])).rejects.toBeInstanceOf(OpenAI.BadRequestError)
    await expect(ask([user(`${long}!`)])).rejects.toMatchObject({ status: 400, ...code })
    const stream = openai.chat.completions.create({ model: 'yaa', messages: [user(`${long}?`)], stream: true })
    await expect(stream.then(textOf)).rejects.toMatchObject(code)
    const response = await openai.responses.create({ model: 'yaa', input: long })
    expect(response.error).toMatchObject({ code: 'invalid_prompt', type: 'prompt_too_long' })
    expect(asked()).toBe(before)
  })
})

describe('a run that is cancelled', () => {
  test('says so in words, in either form and in the language of the request', async ({ expect }) => {
    const texts = {
      en: /^The run was cancelled .*Send the request again/,
      zh: /^运行在得出回答之前被取消了.*重新发送请求/,
    }
    for (const [language, words] of Object.entries(texts)) {
      const headers = { headers: { 'accept-language': language } }
      const cancelled = async (
        work: (asked: { model: string; messages: Messages; metadata: { session_id: string } }) => Promise<unknown>,
      ) => {
        await served.script([{ content: 'Half of it and the rest.', chunks: 4, hold_after: 1 }])
        const [{ id }, before] = [await served.client.sessions.create({}), asked()]
        const done = work({ model: 'yaa', messages: [user('To be cancelled')], metadata: { session_id: id } })
        const told = done.then(
          () => null,
          (error: unknown) => error,
        )
        await expect.poll(asked).toBe(before + 1)
        await served.client.sessions.cancel(id)
        return told
      }
      const error = { code: 'cancelled', type: 'server_error', error: { message: expect.stringMatching(words) } }
      expect(
        await cancelled((body) => openai.chat.completions.create(body, { ...headers, maxRetries: 0 })),
      ).toMatchObject({
        ...error,
        status: 409,
      })
      const streamed = await cancelled(async (body) =>
        textOf(await openai.chat.completions.create({ ...body, stream: true }, headers)),
      )
      expect(streamed).toMatchObject(error)
    }
  })
})

describe('a budget that ends', () => {
  test('is an insufficient quota, which no retry helps', async ({ expect }) => {
    const key = await keyWith({
      name: 'poor',
      scopes: ['run'],
      limits: { day: { max_cost: { amount: 0.000_001, currency: 'USD' } } },
    })
    await served.script([{ content: 'Too dear.', repeat: true }])
    const poor = clientOf(key).chat.completions.create({ model: 'yaa', messages: [user('Poor')] })
    await expect(poor).rejects.toMatchObject({ status: 429, type: 'insufficient_quota', code: 'budget_exhausted' })
    const streamed = await clientOf(key).chat.completions.create({
      model: 'yaa',
      messages: [user('Poorer')],
      stream: true,
    })
    await expect(textOf(streamed)).rejects.toMatchObject({ type: 'insufficient_quota', code: 'budget_exhausted' })
  })
})

describe('a client that goes away', () => {
  const held = { content: 'The whole answer.', hold_after: 2, chunks: 4 }

  test('stops no run, and the same request joins it, in either form', async ({ expect }) => {
    await served.script([held])
    const before = asked()
    const gone = new AbortController()
    const request = { model: 'yaa', messages: [user('Goes away')], stream: true as const }
    const { data, response } = await openai.chat.completions.create(request, { signal: gone.signal }).withResponse()
    for await (const chunk of data) if (chunk.choices[0]?.delta.content) break
    gone.abort()
    const again = openai.chat.completions.create({ ...request, stream: false }).withResponse()
    const streamed = await openai.chat.completions.create(request).withResponse()
    const text = textOf(streamed.data)
    await served.release()
    const { data: whole, response: other } = await again
    expect(whole.choices[0]?.message.content).toBe('The whole answer.')
    expect(await text).toBe('The whole answer.')
    const run = response.headers.get('x-yaa-run')
    expect([other, streamed.response].map(({ headers }) => headers.get('x-yaa-run'))).toEqual([run, run])
    expect(asked() - before).toBe(1)
  })

  test('gets the answer of a request that its SDK sends anew, once', async ({ expect }) => {
    await served.script([says('First.'), says('Second.')])
    const send = (retries: number) =>
      openai.chat.completions
        .create(
          { model: 'yaa', messages: [user('Retried')] },
          { headers: { 'x-stainless-retry-count': String(retries) } },
        )
        .withResponse()
    const first = await send(0)
    const retried = await send(1)
    expect(retried.data.choices).toEqual(first.data.choices)
    expect(retried.response.headers.get('x-yaa-run')).toBe(first.response.headers.get('x-yaa-run'))
    const { data } = await ask([user('Retried')])
    expect(data.choices[0]?.message.content).toBe('Second.')
  })

  test('finds the answer under its Idempotency-Key, and no other request does', async ({ expect }) => {
    await served.script([says('Keyed.')])
    const send = (words: string) =>
      openai.chat.completions
        .create({ model: 'yaa', messages: [user(words)] }, { headers: { 'idempotency-key': 'k-1' } })
        .withResponse()
    const first = await send('Keyed')
    const again = await send('Keyed')
    expect(again.response.headers.get('idempotent-replayed')).toBe('true')
    expect(again.response.headers.get('x-yaa-run')).toBe(first.response.headers.get('x-yaa-run'))
    await expect(send('Other')).rejects.toMatchObject({ status: 422, code: 'idempotency_key_reused' })
  })
})

describe('a server that is killed in the middle of a stream', () => {
  test('goes on with the run, which the same request joins', async ({ expect }) => {
    const visit = calls('web_access', { url: `${served.site.url}/a` })
    await served.script([visit, { content: 'Cut by a kill.', hold_after: 2 }, says('The answer after the kill.')])
    const messages = [user('Killed')]
    const before = asked()
    const first = await openai.chat.completions.create({ model: 'yaa', messages, stream: true }).withResponse()
    const reading = textOf(first.data)
    const broken = expect(reading).rejects.toThrow(/./)
    await expect.poll(() => asked() - before).toBe(2)
    await served.restart()
    await broken
    const second = await openai.chat.completions.create({ model: 'yaa', messages }).withResponse()
    expect(second.data.choices[0]?.message.content).toBe('The answer after the kill.')
    expect(second.response.headers.get('x-yaa-run')).toBe(first.response.headers.get('x-yaa-run'))
    expect(served.site.hits.filter((hit) => hit === '/a')).toHaveLength(1)
  })
})
