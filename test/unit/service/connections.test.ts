import { test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { countStream, openCounted, overStreams } from '../../../src/service/limits.ts'

type Ports = Parameters<typeof openCounted>[0]

/** A tenant whose streams are bounded, with `free` places left; `asked` has what it was told. */
function world(free: number, quotas: Ports['config']['quotas'] = { streams_max: 3 }) {
  const clock = { now: 1_000_000 }
  const asked: string[] = []
  const place = { free }
  const tenant = {
    openConnection: async ({ id, kind }: { id: string; kind: string }) => {
      asked.push(`open ${kind} ${id.slice(0, 4)}`)
      return place.free-- > 0
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
  const ports: Ports = { tenant: () => tenant, config: { quotas }, now, report, streamsFull: new Map() }
  return { ports, asked, clock, place }
}

const stream = { kind: 'stream', session: 'ses_1' } as const

test('a stream has a place until it ends, and says now and then that it is there', async ({ expect }) => {
  const { ports, asked, clock } = world(1)
  const opened = await openCounted(ports, 't', stream)
  if (!opened.ok || !opened.value) throw new Error('a place was expected')
  opened.value.renew()
  clock.now += LIMITS.access.streamSignMs
  opened.value.renew()
  opened.value.renew()
  await opened.value.close()
  expect(asked).toEqual(['open stream con_', 'renew', 'close'])
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

test('a run with a stream waits for nobody; once there were too many, the next begin nothing for a moment', async ({
  expect,
}) => {
  const { ports, asked, clock } = world(1)
  const first = countStream(ports, 't', 'ses_1')
  const second = countStream(ports, 't', 'ses_2')
  expect(overStreams(ports, 't')).toBeNull()
  await second?.close()
  expect(overStreams(ports, 't')).toMatchObject({ code: 'rate_limited', max: 3 })
  expect(overStreams(ports, 'another')).toBeNull()
  await first?.close()
  expect(asked).toEqual(['open stream con_', 'open stream con_', 'close'])
  clock.now += LIMITS.access.fullKeptMs
  expect(overStreams(ports, 't')).toBeNull()
})

test('without a quota nobody is asked', async ({ expect }) => {
  const { ports, asked } = world(0, {})
  expect(await openCounted(ports, 't', stream)).toEqual({ ok: true, value: null })
  expect([countStream(ports, 't', null), overStreams(ports, 't')]).toEqual([null, null])
  expect(asked).toEqual([])
})
