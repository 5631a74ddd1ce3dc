import { describe, test } from 'vitest'
import { Seal } from '../../../src/lib/seal.ts'

const [one, other] = ['a key of thirty-two characters or more', 'another key of thirty-two characters or more']

describe('a sealed text', () => {
  test('opens by its key for what it is about, and is never the same twice', async ({ expect }) => {
    const seal = new Seal([one])
    const [first, second] = await Promise.all([seal.seal('sesame', 'a'), seal.seal('sesame', 'a')])
    expect(await seal.open(first, 'a')).toBe('sesame')
    expect(first).not.toBe(second)
    expect(first).not.toContain('sesame')
  })

  test('does not open for anything else, changed, or by another key', async ({ expect }) => {
    const seal = new Seal([one])
    const sealed = await seal.seal('sesame', 'a')
    expect(await seal.open(sealed, 'b')).toBeNull()
    expect(await new Seal([other]).open(sealed, 'a')).toBeNull()
    const [form, id, iv, body = ''] = sealed.split('.')
    const changed = [form, id, iv, `${body.startsWith('A') ? 'B' : 'A'}${body.slice(1)}`].join('.')
    expect(await seal.open(changed, 'a')).toBeNull()
    for (const text of ['', 'v1', 'v2.x.y.z', '....']) expect(await seal.open(text, 'a')).toBeNull()
  })

  test('opens after the key was changed, while the key of before is known', async ({ expect }) => {
    const sealed = await new Seal([one]).seal('sesame', 'a')
    expect(await new Seal([other, one]).open(sealed, 'a')).toBe('sesame')
    expect((await new Seal([other, one]).seal('x', 'a')).split('.')[1]).not.toBe(sealed.split('.')[1])
  })

  test('needs a key that cannot be guessed', ({ expect }) => {
    expect(() => new Seal(['short'])).toThrow('32 characters')
  })
})
