/** What is kept of a client of MCP revisions that have sessions (2025). */

/** The id of a JSON-RPC request, or a token of progress. */
export type RpcId = string | number

/** What a client said of itself when it began the session. */
export interface McpClient {
  /** The revision that was agreed upon. */
  protocol: string
  /** It can show a form to its user. */
  elicits: boolean
  /** The capabilities that it declared, as it did. */
  capabilities: Readonly<Record<string, unknown>>
}

/** Where a call is answered from: what a run did from an event on. */
export interface McpPlace {
  session: string
  run: string
  /** The seq of the first event that belongs to it. */
  seq: number
}

/** A call of a tool that begins a run. */
export interface NewClientCall {
  rpc: RpcId
  tool: string
  /** With which its progress is told; null: the client wants none. */
  token: RpcId | null
}

export interface ClientCall extends NewClientCall {
  n: number
  /** Null: it has not begun, or never did. */
  place: McpPlace | null
  /** The user was shown a form and decided nothing. */
  isPutOff: boolean
}
