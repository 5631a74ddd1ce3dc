import { newLinkId } from '../access/marks.ts'
import { linkPath, linkToken } from '../access/links.ts'
import type { Link } from '../domain/link.ts'
import type { StoredResponse } from '../store/claims.ts'
import { directoryObject, type Env } from './env.ts'
import { secretOf } from './secret.ts'

/** What a new link allows, and until when (Unix ms). */
export type LinkTerms = Pick<Link, 'scope' | 'sessionId' | 'pendingId' | 'allowEdit' | 'createdBy' | 'expiresTime'>

/** A link of these terms for a tenant. */
export async function linkOf(env: Env, tenant: string, terms: LinkTerms): Promise<Link> {
  const now = Date.now()
  return { ...terms, id: await newLinkId(await secretOf(env), tenant, now), createdTime: now }
}

/** Sign a link for a tenant: its token and its path on this server. It is shown here and never again. `done`: what its request
 *  is answered when it comes again. Null: there are as many as there may be. */
export async function mintLink(
  env: Env,
  tenant: string,
  link: Link,
  done: StoredResponse | null = null,
): Promise<{ token: string; path: string } | null> {
  const proof = await directoryObject(env, tenant).mintLink(link, done)
  if (proof === null) return null
  const token = linkToken({ tenant, id: link.id, proof })
  return { token, path: linkPath(token) }
}
