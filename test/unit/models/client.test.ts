import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { type MockModel, startScriptedModel } from '../../support/scripted-model.ts'
import { WEB_ACCESS, failureIn, replyOf, specFor, tryCall, wired } from './call.ts'

const open: (MockModel | { close(): Promise<void> })[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

async function play(...script: StepInput[]): Promise<MockModel> {
  const server = await startScriptedModel({ script })
  open.push(server)
  return server
}

/** A server that answers by hand; its base address. */
async function serve(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer({}, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/v1`
}

const sse = (...data: unknown[]): StepInput => ({
  headers: { 'content-type': 'text/event-stream' },
  body: data.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`).join(''),
})
const chunk = (delta: unknown, finish: string | null = null) => ({ choices: [{ delta, finish_reason: finish }] })

describe('what is sent', () => {
  test('a request names model, messages, bound, stream and usage, and no tools when there are none', async ({
    expect,
  }) => {
    const { url, requests } = await play('好')
    await tryCall(specFor(url, { max_tokens: 77 }))
    expect(requests[0]?.body).toEqual({
      model: 'test-model',
      messages: [{ role: 'user', content: '你好' }],
      max_tokens: 77,
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(requests[0]?.headers['authorization']).toBeUndefined()
  })

  test('key, temperature and tools are sent when there are any, and a slash at the end of the base is not doubled', async ({
    expect,
  }) => {
    const { url, requests } = await play('好')
    await tryCall(specFor(`${url}//`, { api_key: 'sk-1', temperature: 0, stream: false }), { tools: [WEB_ACCESS] })
    expect(requests[0]).toMatchObject({ path: '/v1/chat/completions', headers: { authorization: 'Bearer sk-1' } })
    expect(requests[0]?.body).toMatchObject({ temperature: 0, stream: false, tools: [wired(WEB_ACCESS)] })
    expect(requests[0]?.body).not.toHaveProperty('stream_options')
  })

  test('reasoning_effort, extra_body and extra_headers are sent, and take nothing of what is ours', async ({
    expect,
  }) => {
    const { url, requests } = await play('好')
    const spec = specFor(url, {
      api_key: 'sk-1',
      reasoning_effort: 'low',
      extra_body: { top_k: 5, chat_template_kwargs: { enable_thinking: false } },
      extra_headers: { 'X-Title': 'yaa' },
    })
    const loud = {
      ...spec,
      extraBody: { ...spec.extraBody, model: 'dearer', messages: [], max_tokens: 1 },
      extraHeaders: { ...spec.extraHeaders, authorization: 'Bearer other', host: 'other.example' },
    }
    await tryCall(loud)
    expect(requests[0]?.body).toMatchObject({
      model: 'test-model',
      messages: [{}],
      max_tokens: 4_096,
      reasoning_effort: 'low',
      top_k: 5,
      chat_template_kwargs: { enable_thinking: false },
    })
    expect(requests[0]?.headers).toMatchObject({ 'x-title': 'yaa', authorization: 'Bearer sk-1' })
    expect(requests[0]?.headers['host']).toBe(new URL(url).host)
  })

  test('what a service repeats of a header is masked', async ({ expect }) => {
    const { url } = await play({ status: 400, body: { error: { message: 'bad X-Token tok-123456' } } })
    const failure = failureIn(await tryCall(specFor(url, { extra_headers: { 'x-token': 'tok-123456' } })))
    expect(failure.detail).toContain('bad X-Token ***')
  })

  test('a redirect is a failure, and the key is not carried on', async ({ expect }) => {
    const target = await play('好')
    const { url } = await play({ status: 307, headers: { location: `${target.url}/chat/completions` } })
    const trial = await tryCall(specFor(url, { api_key: 'sk-secret', retry: { times: 3 } }))
    expect(failureIn(trial)).toMatchObject({ code: 'model_rejected', status: 307, retryable: false })
    expect(target.requests).toEqual([])
  })

  test('an address that the guard refuses is its own class and is not tried again', async ({ expect }) => {
    const refused = Object.assign(new Error('http://10.0.0.1/ is private'), { name: 'AddressRefused' })
    const spec = specFor('http://10.0.0.1/v1', { retry: { times: 3 } })
    const trial = await tryCall(spec, {}, { fetchFor: () => () => Promise.reject(refused) })
    expect(failureIn(trial)).toMatchObject({ code: 'address_refused', retryable: false })
    expect(failureIn(trial).detail).not.toContain('10.0.0.1')
  })
})

describe('what is read', () => {
  test('JSON is taken when a stream was asked for, and told as a delta', async ({ expect }) => {
    const { url } = await play({ body: { choices: [{ message: { content: 'hi' } }] } })
    const trial = await tryCall(specFor(url))
    expect([replyOf(trial).content, trial.told.content]).toEqual(['hi', 'hi'])
  })

  test('of several replies the first is read, in whatever order they come', async ({ expect }) => {
    const piece = (index: number, content: string, finish: string | null = null) => ({
      choices: [{ index, delta: { content }, finish_reason: finish }],
    })
    const pieces = [piece(1, 'no'), piece(0, 'a '), piece(1, ' no', 'stop'), piece(0, 'word'), piece(0, '', 'stop')]
    const stream = await play(sse(...pieces))
    expect(replyOf(await tryCall(specFor(stream.url))).content).toBe('a word')
    const choices = [1, 0].map((index) => ({ index, message: { content: `reply ${index}` } }))
    const whole = await play({ body: { choices } })
    expect(replyOf(await tryCall(specFor(whole.url))).content).toBe('reply 0')
    const other = await play({ body: { choices: choices.slice(0, 1) } })
    expect(replyOf(await tryCall(specFor(other.url))).content).toBe('reply 1')
  })

  test('what a model says in the place of a content that it refuses is its reply', async ({ expect }) => {
    const refusal = 'I cannot help with that.'
    const whole = { choices: [{ message: { role: 'assistant', content: null, refusal }, finish_reason: 'stop' }] }
    const chunks = refusal.split('').map((sign) => ({ choices: [{ delta: { refusal: sign }, finish_reason: null }] }))
    const last = { choices: [{ delta: { refusal: null }, finish_reason: 'stop' }] }
    const events = [...chunks, last].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
    for (const body of [whole, events]) {
      const { url } = await play({ body })
      expect(replyOf(await tryCall(specFor(url))).content).toBe(refusal)
    }
  })

  test('events are taken when JSON was asked for, declared or not', async ({ expect }) => {
    const events = sse(chunk({ content: 'hi' }, 'stop'))
    const declared = await play(events)
    expect(replyOf(await tryCall(specFor(declared.url, { stream: false }))).content).toBe('hi')
    const { url } = await play({ ...(events as object), headers: { 'content-type': 'text/plain' } })
    expect(replyOf(await tryCall(specFor(url))).content).toBe('hi')
  })

  test('a stream that gave its finish_reason is whole without [DONE], even when it breaks then', async ({ expect }) => {
    const last = `data: ${JSON.stringify(chunk({ content: '全' }, 'stop'))}\n\n`
    const breaking = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(last, () => response.destroy())
    })
    expect(replyOf(await tryCall(specFor(breaking))).content).toBe('全')
  })

  test('a stream that stays open after [DONE] is not waited for, and is let go a moment later', async ({ expect }) => {
    const { promise: isClosed, resolve: closed } = Promise.withResolvers<'closed'>()
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(chunk({ content: 'ok' }))}\n\ndata: [DONE]\n\n`)
      response.once('close', () => closed('closed'))
    })
    const first = await Promise.race([tryCall(specFor(url)), isClosed])
    expect(first === 'closed' ? first : replyOf(first).content).toBe('ok')
    expect(await isClosed).toBe('closed')
  })

  test('what comes behind [DONE] is read, so that its connection serves the next call', async ({ expect }) => {
    const ports: (number | undefined)[] = []
    const url = await serve((request, response) => {
      ports.push(request.socket.remotePort)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(chunk({ content: 'ok' }))}\n\ndata: [DONE]\n\n`)
      setTimeout(() => response.end(': bye\n\n'), 10)
    })
    await tryCall(specFor(url))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(replyOf(await tryCall(specFor(url))).content).toBe('ok')
    expect(ports[1]).toBe(ports[0])
  })

  test('a last event without its blank line still counts', async ({ expect }) => {
    const { url } = await play({
      headers: { 'content-type': 'text/event-stream' },
      body: `data: ${JSON.stringify(chunk({ content: 'ok' }, 'stop'))}`,
    })
    expect(replyOf(await tryCall(specFor(url))).content).toBe('ok')
  })

  const CUT: [string, StepInput][] = [
    ['a closed stream without an end', sse(chunk({ content: 'par' }))],
    ['a broken connection', { content: 'partial words', stream_cut_after: 3 }],
    ['an empty stop in every chunk', sse(chunk({ content: 'par' }, ''))],
  ]
  test.for(CUT)('%s is a bad answer that may be tried again', async ([, step], { expect }) => {
    const { url } = await play(step)
    expect(failureIn(await tryCall(specFor(url)))).toMatchObject({
      code: 'model_bad_answer',
      status: 200,
      retryable: true,
    })
  })

  const BAD: [string, StepInput, string][] = [
    ['an error with 200', { body: { error: { message: 'no credit' } } }, 'no credit'],
    [
      'an error with 200 in a stream',
      { headers: { 'content-type': 'text/event-stream' }, body: '{"error":{"message":"no credit"}}' },
      'no credit',
    ],
    ['cut JSON', { body: '{"choices":[{"message":{"content":"h' }, 'is not JSON'],
    ['nothing', { body: '' }, 'is empty'],
    ['nothing in a stream', { headers: { 'content-type': 'text/event-stream' }, body: '' }, 'is empty'],
    ['no choices', { body: { choices: [] } }, 'is not a completion'],
    ['another JSON', { body: [1, 2] }, 'is not a completion'],
    ['an empty reply', { content: '', finish_reason: 'content_filter' }, 'stopped with "content_filter"'],
    ['white space', { content: ' \n ' }, 'is empty'],
    [
      'a call without a name',
      { body: { choices: [{ message: { tool_calls: [{ id: 'x', function: { arguments: '{}' } }] } }] } },
      'is empty',
    ],
  ]
  test.for(BAD)('%s is a bad answer with its status and what it said', async ([, step, says], { expect }) => {
    const { url } = await play(step)
    const failure = failureIn(await tryCall(specFor(url)))
    expect(failure).toMatchObject({ code: 'model_bad_answer', status: 200, retryable: true, toolsRefused: false })
    expect(failure.detail).toContain(says)
  })

  test('an excerpt holds no key, no control characters, and at most the limit', async ({ expect }) => {
    const key = 'sk-1234567890'
    const { url } = await play({ status: 500, body: `bad ${key}\u0000\u001b[31m\u202e${'x'.repeat(5_000)}` })
    const { detail } = failureIn(await tryCall(specFor(url, { api_key: key })))
    expect(detail).toContain('bad *** [31m xxx')
    expect(detail).not.toContain(key)
    expect(detail.length).toBeLessThan(LIMITS.model.errorExcerptChars + 60)
  })

  test('a reply that was cut in its thoughts says so, and is not asked for again', async ({ expect }) => {
    const { url } = await play({ content: '', reasoning: 'First I', finish_reason: 'length' })
    const trial = await tryCall(specFor(url, { max_tokens: 77, retry: { times: 3 } }))
    expect(failureIn(trial)).toMatchObject({ code: 'model_bad_answer', retryable: false })
    expect(failureIn(trial).detail).toContain('max_tokens (77)')
  })

  test('a reply over the size limit is cut off and not asked for again', async ({ expect }) => {
    const { url } = await play({ content: 'x'.repeat(LIMITS.model.replyCharsMax + 1) })
    const trial = await tryCall(specFor(url, { retry: { times: 3 } }))
    expect(failureIn(trial)).toMatchObject({ code: 'model_bad_answer', retryable: false })
    expect(failureIn(trial).detail).toContain(String(LIMITS.model.replyCharsMax))
  })

  test('an endless line is cut off at the size limit', async ({ expect }) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.write('data: ')
      response.on('drain', more)
      more()
    })
    expect(failureIn(await tryCall(specFor(url)))).toMatchObject({ code: 'model_bad_answer', retryable: false })
  })

  const ESTIMATED = { prompt_tokens: 6, completion_tokens: 2, cached_tokens: 0, reasoning_tokens: 0, estimated: true }
  const REPORTED = { ...ESTIMATED, prompt_tokens: 9, completion_tokens: 3, estimated: undefined }
  const USAGES: [string, object | null, object][] = [
    ['none', null, ESTIMATED],
    ['numbers below nothing', { prompt_tokens: -5, completion_tokens: -1 }, ESTIMATED],
    ['texts', { prompt_tokens: '9', completion_tokens: 'NaN' }, ESTIMATED],
    ['fractions', { prompt_tokens: 9.5, completion_tokens: 0.1 }, ESTIMATED],
    ['nothing for something', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, ESTIMATED],
    ['more than can be', { prompt_tokens: 1e15, completion_tokens: 1e300, total_tokens: 0 }, ESTIMATED],
    ['half of it', { prompt_tokens: -5, completion_tokens: 3 }, { ...ESTIMATED, completion_tokens: 3 }],
    ['all of it', { prompt_tokens: 9, completion_tokens: 3 }, REPORTED],
    [
      'more cached than there was',
      { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 1_000 } },
      { ...REPORTED, cached_tokens: 9 },
    ],
    [
      'broken details',
      { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: -1.5 } },
      REPORTED,
    ],
    [
      'reasoning that is in the total alone',
      { prompt_tokens: 9, completion_tokens: 1, total_tokens: 12, completion_tokens_details: { reasoning_tokens: 2 } },
      { ...REPORTED, reasoning_tokens: 2 },
    ],
  ]
  test.for(USAGES)('usage: %s', async ([, usage, counted], { expect }) => {
    const { url } = await play({ body: { choices: [{ message: { content: '你好' } }], usage } })
    expect({ estimated: undefined, ...replyOf(await tryCall(specFor(url))).usage }).toEqual(counted)
  })
})

