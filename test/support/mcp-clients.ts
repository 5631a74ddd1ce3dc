import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Served } from './served.ts'

/** The eras of the protocol that the official client speaks: 2026-07-28, which is stateless, and 2025-11-25, which has sessions. */
export const ERAS = ['stateless', 'session'] as const
export type Era = (typeof ERAS)[number]

export interface McpClientOptions extends ClientOptions {
  key?: string
  /** More headers of each request. */
  headers?: Record<string, string>
}

/** The official client, unmodified, connected to the door of a server. */
export async function mcpClient(
  { url, key: adminKey }: Pick<Served, 'url' | 'key'>,
  era: Era,
  { key = adminKey, headers = {}, ...options }: McpClientOptions = {},
): Promise<Client> {
  const versionNegotiation = { mode: era === 'stateless' ? { pin: '2026-07-28' } : 'legacy' } as const
  const client = new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation })
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
    reconnectionOptions: {
      initialReconnectionDelay: 200,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 60,
    },
  })
  await client.connect(transport)
  return client
}

/** A message as a client would post it, for what the official client does not send. */
export function posted(
  { url, key }: Pick<Served, 'url' | 'key'>,
  message: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
  })
}

/** A request of the stateless revision. `name`: what it is of, as its headers say. Gives the message that answers. */
export async function stateless(
  served: Pick<Served, 'url' | 'key'>,
  asked: { method: string; params: Record<string, unknown>; name: string; capabilities: object },
  more: Record<string, string> = {},
): Promise<{ result?: unknown; error?: unknown }> {
  const { method, params, name, capabilities } = asked
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name, ...more }
  const text = await (await posted(served, message, headers)).text()
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { result?: unknown; error?: unknown }
}
