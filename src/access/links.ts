import { tenantName } from '../domain/access.ts'
import { isId } from '../lib/id.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Link, OpenedLink } from '../domain/link.ts'
import { fromBase64, toBase64 } from '../lib/base64.ts'
import { hmacSha256, isSignedWith } from '../lib/hash.ts'
import { makeWithAnswer, type StoredResponse } from '../store/claims.ts'
import type { Database } from '../store/database.ts'
import {
  getLink,
  getLinkSecret,
  listLinks,
  type LinkQuery,
  putLink,
  putLinkSecret,
  removeLink,
  replaceLinkSecret,
} from '../store/links.ts'

/** What a token says, none of which is proven yet. `proof`: an HMAC-SHA-256 in base64url. */
interface LinkToken {
  tenant: string
  id: string
  proof: string
}

/** The token of a link, as it stands in an address: `TENANT.ID.PROOF`. */
export function linkToken({ tenant, id, proof }: LinkToken): string {
  return `${tenant}.${id}.${proof}`
}

/** 32 bytes in base64url as they are written: the bits of the last letter that say nothing are zero. */
const PROOF = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

/** Null: no token has this form. */
export function parseLinkToken(text: string): LinkToken | null {
  if (text.length > LIMITS.access.linkTokenCharsMax) return null
  const [tenant = '', id = '', proof = '', ...more] = text.split('.')
  const fits = tenantName.safeParse(tenant).success && isId('lnk', id) && PROOF.test(proof)
  return fits && more.length === 0 ? { tenant, id, proof } : null
}

/** Where a link leads, on the server that made it. */
export function linkPath(token: string): string {
  return `/links/${token}`
}

const SECRET_BYTES = 32

/** A new secret for a tenant's links, as base64. */
function newLinkSecret(): string {
  return toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/** The proof of a link: over all that it allows, in base64url without padding. */
async function proofOf(secret: string, link: Link): Promise<string> {
  const bytes = await hmacSha256(keyOf(secret), claimOf(link))
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Whether a proof is that of the link; takes the same time for any that is not. */
async function isProof(secret: string, link: Link, proof: string): Promise<boolean> {
  const bytes = fromBase64(proof.replaceAll('-', '+').replaceAll('_', '/'))
  return bytes !== null && isSignedWith(keyOf(secret), claimOf(link), [bytes])
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  return fromBase64(secret) ?? new Uint8Array(1)
}

function claimOf({ id, scope, sessionId, pendingId, expiresTime }: Link): string {
  return JSON.stringify(['yaa link', id, scope, sessionId, pendingId, expiresTime])
}

/** The links of one tenant, signed with its own secret. */
export class LinkRegistry {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Keep a link, with the answer of its request; the proof that its token needs. Null: there are as many as there may be. */
  async mint(link: Link, done: StoredResponse | null, now: number): Promise<string | null> {
    const proof = await proofOf(this.#secret(), link)
    return makeWithAnswer(this.#db, done, () => putLink(this.#db, link, now)) === 'made' ? proof : null
  }

  /** The link that a proof is of. */
  async open(id: string, proof: string, now: number): Promise<OpenedLink> {
    const link = getLink(this.#db, id)
    const secret = getLinkSecret(this.#db)
    if (!link || secret === null || !(await isProof(secret, link, proof))) return { outcome: 'unknown' }
    return { outcome: link.expiresTime > now ? 'good' : 'expired', link }
  }

  list(sessionId: string, page: LinkQuery): Link[] {
    return listLinks(this.#db, sessionId, page)
  }

  /** False: the session has no such link. */
  revoke(sessionId: string, id: string): boolean {
    return removeLink(this.#db, sessionId, id)
  }

  /** A new secret: every token that is out there opens nothing any more. */
  rotate(): void {
    replaceLinkSecret(this.#db, newLinkSecret())
  }

  #secret(): string {
    const known = getLinkSecret(this.#db)
    if (known !== null) return known
    const secret = newLinkSecret()
    putLinkSecret(this.#db, secret)
    return secret
  }
}
