import { describe, test } from 'vitest'
import { isMarked, newKeyText, prefixOfKey, shownKey } from '../../../src/access/marks.ts'
import { TEST_SECRET } from '../../support/test-secret.ts'

const SECRET = '0123456789abcdefghjkmnpqrstvwxyz01234567'

describe('the text of a key', () => {
  test.for(['default', 'a', '0', 'a_b', 'a-b_', 'yaa_', 'x'.repeat(63)])(
    'names its tenant: %s',
    async (tenant, { expect }) => {
      const text = await newKeyText(TEST_SECRET, tenant)
      const shown = shownKey(text)
      expect(shown?.tenant).toBe(tenant)
      expect(shown && (await isMarked(TEST_SECRET, 'key', shown))).toBe(true)
      expect(text).not.toBe(await newKeyText(TEST_SECRET, tenant))
      expect(prefixOfKey(text)).toBe(text.slice(0, `yaa_${tenant}_`.length + 6))
    },
  )

  test.for([
    '',
    'yaa_',
    `yaa__${SECRET}`,
    `yaa_${SECRET}`,
    `yaa_Default_${SECRET}`,
    `yaa_a:b_${SECRET}`,
    `yaa_${'x'.repeat(64)}_${SECRET}`,
    `yaa_default_${SECRET.toUpperCase()}`,
    `yaa_default_${SECRET.slice(1)}`,
    `yaa_default-${SECRET}`,
    `sk_default_${SECRET}`,
  ])('of another form leads nowhere: %s', (text, { expect }) => {
    expect(shownKey(text)).toBe(null)
  })

  test('is known again by its start, which is no use to anybody', ({ expect }) => {
    expect(prefixOfKey(`yaa_default_${SECRET}`)).toBe('yaa_default_012345')
  })
})
