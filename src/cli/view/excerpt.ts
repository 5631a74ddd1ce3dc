import { visible } from './visible.ts'

const CHARS_MAX = 160

/** The start of a text on one line. */
export function excerpt(text: string, charsMax: number = CHARS_MAX): string {
  const flat = visible(text.slice(0, charsMax * 4)).trim()
  return flat.length > charsMax ? `${flat.slice(0, charsMax)}…` : flat
}
