import type { OAuthClientMetadata } from '@modelcontextprotocol/client'
import type { Language } from '../domain/language.ts'
import type { McpServer } from '../domain/mcp.ts'
import type { Fetch, Now } from '../domain/ports.ts'
import type { TenantGrants } from './oauth-grant.ts'

/** For whom a server is reached. */
export interface Asker {
  tenant: string
  /** Null: no session's, but an administrator's. */
  session: string | null
  language: Language
  /** Whether somebody is there who can be sent to the authorisation server. */
  canVisit: boolean
}

export interface OAuthPlace {
  server: McpServer
  asker: Asker
  grants: TenantGrants
  fetch: Fetch
  now: Now
  /** Where our server is reached from outside; null: as an administrator reached it. */
  publicUrl: string | null
  /** The document that describes the client; null: ours, where it is at an https address. */
  clientDocument?: string
}

export const CALLBACK_PATH = '/oauth/callback'
export const CLIENT_PATH = '/oauth/client.json'

/** What the client says of itself when it is registered, by where it is reached. */
export function clientMetadata(base: string): OAuthClientMetadata {
  return {
    client_name: 'yaa',
    redirect_uris: [base + CALLBACK_PATH],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}