describe('classes by status', () => {
  const CLASSES: [number, string, boolean][] = [
    [400, 'model_rejected', false],
    [401, 'model_unauthorized', false],
    [402, 'model_rejected', false],
    [403, 'model_unauthorized', false],
    [404, 'model_rejected', false],
    [408, 'model_unavailable', true],
    [409, 'model_unavailable', true],
    [413, 'model_overflow', false],
    [422, 'model_rejected', false],
    [425, 'model_unavailable', true],
    [429, 'model_rate_limited', true],
    [500, 'model_unavailable', true],
    [503, 'model_unavailable', true],
    [529, 'model_unavailable', true],
  ]
  test.for(CLASSES)('%i is %s, retryable: %s', async ([status, code, retryable], { expect }) => {
    const { url } = await play({ status })
    expect(failureIn(await tryCall(specFor(url)))).toMatchObject({ code, status, retryable, toolsRefused: false })
  })

  test('a 400 that speaks of tools refuses them only when there were some', async ({ expect }) => {
    const step = { status: 400, body: { error: { message: 'unknown field: tools' } } }
    const { url } = await play(step, step)
    expect(failureIn(await tryCall(specFor(url), { tools: [WEB_ACCESS] })).toolsRefused).toBe(true)
    expect(failureIn(await tryCall(specFor(url))).toolsRefused).toBe(false)
  })

  test('nobody listening is unreachable, without the address in its words', async ({ expect }) => {
    const server = await startScriptedModel({ script: [] })
    await server.close()
    const failure = failureIn(await tryCall(specFor(server.url)))
    expect(failure).toMatchObject({ code: 'model_unreachable', status: null, retryable: true })
    expect(failure.detail).toBe('The model service could not be reached (ECONNREFUSED).')
  })
})

