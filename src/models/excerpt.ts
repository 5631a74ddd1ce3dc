import { LIMITS } from '../domain/limits.ts'

const SECRET_CHARS_MIN = 4

/** The start of a foreign text, fit to be shown: tags and control characters out, white space as single spaces, secrets
 *  as `***`, at most `LIMITS.model.errorExcerptChars` UTF-16 units. Linear in the length of the text. */
export function excerptOf(text: string, secrets: readonly (string | null)[]): string {
  const plain = text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return cut(mask(plain, secrets), LIMITS.model.errorExcerptChars)
}

function mask(text: string, secrets: readonly (string | null)[]): string {
  return secrets.reduce<string>(
    (masked, secret) =>
      secret !== null && secret.length >= SECRET_CHARS_MIN ? masked.replaceAll(secret, '***') : masked,
    text,
  )
}

/** Never ends in half of a surrogate pair. */
function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  return `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
