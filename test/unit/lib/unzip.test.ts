import { deflateSync, type FlateStreamHandler, zipSync } from 'fflate'
import { beforeEach, describe, test, vi } from 'vitest'
import { zipEntries } from '../../../src/lib/unzip.ts'

const SAID = 512 * 1_024

/** A zip of one entry, whose directory says that it unpacks to so many bytes. */
function zipSaying(bytes: Uint8Array, size: number): Uint8Array {
  const zip = zipSync({ a: bytes })
  const view = new DataView(zip.buffer)
  view.setUint32(view.getUint32(zip.length - 6, true) + 24, size, true)
  return zip
}

const readFirst = async (zip: Uint8Array) => zipEntries(zip, 10)?.[0]?.read()

/** How many bytes each push into an `Inflate` came to, unpacked. */
const given = vi.hoisted((): number[] => [])
vi.mock('../../../src/lib/deflate.ts', async (importOriginal) => {
  const deflate = await importOriginal<typeof import('../../../src/lib/deflate.ts')>()
  class CountedInflate extends deflate.Inflate {
    constructor(ondata: FlateStreamHandler) {
      super((part, isLast) => {
        given.push(part.length)
        ondata(part, isLast)
      })
    }
  }
  return { ...deflate, Inflate: CountedInflate }
})
beforeEach(() => given.splice(0))

describe('an entry of a zip', () => {
  test('that unpacks to more than was said is left within one push', async ({ expect }) => {
    const zip = zipSaying(new Uint8Array(50_000_000), SAID)
    expect(await readFirst(zip)).toBeNull()
    const total = given.reduce((sum, length) => sum + length, 0)
    expect(total).toBeGreaterThan(SAID)
    expect(total - (given.at(-1) ?? 0)).toBeLessThanOrEqual(SAID)
    expect(Math.max(...given)).toBeLessThan(5_000_000)
  })

  test('that is packed into far more than it says is not unpacked', async ({ expect }) => {
    const noise = Uint8Array.from({ length: 5_000 }, (_, index) => (index * index * 7 + (index >> 3)) % 251)
    expect(deflateSync(noise).length).toBeGreaterThan(300)
    expect(await readFirst(zipSaying(noise, 100))).toBeNull()
    expect(given).toEqual([])
  })

  test('is what was packed, over many pushes', async ({ expect }) => {
    let state = 1
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => {
      state = (state * 48_271) % 2_147_483_647
      return index % 50_000 < 20_000 ? state & 255 : index & 15
    })
    const read = await readFirst(zipSync({ a: bytes }))
    expect(read && Buffer.compare(read, bytes)).toBe(0)
    expect(given.length).toBeGreaterThan(20)
    expect(await readFirst(zipSync({ a: new Uint8Array(0) }))).toEqual(new Uint8Array(0))
  })

  test('that is less than was said is refused', async ({ expect }) => {
    expect(await readFirst(zipSaying(new Uint8Array(1_000), 1_001))).toBeNull()
  })
})
