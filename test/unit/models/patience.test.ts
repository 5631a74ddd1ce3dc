import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { type MockModel, startScriptedModel } from '../../support/scripted-model.ts'
import { failureIn, replyOf, specFor, tryCall } from './call.ts'

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

const chunk = (delta: unknown, finish: string | null = null) => ({ choices: [{ delta, finish_reason: finish }] })

describe('calls that take too long', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
  afterEach(() => void vi.useRealTimers())
  const pass = () => void vi.advanceTimersByTime(100)
  const twice = { timeout_ms: 100, retry: { times: 1, delay_ms: 1 } }

  test('before the headers are over each after its time-out', async ({ expect }) => {
    const server = await startScriptedModel({ script: [{ hang: true, repeat: true }], onRequest: pass })
    open.push(server)
    const trial = await tryCall(specFor(server.url, twice))
    expect(failureIn(trial)).toMatchObject({ code: 'model_timeout', retryable: true, status: null })
    expect(failureIn(trial).detail).toContain('100 ms')
    expect(server.requests).toHaveLength(2)
  })

  test('within the body, too', async ({ expect }) => {
    const { url, requests } = await play({ hang: 'body', repeat: true })
    const passing = async (...asked: Parameters<typeof fetch>) => {
      const response = await fetch(...asked)
      setImmediate(pass)
      return response
    }
    const trial = await tryCall(specFor(url, twice), {}, { fetchFor: () => passing })
    expect(failureIn(trial)).toMatchObject({ code: 'model_timeout', retryable: true, status: null })
    expect(requests).toHaveLength(2)
  })

  test('after the finish_reason of a stream have their whole reply', async ({ expect }) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(chunk({ content: '全' }, 'stop'))}\n\n`)
    })
    const trial = await tryCall(specFor(url, twice), {}, { onDelta: () => void setImmediate(pass) })
    expect(replyOf(trial).content).toBe('全')
  })

  test('are over after their time-out though the clock is set back meanwhile', async ({ expect }) => {
    const setBack = () => {
      vi.setSystemTime(Date.now() - 3_600_000)
      pass()
    }
    const server = await startScriptedModel({ script: [{ hang: true, repeat: true }], onRequest: setBack })
    open.push(server)
    const trial = await tryCall(specFor(server.url, { ...twice, retry: { times: 0, delay_ms: 1 } }))
    expect(failureIn(trial)).toMatchObject({ code: 'model_timeout' })
  })

  test('are made once more, however many retries there are', async ({ expect }) => {
    const server = await startScriptedModel({ script: [{ hang: true, repeat: true }], onRequest: pass })
    open.push(server)
    const trial = await tryCall(specFor(server.url, { ...twice, retry: { times: 5, delay_ms: 1 } }))
    expect(failureIn(trial).code).toBe('model_timeout')
    expect(server.requests).toHaveLength(2)
  })

  test('in the middle of a stream are not made again', async ({ expect }) => {
    const { url, requests } = await play({ content: 'xx', chunks: 2, hold_after: 2, repeat: true })
    const trial = await tryCall(specFor(url, twice), {}, { onDelta: pass })
    expect(failureIn(trial)).toMatchObject({ code: 'model_timeout', retryable: true, status: null })
    expect([trial.told.content, requests.length]).toEqual(['x', 1])
  })
})

describe('without timeout_ms', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
  afterEach(() => void vi.useRealTimers())
  const patient = { first_byte_timeout_ms: 300, idle_timeout_ms: 100, retry: { times: 0 } }
  const events = { 'content-type': 'text/event-stream' }
  const wrote = (response: ServerResponse, text: string) =>
    new Promise<void>((resolve) => response.write(text, () => resolve()))

  /** A fetch that says when the first byte, and each after it, was read. */
  const reading =
    (onRead: (count: number) => void) =>
    async (...asked: Parameters<typeof fetch>) => {
      const response = await fetch(...asked)
      let count = 0
      const body = response.body?.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform: (bytes, controller) => {
            controller.enqueue(bytes)
            setImmediate(() => onRead(++count))
          },
        }),
      )
      return new Response(body ?? null, response)
    }

  test('a call that goes silent behind a late first byte is over after the shorter wait', async ({ expect }) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      vi.advanceTimersByTime(250)
      response.write(`data: ${JSON.stringify(chunk({ content: 'a' }))}\n\n`)
    })
    const silent = () => void setImmediate(() => vi.advanceTimersByTime(400))
    const limits = { first_byte_timeout_ms: 60_000, idle_timeout_ms: 200, retry: { times: 0, delay_ms: 1 } }
    const trial = await tryCall(specFor(url, limits), {}, { onDelta: silent })
    expect(failureIn(trial)).toMatchObject({ code: 'model_timeout' })
    expect(failureIn(trial).detail).toContain('200 ms')
  })

  test('a call lives as long as bytes come, be they comments of the stream', async ({ expect }) => {
    let answering: ServerResponse | null = null
    const url = await serve((_, response) => {
      answering = response.writeHead(200, events)
      vi.advanceTimersByTime(299)
      void wrote(response, ': reading\n\n')
    })
    const goOn = (count: number) => {
      vi.advanceTimersByTime(99)
      if (!answering) return
      if (count < 5) void wrote(answering, ': reading\n\n')
      else answering.end(`data: ${JSON.stringify(chunk({ content: '好' }, 'stop'))}\n\n`)
    }
    const trial = await tryCall(specFor(url, patient), {}, { fetchFor: () => reading(goOn) })
    expect(replyOf(trial).content).toBe('好')
  })

  test('a call that sends no first byte is over, and one that sends no other', async ({ expect }) => {
    const silent = await serve(() => setImmediate(() => vi.advanceTimersByTime(300)))
    const first = failureIn(await tryCall(specFor(silent, patient)))
    expect(first).toMatchObject({ code: 'model_timeout', detail: expect.stringContaining('300 ms') })
    const stuck = await serve((_, response) => void wrote(response.writeHead(200, events), ': reading\n\n'))
    const idle = () => void vi.advanceTimersByTime(100)
    const second = failureIn(await tryCall(specFor(stuck, patient), {}, { fetchFor: () => reading(idle) }))
    expect(second).toMatchObject({ code: 'model_timeout', detail: expect.stringContaining('100 ms') })
  })

  test('a clock that is set back gives a silent call no more than one such wait', async ({ expect }) => {
    const url = await serve((_, response) => void wrote(response.writeHead(200, events), ': reading\n\n'))
    const setBack = () => {
      vi.setSystemTime(Date.now() - 3_600_000)
      vi.advanceTimersByTime(201)
    }
    const spec = specFor(url, { ...patient, timeout_ms: 201 })
    const failure = failureIn(await tryCall(spec, {}, { fetchFor: () => reading(setBack) }))
    expect(failure).toMatchObject({ code: 'model_timeout', detail: expect.stringContaining('idle_timeout_ms') })
  })
})
