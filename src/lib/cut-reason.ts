/** Whether a service says that a reply was longer than it was allowed to be. */
export function isCutReason(reason: string | null | undefined): boolean {
  return /^(?:length|max_tokens)$/i.test(reason ?? '')
}