describe('tries', () => {
  test('a failure that may pass is tried again after a jittered wait that doubles', async ({ expect }) => {
    const { url, requests } = await play({ status: 500 }, { status: 503 }, '好')
    const trial = await tryCall(specFor(url, { retry: { times: 3, delay_ms: 100 } }))
    expect(replyOf(trial).content).toBe('好')
    expect(trial.waits).toEqual([150, 300])
    expect(requests).toHaveLength(3)
  })

  test('after the last try the last failure is the outcome', async ({ expect }) => {
    const { url, requests } = await play({ status: 500, repeat: true })
    const trial = await tryCall(specFor(url, { retry: { times: 2, delay_ms: 10 } }))
    expect(failureIn(trial).code).toBe('model_unavailable')
    expect(requests).toHaveLength(3)
  })

  test('what will not pass is not tried again', async ({ expect }) => {
    const { url, requests } = await play({ status: 401 }, '好')
    await tryCall(specFor(url, { retry: { times: 3 } }))
    expect(requests).toHaveLength(1)
  })

  test('a longer Retry-After wins, in seconds and as a date', async ({ expect }) => {
    const { url } = await play(
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 429, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' } },
      { status: 429, headers: { 'retry-after': '0' } },
      '好',
    )
    const trial = await tryCall(specFor(url, { retry: { times: 3, delay_ms: 100 } }))
    expect(trial.waits).toEqual([7_000, 9_000, 600])
    expect(replyOf(trial).content).toBe('好')
  })

  test('a Retry-After over the cap is handed on at once', async ({ expect }) => {
    const { url, requests } = await play({ status: 429, headers: { 'retry-after': '31' } }, '好')
    const trial = await tryCall(specFor(url, { retry: { times: 3 } }))
    expect(failureIn(trial)).toMatchObject({ code: 'model_rate_limited', retryAfterMs: 31_000, retryable: true })
    expect([requests.length, trial.waits]).toEqual([1, []])
  })

  test('a call that has told a delta is never tried again', async ({ expect }) => {
    const { url, requests } = await play(sse(chunk({ content: 'half' })), '好')
    const trial = await tryCall(specFor(url, { retry: { times: 3 } }))
    expect(failureIn(trial).code).toBe('model_bad_answer')
    expect([requests.length, trial.told.content]).toEqual([1, 'half'])
  })

  test('a bad answer that told nothing is tried again', async ({ expect }) => {
    const { url } = await play(
      { body: '<html>' },
      { body: { choices: [{ message: { reasoning: 'mm', content: '' } }] } },
      '好',
    )
    const trial = await tryCall(specFor(url, { retry: { times: 3 } }))
    expect([replyOf(trial).content, trial.told.content, trial.told.reasoning]).toEqual(['好', '好', ''])
  })
})

