import * as z from 'zod'

/** A text of this pattern, whose error and whose description say it in words. */
export function textLike(pattern: RegExp, words: string): z.ZodString {
  return z.string().regex(pattern, words).describe(words)
}
