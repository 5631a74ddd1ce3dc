import type { Context } from 'hono'
import * as z from 'zod'
import type { Link } from '../domain/link.ts'
import { sessionObject } from '../objects/env.ts'
import type { AppEnv } from './context.ts'

/** A link as it is shown: never its token. */
export function shownLink({ id, scope, sessionId, pendingId, createdTime, expiresTime }: Link) {
  return {
    id,
    object: 'link' as const,
    scope,
    session_id: sessionId,
    pending_id: pendingId,
    created_time: new Date(createdTime).toISOString(),
    expires_time: new Date(expiresTime).toISOString(),
  }
}

const glance = z.object({
  title: z.string(),
  status: z.string(),
  pending: z.array(z.looseObject({ id: z.string() })),
})

/** What there is to be known of a session without its messages; null: there is none. */
export async function glanceAt(c: Context<AppEnv>, tenant: string, id: string): Promise<z.infer<typeof glance> | null> {
  const found = await sessionObject(c.env, tenant, id).read('none')
  return found.ok ? glance.parse(await new Response(found.value.body).json()) : null
}