describe('cancelling', () => {
  test('a call that is cancelled before it begins sends nothing', async ({ expect }) => {
    const { url, requests } = await play('好')
    const trial = await tryCall(specFor(url), {}, { signal: AbortSignal.abort() })
    expect(failureIn(trial)).toMatchObject({ code: 'model_cancelled', retryable: false })
    expect(requests).toEqual([])
    expect(trial.settled).toBeNull()
  })

  test('a call is cancelled in the middle of its stream', async ({ expect }) => {
    const { url } = await play({ content: 'xx', chunks: 2, hold_after: 2 })
    const cancel = new AbortController()
    const trial = await tryCall(specFor(url), {}, { signal: cancel.signal, onDelta: () => cancel.abort() })
    expect(failureIn(trial).code).toBe('model_cancelled')
    expect(trial.settled).toMatchObject({ failure: { code: 'model_cancelled' } })
  })

  test('a call is cancelled while it waits for its next try', async ({ expect }) => {
    const { url, requests } = await play({ status: 500 }, '好')
    const cancel = new AbortController()
    const sleep = (_ms: number, signal?: AbortSignal) => {
      cancel.abort()
      return Promise.reject(signal?.reason)
    }
    const trial = await tryCall(specFor(url, { retry: { times: 3 } }), {}, { signal: cancel.signal, sleep })
    expect(failureIn(trial).code).toBe('model_cancelled')
    expect(requests).toHaveLength(1)
    expect(trial.settled).toMatchObject({ failure: { code: 'model_unavailable' } })
  })
})
