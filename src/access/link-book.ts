import type { Link, OpenedLink } from '../domain/link.ts'
import { makeWithAnswer, type Done } from '../store/claims.ts'
import type { Database } from '../store/database.ts'
import { getLink, getLinkSecret, listLinks, type LinkPage, putLink, putLinkSecret, removeLink } from '../store/links.ts'
import { isProof, newLinkSecret, proofOf } from './link-proof.ts'

/** The links of one tenant, signed with its own secret. */
export class LinkRegistry {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Keep a link, with the answer of its request; the proof that its token needs. Null: there are as many as there may be. */
  async mint(link: Link, done: Done | null, now: number): Promise<string | null> {
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

  list(sessionId: string, page: LinkPage): Link[] {
    return listLinks(this.#db, sessionId, page)
  }

  /** False: the session has no such link. */
  revoke(sessionId: string, id: string): boolean {
    return removeLink(this.#db, sessionId, id)
  }

  /** A new secret: every token that is out there opens nothing any more. */
  rotate(): void {
    putLinkSecret(this.#db, newLinkSecret())
  }

  #secret(): string {
    const known = getLinkSecret(this.#db)
    if (known !== null) return known
    const secret = newLinkSecret()
    putLinkSecret(this.#db, secret)
    return secret
  }
}
