import type { Language } from '../domain/language.ts'
import type { McpServer } from '../domain/mcp.ts'
import { sha256Hex } from '../lib/hash.ts'
import type { Away, TenantGrants, Asker } from './oauth-grant.ts'
import type { OAuthProvider } from './oauth-provider.ts'

/** What an authorisation server sends back by way of a browser. */
export interface CameBack {
  state: string
  /** Absent: it refused. */
  code: string | undefined
  iss: string | undefined
}

/** `unknown`: nobody was awaited with that state, or the server is another by now. */
export type ReturnEnd =
  | { outcome: 'unknown' }
  | { outcome: 'authorised' | 'refused' | 'failed'; server: string; language: Language }

export interface ReturnPorts {
  grants: TenantGrants
  readonly serverOf: (name: string) => Promise<McpServer | undefined>
  readonly authFor: (server: McpServer, asker: Asker, away: Away) => Promise<OAuthProvider | null>
  /** Ask the server what it offers, now that it may be asked. */
  readonly refresh: (server: McpServer) => Promise<unknown>
}

/** Someone of a tenant comes back from an authorisation server with what it said. */
export async function takeReturn(tenant: string, said: CameBack, ports: ReturnPorts): Promise<ReturnEnd> {
  const redirect = await ports.grants.comeBack(tenant, await sha256Hex(said.state))
  if (redirect === null) return { outcome: 'unknown' }
  const away = JSON.parse(redirect.text) as Away
  const { language } = away
  const server = await ports.serverOf(redirect.server)
  if (!server?.enabled || server.version !== away.version) return { outcome: 'unknown' }
  const place = { server: server.name, language }
  if (said.code === undefined) return { outcome: 'refused', ...place }
  try {
    const asker = { tenant, session: redirect.session, language, canVisit: false }
    const auth = await ports.authFor(server, asker, away)
    await auth?.finish({ code: said.code, iss: said.iss })
    await ports.refresh(server)
    return { outcome: 'authorised', ...place }
  } catch {
    return { outcome: 'failed', ...place }
  }
}
