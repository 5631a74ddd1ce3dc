import * as z from 'zod'

/** The places of an input that do not fit, with dotted paths; each unknown field has one of its own. */
export function issuesOf(error: z.ZodError, root = ''): { path: string; message: string }[] {
  return error.issues.flatMap((issue) => {
    const base = root === '' ? issue.path : [root, ...issue.path]
    if (issue.code !== 'unrecognized_keys') return [{ path: base.join('.'), message: issue.message }]
    return issue.keys.map((key) => ({ path: [...base, key].join('.'), message: 'unknown field' }))
  })
}

/** A text of this pattern, whose error and whose description say it in words. */
export function textLike(pattern: RegExp, words: string): z.ZodString {
  return z.string().regex(pattern, words).describe(words)
}
