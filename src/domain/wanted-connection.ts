import * as z from 'zod'
import { onDemand, type ShapeOf } from '../lib/shape.ts'

/** What lacks: a secret, or access that is granted on a page of an authorization server. */
const WANTED = ['secret', 'grant'] as const
/** Of what: a connection of the tenant, or an MCP server that says itself where it is authorised. */
const WANTED_OF = ['connection', 'mcp_server'] as const

/** What a call waits for before it can be made. */
export const wantedConnection = /* @__PURE__ */ onDemand(() =>
  z.object({
    of: z.enum(WANTED_OF),
    name: z.string(),
    /** Where the secret is sent, or the token. */
    origin: z.string(),
    wants: z.enum(WANTED),
    /** Who has to give it; null: it is nobody's in particular. */
    user: z.string().nullable(),
    /** Where access is granted; absent: it is begun by POST /v1/connections/{name}/authorize, or a secret is wanted. */
    authorize_url: z.string().exactOptional(),
  }),
)
export type WantedConnection = ShapeOf<typeof wantedConnection>

/** What was given. `user` null: the tenant's. `session`: it counts for this one alone. */
export interface GivenConnection extends Pick<WantedConnection, 'of' | 'name' | 'user'> {
  session: string | null
}

/** Whether a call waits for what was given. */
export function isGiven(
  { session_id: session, connection }: { session_id: string; connection?: WantedConnection },
  given: GivenConnection,
): boolean {
  if (connection?.of !== given.of || connection.name !== given.name || connection.user !== given.user) return false
  return given.session === null || given.session === session
}
