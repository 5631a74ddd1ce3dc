import { afterEach, beforeEach, test, vi } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { openCounted, openRunStream } from '../../../src/service/limits.ts'

type Ports = Parameters<typeof openCounted>[0]

/** A tenant whose streams are bounded, with `free` places left; `asked` has what it was told. */
function world(free: number, quotas: Ports['config']['quotas'] = { streams_max: 3 }) {
  const clock = { now: 1_000_000 }
  const asked: string[] = []
  const place = { free }
  const tenant = {
    openConnection: async ({ kind, isAhead = false }: { kind: string; isAhead?: boolean }, max: number) => {
      asked.push(`${isAhead ? 'ahead' : 'open'} ${kind}, ${max}`)
      if (place.free === 0) return false
      place.free--
      return true
    },
    renewConnection: async () => void asked.push('renew'),
    closeConnection: async () => {
      asked.push('close')
      place.free++
    },
  }
  const report = (error: unknown) => {
    throw error
  }
  const now = () => clock.now
  const ports: Ports = { tenant: () => tenant, config: { quotas }, now, report, streamsAhead: new Map() }
  return { ports, asked, clock, place }
}

const stream = { kind: 'stream', session: 'ses_1' } as const

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A stream of a run, or another, that has a place. */
async function opened(opening: ReturnType<typeof openCounted>) {
  const done = await opening
  if (!done.ok || !done.value) throw new Error('a place was expected')
  return done.value
}

test('a stream has a place until it ends, and says now and then that it is there, though nobody reads it', async ({
  expect,
}) => {
  const { ports, asked } = world(1)
  const one = await opened(openCounted(ports, 't', stream))
  vi.advanceTimersByTime(2 * LIMITS.access.streamSignMs)
  await one.close()
  vi.advanceTimersByTime(2 * LIMITS.access.streamSignMs)
  expect(asked).toEqual(['open stream, 3', 'renew', 'renew', 'close'])
  expect(vi.getTimerCount()).toBe(0)
})

test('a socket says nothing: its session is asked', async ({ expect }) => {
  const { ports, asked } = world(1, { sockets_max: 3 })
  const one = await opened(openCounted(ports, 't', { kind: 'socket', session: 'ses_1' }))
  vi.advanceTimersByTime(2 * LIMITS.access.streamSignMs)
  await one.close()
  expect(asked).toEqual(['open socket, 3', 'close'])
})

test('where there is none the error says how many there may be, and when to come again', async ({ expect }) => {
  const { ports } = world(0, { sockets_max: 7 })
  expect(await openCounted(ports, 't', { kind: 'socket', session: 'ses_1' })).toEqual({
    ok: false,
    error: {
      code: 'rate_limited',
      what: 'sockets of a tenant that are open at once',
      max: 7,
      retryAfterMs: LIMITS.access.runRetryMs,
    },
  })
  expect(await openCounted(ports, 't', stream)).toEqual({ ok: true, value: null })
})

test('a run with a stream has a place before it begins, or does not begin', async ({ expect }) => {
  const { ports } = world(1, { streams_max: 1 })
  const first = await opened(openRunStream(ports, 't'))
  const refused = { ok: false, error: { code: 'rate_limited', max: 1 } }
  expect(await openRunStream(ports, 't')).toMatchObject(refused)
  expect(await openRunStream(ports, 't')).toMatchObject(refused)
  await first.close()
  expect(await openRunStream(ports, 't')).toMatchObject({ ok: true })
})

test('the next one uses the place that was taken ahead, and asks nobody before it begins', async ({ expect }) => {
  const { ports, asked } = world(5, { streams_max: 7 })
  await opened(openRunStream(ports, 't'))
  expect(asked.splice(0)).toEqual(['open stream, 7', 'ahead stream, 3'])
  await opened(openRunStream(ports, 't'))
  expect(asked.splice(0)).toEqual(['renew', 'ahead stream, 3'])
  await opened(openCounted(ports, 't', stream))
  await opened(openCounted(ports, 't', stream))
  expect(asked).toEqual(['renew', 'open stream, 7'])
  await opened(openRunStream(ports, 'another'))
  expect(asked.slice(2)).toEqual(['open stream, 7', 'ahead stream, 3'])
})

test('a place that was taken ahead is not used when it may have lapsed', async ({ expect }) => {
  const { ports, asked, clock } = world(5, { streams_max: 7 })
  await opened(openRunStream(ports, 't'))
  clock.now += LIMITS.access.streamHeardMs
  await opened(openRunStream(ports, 't'))
  expect(asked).toEqual(['open stream, 7', 'ahead stream, 3', 'open stream, 7', 'ahead stream, 3'])
})

test('without a quota nobody is asked', async ({ expect }) => {
  const { ports, asked } = world(0, {})
  expect(await openCounted(ports, 't', stream)).toEqual({ ok: true, value: null })
  expect(await openRunStream(ports, 't')).toEqual({ ok: true, value: null })
  expect(asked).toEqual([])
})
