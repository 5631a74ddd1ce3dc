import { describe, test } from 'vitest'
import { newSecretText, Secret } from '../../../src/lib/secret.ts'

const secret = new Secret('a secret of thirty-two characters')
const other = new Secret('a secret of thirty-two charactert')

/** The text with another character at each place in turn. */
function* changed(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++)
    yield `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`
}

describe('a secret', () => {
  test('has 32 characters at least', ({ expect }) => {
    expect(() => new Secret('x'.repeat(31))).toThrow('32 characters')
    expect(new Secret(newSecretText())).toBeInstanceOf(Secret)
    expect(newSecretText()).not.toBe(newSecretText())
  })

  test('is the key of an HMAC-SHA-256 over purpose and text', async ({ expect }) => {
    const { createHmac } = await import('node:crypto')
    const mac = createHmac('sha256', 'a secret of thirty-two characters').update('link\nlnk_1').digest()
    expect(Buffer.from(await secret.mac('link', 'lnk_1')).toString('hex')).toBe(mac.toString('hex'))
    expect(await secret.proof('link', 'lnk_1')).toBe(mac.toString('base64url'))
  })
})

describe('a mark', () => {
  test('is eight characters of the alphabet of ids', async ({ expect }) => {
    expect(await secret.mark('key', 'yaa_default_x')).toMatch(/^[0-9a-hjkmnp-tv-z]{8}$/)
  })

  test('is known again for its purpose, text and secret, and for no other', async ({ expect }) => {
    const mark = await secret.mark('key', 'one')
    expect(await secret.isMark('key', 'one', mark)).toBe(true)
    expect(await secret.isMark('link', 'one', mark)).toBe(false)
    expect(await secret.isMark('key', 'two', mark)).toBe(false)
    expect(await other.isMark('key', 'one', mark)).toBe(false)
    for (const wrong of [...changed(mark), '', mark.slice(1), `${mark}0`, mark.toUpperCase().repeat(2)])
      expect(await secret.isMark('key', 'one', wrong)).toBe(false)
  })
})

describe('a proof', () => {
  test('is known again for its purpose, text and secret, and for no other', async ({ expect }) => {
    const proof = await secret.proof('pending', 'one')
    expect(proof).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(await secret.isProof('pending', 'one', proof)).toBe(true)
    expect(await secret.isProof('link', 'one', proof)).toBe(false)
    expect(await secret.isProof('pending', 'two', proof)).toBe(false)
    expect(await other.isProof('pending', 'one', proof)).toBe(false)
    for (const wrong of [...changed(proof.slice(0, -1)), '', proof.slice(1), 'no base64!'])
      expect(await secret.isProof('pending', 'one', wrong)).toBe(false)
  })

  test('is no other text, of the same bytes either', async ({ expect }) => {
    const proof = await secret.proof('pending', 'one')
    const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const others = base64url
      .split('')
      .map((last) => proof.slice(0, -1) + last)
      .filter((one) => one !== proof)
    for (const wrong of [...others, `${proof}=`]) expect(await secret.isProof('pending', 'one', wrong)).toBe(false)
  })
})
