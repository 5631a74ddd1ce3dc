import { describe, test } from 'vitest'
import { maskedStream } from '../../../src/lib/masked-stream.ts'
import { MaskedText } from '../../../src/lib/masked-text.ts'

const SECRET = 'tok-tok-token'

/** What is passed on of a text that comes in chunks of so many bytes. */
async function passed(text: string, bytes: number): Promise<string> {
  const all = new TextEncoder().encode(text)
  const chunks = Array.from({ length: Math.ceil(all.length / bytes) }, (_, at) =>
    all.slice(at * bytes, (at + 1) * bytes),
  )
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  return new Response(maskedStream(body, SECRET)).text()
}

describe('a stream without its secret', () => {
  for (const bytes of [1, 2, 3, 5, 7, 64])
    test(`says everything else, in chunks of ${bytes} bytes`, async ({ expect }) => {
      const text = `你好 tok-tok-tok-token, ${SECRET}${SECRET} tok-tok-toke 世界 tok-t`
      expect(await passed(text, bytes)).toBe('你好 tok-***, ****** tok-tok-toke 世界 tok-t')
    })

  test('passes on at once what cannot be the beginning of it', async ({ expect }) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const reader = maskedStream(readable, SECRET).getReader()
    const read = async () => new TextDecoder().decode((await reader.read()).value)
    void writer.write(new TextEncoder().encode('data: tok'))
    expect(await read()).toBe('data: ')
    void writer.write(new TextEncoder().encode('-tok-tango'))
    expect(await read()).toBe('tok-tok-tango')
    void writer.close()
  })
})

describe('a text without its secrets', () => {
  for (const units of [1, 2, 3, 5, 7, 64])
    test(`says everything else, in pieces of ${units} characters`, ({ expect }) => {
      const text = `你好 tok-tok-tok-token, ${SECRET}${SECRET} other-secret tok-tok-toke 世界 tok-t`
      const masked = new MaskedText([SECRET, 'other-secret'])
      const pieces = Array.from({ length: Math.ceil(text.length / units) }, (_, at) =>
        masked.next(text.slice(at * units, (at + 1) * units)),
      )
      expect(pieces.join('') + masked.end()).toBe('你好 tok-***, ****** *** tok-tok-toke 世界 tok-t')
    })

  test('is told at once but for what may be the beginning of one', ({ expect }) => {
    const masked = new MaskedText([SECRET])
    expect([masked.next('data: tok'), masked.next('-tok-tango'), masked.end()]).toEqual(['data: ', 'tok-tok-tango', ''])
  })
})
