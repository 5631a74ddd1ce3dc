import { describe, test } from 'vitest'
import { contentInput } from '../../../src/domain/content-input.ts'

/** The bytes of a file at a `data:` URL; null: it is refused. */
function bytesAt(url: string): number[] | null {
  const read = contentInput.safeParse([{ type: 'file', url }])
  const [part] = read.success && typeof read.data !== 'string' ? read.data : []
  return part && 'source' in part && part.source.from === 'bytes' ? [...part.source.bytes] : null
}

describe('a data: URL', () => {
  test.for([
    ['data:text/plain,a%20b', [97, 32, 98]],
    ['data:application/octet-stream,%FF%00%fe!', [255, 0, 254, 33]],
    ['data:text/plain;charset=utf-8,%E6%B0%B4', [230, 176, 180]],
    ['data:,水', [230, 176, 180]],
    ['data:image/gif;base64,R0lG', [71, 73, 70]],
    ['data:text/plain,100%', null],
    ['data:text/plain,%zz', null],
    ['data:text/plain,% 1', null],
  ] as const)('%s', ([url, bytes], { expect }) => {
    expect(bytesAt(url)).toEqual(bytes)
  })
})
