import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { resumed } from '../../../src/client/events.ts'
import { CLIENT_LIMITS } from '../../../src/domain/client-limits.ts'

const SILENCE_MS = CLIENT_LIMITS.silenceMsMax

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A stream of events, and what goes on with it when it breaks off. */
function opened() {
  let tell: (seq: number) => void = () => {}
  const again: string[] = []
  const answer = () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        tell = (seq) =>
          controller.enqueue(new TextEncoder().encode(`id: ${seq}\ndata: ${JSON.stringify({ type: 'x', seq })}\n\n`))
      },
    })
    return new Response(body)
  }
  const events = resumed({
    first: answer(),
    after: '0',
    again: (id) => {
      again.push(id)
      return Promise.resolve(answer())
    },
    isLast: () => false,
    mayEndAt: () => false,
    sleep: () => Promise.resolve(),
    server: 'here',
  })
  return { events, again, tell: (seq: number) => tell(seq) }
}

test('a stream that is silent for too long is taken up again behind its last event', async () => {
  const { events, again, tell } = opened()
  tell(1)
  expect((await events.next()).value).toMatchObject({ seq: 1 })
  const next = events.next()
  await vi.advanceTimersByTimeAsync(SILENCE_MS - 1)
  expect(again).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(again).toEqual(['1'])
  tell(2)
  expect((await next).value).toMatchObject({ seq: 2 })
})

test('nothing is silent while nobody listens', async () => {
  const { events, again, tell } = opened()
  tell(1)
  await events.next()
  await vi.advanceTimersByTimeAsync(3 * SILENCE_MS)
  const next = events.next()
  await vi.advanceTimersByTimeAsync(SILENCE_MS / 2)
  tell(2)
  expect((await next).value).toMatchObject({ seq: 2 })
  expect(again).toEqual([])
  await events.return(undefined)
  expect(vi.getTimerCount()).toBe(0)
})

test('a stream of many events sets one timer, and is silent since the last of them', async () => {
  const { events, again, tell } = opened()
  const timers = vi.spyOn(globalThis, 'setTimeout')
  for (let seq = 1; seq <= 100; seq++) {
    tell(seq)
    expect((await events.next()).value).toMatchObject({ seq })
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(timers.mock.calls.length).toBe(1)
  const next = events.next()
  await vi.advanceTimersByTimeAsync(SILENCE_MS - 1)
  expect(again).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(again).toEqual(['100'])
  tell(101)
  await next
  await events.return(undefined)
})
