import { tenantName } from '../domain/access.ts'
import { isId } from '../lib/id.ts'
import { LIMITS } from '../domain/limits.ts'

/** What a token says, none of which is proven yet. `proof`: an HMAC-SHA-256 in base64url. */
export interface LinkToken {
  tenant: string
  id: string
  proof: string
}

/** The token of a link, as it stands in an address: `TENANT.ID.PROOF`. */
export function linkToken({ tenant, id, proof }: LinkToken): string {
  return `${tenant}.${id}.${proof}`
}

/** Null: no token has this form. */
export function parseLinkToken(text: string): LinkToken | null {
  if (text.length > LIMITS.access.linkTokenCharsMax) return null
  const [tenant = '', id = '', proof = '', ...more] = text.split('.')
  const fits = tenantName.safeParse(tenant).success && isId('lnk', id) && /^[A-Za-z0-9_-]{43}$/.test(proof)
  return fits && more.length === 0 ? { tenant, id, proof } : null
}

/** Where a link leads, on the server that made it. */
export function linkPath(token: string): string {
  return `/links/${token}`
}
