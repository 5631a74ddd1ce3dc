import type { Link } from '../domain/link.ts'
import { fromBase64, toBase64 } from '../lib/base64.ts'
import { hmacSha256, isSignedWith } from '../lib/hash.ts'

const SECRET_BYTES = 32

/** A new secret for a tenant's links, as base64. */
export function newLinkSecret(): string {
  return toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/** The proof of a link: over all that it allows, in base64url without padding. */
export async function proofOf(secret: string, link: Link): Promise<string> {
  const bytes = await hmacSha256(keyOf(secret), claimOf(link))
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Whether a proof is that of the link; takes the same time for any that is not. */
export async function isProof(secret: string, link: Link, proof: string): Promise<boolean> {
  const bytes = fromBase64(proof.replaceAll('-', '+').replaceAll('_', '/'))
  return bytes !== null && isSignedWith(keyOf(secret), claimOf(link), [bytes])
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  return fromBase64(secret) ?? new Uint8Array(1)
}

function claimOf({ id, scope, sessionId, pendingId, expiresTime }: Link): string {
  return JSON.stringify(['yaa link', id, scope, sessionId, pendingId, expiresTime])
}
