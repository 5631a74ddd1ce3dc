import * as z from 'zod'
import { type KeyLimits, keyLimits, scope, tenantName } from './access.ts'
import { httpUrl } from './config.ts'
import { tokenAccount } from './token-account.ts'

const text = z.string().min(1).max(300)
const audience = z.union([text, z.array(text).min(1).max(20)])

/** An API key of the config: its SHA-256 only, so that the file may be read by anybody. */
const authKey = z.strictObject({
  id: z
    .string()
    .min(1)
    .max(100)
    .refine((id) => !id.startsWith('token '), 'a name that does not begin with "token "'),
  sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, 'the SHA-256 of the key in hex'),
  scopes: z.array(scope).min(1),
  tenant: tenantName.optional(),
  limits: keyLimits.optional(),
})

/** What a valid token gives. */
const grants = {
  /** Given to every token. */
  scopes: z.array(scope).min(1).optional(),
  /** The claim that holds scopes, as a list or parted by spaces. */
  scopes_claim: text.optional(),
  /** What its words mean here; without it the words are scopes. */
  scopes_map: z.record(text, scope).optional(),
  /** The tenant of every token, or the claim that names it. */
  tenant: tenantName.optional(),
  tenant_claim: text.optional(),
  /** What each who shows such a token may use, whichever of their tokens it is. */
  limits: keyLimits.optional(),
}

const givesScopes = {
  path: ['scopes'],
  error: 'scopes or scopes_claim, so that a token may do something',
}
const hasScopes = (given: { scopes?: unknown; scopes_claim?: unknown }) =>
  given.scopes !== undefined || given.scopes_claim !== undefined

/** Tokens of an issuer, checked with the keys that it publishes. */
const jwtConfig = z
  .strictObject({ issuer: text, audience, jwks_url: httpUrl, ...grants })
  .refine(hasScopes, givesScopes)
export type JwtConfig = z.infer<typeof jwtConfig>

/** Cloudflare Access in front of this server. `team_domain` such as `example.cloudflareaccess.com`. */
const accessConfig = z
  .strictObject({
    team_domain: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'a domain such as example.cloudflareaccess.com'),
    audience,
    ...grants,
  })
  .refine(hasScopes, givesScopes)
export type AccessConfig = z.infer<typeof accessConfig>

/** Who is let in by the config. */
export const authConfig = z.strictObject({
  keys: z.array(authKey).max(1_000).optional(),
  jwt: z.array(jwtConfig).max(20).optional(),
  access: accessConfig.optional(),
})
export type AuthConfig = z.infer<typeof authConfig>

/** The issuer of what Cloudflare Access asserts for a team. */
export function accessIssuer(teamDomain: string): string {
  return `https://${teamDomain}`
}

/** What the holder of an account of a token may use; null: it is none, or of none of the issuers. */
export function tokenLimits({ jwt = [], access }: AuthConfig, account: string): KeyLimits | null {
  const issuers = [...jwt, ...(access ? [{ ...access, issuer: accessIssuer(access.team_domain) }] : [])]
  const found = issuers.find(({ issuer }) => account.startsWith(tokenAccount(issuer, '')))
  return found ? (found.limits ?? {}) : null
}
