/** Under which is counted what a subject of an issuer uses; no key has such a name. */
export function tokenAccount(issuer: string, subject: string): string {
  return `token ${issuer} ${subject}`
}
