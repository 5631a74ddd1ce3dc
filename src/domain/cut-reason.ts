const CUT_REASONS: ReadonlySet<string> = new Set(['length', 'max_tokens', 'MAX_TOKENS'])

/** Whether a service says that a reply was longer than it was allowed to be. */
export function isCutReason(reason: string | null | undefined): boolean {
  return CUT_REASONS.has(reason ?? '')
}
