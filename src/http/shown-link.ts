import type { Context } from 'hono'
import type { Link, LinkInfo } from '../domain/link.ts'
import { sessionObject } from '../objects/env.ts'
import type { SessionHead } from '../session/queries/projection.ts'
import type { AppEnv } from './context.ts'

/** A link as it is shown: never its token. */
export function shownLink({ id, scope, sessionId, pendingId, createdTime, expiresTime }: Link): LinkInfo {
  return {
    id,
    object: 'link',
    scope,
    session_id: sessionId,
    pending_id: pendingId,
    created_time: new Date(createdTime).toISOString(),
    expires_time: new Date(expiresTime).toISOString(),
  }
}

/** What there is to be known of a session without its messages; null: there is none. */
export async function glanceAt(c: Context<AppEnv>, tenant: string, id: string): Promise<SessionHead | null> {
  const found = await sessionObject(c.env, tenant, id).head()
  return found.ok ? found.value : null
}
