import { describe, test } from 'vitest'
import { newKeyText, prefixOfKey, tenantOfKey } from '../../../src/access/keys.ts'

const SECRET = '0123456789abcdefghjkmnpqrstvwxyz01234567'

describe('the text of a key', () => {
  test.for(['default', 'a', '0', 'a_b', 'a-b_', 'yaa_', 'x'.repeat(63)])(
    'names its tenant: %s',
    (tenant, { expect }) => {
      const text = newKeyText(tenant)
      expect(tenantOfKey(text)).toBe(tenant)
      expect(text).not.toBe(newKeyText(tenant))
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
    expect(tenantOfKey(text)).toBe(null)
  })

  test('is known again by its start, which is no use to anybody', ({ expect }) => {
    expect(prefixOfKey(`yaa_default_${SECRET}`)).toBe('yaa_default_012345')
  })
})
