import { test } from 'vitest'
import { whileValid } from '../../../src/lib/streams.ts'

const EVERY_MS = 1_000

/** What a reader gets of chunks that come at these times, by a key that is revoked at one of them. */
async function readUntil(revokedAt: number, times: readonly number[], last?: Uint8Array) {
  let now = 0
  const looks: number[] = []
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const time of times) controller.enqueue(Uint8Array.of(time / EVERY_MS))
      controller.close()
    },
  })
  const timed = source.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>(
      {
        transform: (chunk, controller) => {
          now = (chunk[0] ?? 0) * EVERY_MS
          controller.enqueue(chunk)
        },
      },
      { highWaterMark: 1 },
      { highWaterMark: 0 },
    ),
  )
  const isValid = async () => {
    looks.push(now / EVERY_MS)
    return now < revokedAt
  }
  const read: number[] = []
  for await (const chunk of whileValid(timed, { isValid, now: () => now, everyMs: EVERY_MS, last })) read.push(...chunk)
  return { read, looks }
}

test('a stream is told to its end while its key is valid', async ({ expect }) => {
  expect((await readUntil(Infinity, [0, 1_000, 2_000, 3_000])).read).toEqual([0, 1, 2, 3])
})

test('a stream ends before the first chunk that comes after its key was revoked', async ({ expect }) => {
  expect((await readUntil(2_000, [0, 1_000, 2_000, 3_000])).read).toEqual([0, 1])
  expect((await readUntil(2_000, [0, 1_000, 2_000, 3_000], Uint8Array.of(9))).read).toEqual([0, 1, 9])
})

test('a key is looked at again where the clock is set back', async ({ expect }) => {
  expect((await readUntil(Infinity, [5_000, 3_000, 3_000])).looks).toEqual([5, 3])
})

test('a key is looked at once for all chunks of a while', async ({ expect }) => {
  expect((await readUntil(Infinity, [0, 0, 1_000, 1_000, 1_000, 2_000])).looks).toEqual([1, 2])
})
