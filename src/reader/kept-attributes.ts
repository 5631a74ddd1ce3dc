import { isNamed } from './tags.ts'

const KEPT_ATTRIBUTES: readonly string[] = (
  'href src alt title class id role hidden aria-hidden style lang datetime rel property name content itemprop ' +
  'http-equiv type data-src data-original data-lazy-src colspan rowspan start data-lang data-language alttext'
).split(' ')

/** Kept attributes by their length, so that most names are told by it. */
const KEPT_BY_LENGTH: readonly (readonly string[])[] = Array.from({ length: 16 }, (_, length) =>
  KEPT_ATTRIBUTES.filter((name) => name.length === length),
)

const NONE: readonly string[] = []

/** The name of an attribute that is kept, else null. */
export function keptAttribute(html: string, start: number, end: number): string | null {
  for (const name of KEPT_BY_LENGTH[end - start] ?? NONE) {
    if ((html.charCodeAt(start) | 0x20) === name.charCodeAt(0) && isNamed(name, html, start, end)) return name
  }
  return null
}
