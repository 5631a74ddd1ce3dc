import { tenantName } from '../domain/access.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const SECRET_CHARS = 40
const SHOWN_CHARS = 6

/** The text of a new key: `yaa_TENANT_` and 200 random bits. It names its tenant, so that no list of all keys is needed. */
export function newKeyText(tenant: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_CHARS))
  return `yaa_${tenant}_${Array.from(bytes, (byte) => ALPHABET[byte & 31]).join('')}`
}

/** The tenant that a text names which has the form of a made key; null: it has another. */
export function tenantOfKey(text: string): string | null {
  const end = text.length - SECRET_CHARS - 1
  if (!text.startsWith('yaa_') || text[end] !== '_' || !/^[0-9a-z]+$/.test(text.slice(end + 1))) return null
  const parsed = tenantName.safeParse(text.slice(4, end))
  return parsed.success ? parsed.data : null
}

/** The start of a key's text, by which people know it again. */
export function prefixOfKey(text: string): string {
  return text.slice(0, text.length - SECRET_CHARS + SHOWN_CHARS)
}
