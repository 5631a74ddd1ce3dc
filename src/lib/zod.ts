import * as z from 'zod'

/** The places of an input that do not fit, with dotted paths; each unknown field has one of its own. */
export function issuesOf(error: z.ZodError, root = ''): { path: string; message: string }[] {
  return error.issues.flatMap((issue) => {
    const base = root === '' ? issue.path : [root, ...issue.path]
    const meant = issue.code === 'invalid_union' ? meantBranch(issue.errors) : null
    if (meant) return issuesOf(new z.ZodError(meant), base.join('.'))
    if (issue.code !== 'unrecognized_keys') return [{ path: base.join('.'), message: issue.message }]
    return issue.keys.map((key) => ({ path: [...base, key].join('.'), message: 'unknown field' }))
  })
}

/** A value that fits its schema, or the places where it does not. */
export type CheckedValue<T> = { ok: true; value: T } | { ok: false; issues: { path: string; message: string }[] }

/** zod compares the `length` of whatever it is given with its bounds, and throws where that is nothing to compare. */
export function checkedBy<T extends z.ZodType>(schema: T, value: unknown): CheckedValue<z.output<T>> {
  try {
    const parsed = schema.safeParse(value)
    return parsed.success ? { ok: true, value: parsed.data } : { ok: false, issues: issuesOf(parsed.error) }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { ok: false, issues: [{ path: '', message: 'a field has a wrong type' }] }
  }
}

/** What is wrong with the only form of several that a value has the type of; null: it has that of none, or of more than one. */
function meantBranch(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | null {
  const isMeant = (issues: readonly z.core.$ZodIssue[]) =>
    !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0)
  const [meant, ...others] = branches.filter(isMeant)
  return meant && others.length === 0 && branches.length > 1 ? meant : null
}

/** A text of this pattern, whose error and whose description say it in words. */
export function textLike(pattern: RegExp, words: string): z.ZodString {
  return z.string().regex(pattern, words).describe(words)
}
