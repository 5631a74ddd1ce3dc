import { DurableObject } from 'cloudflare:workers'
import type { McpClient, McpPlace, NewClientCall, RpcId } from '../domain/mcp-session.ts'
import {
  enterMcpSession,
  MCP_SESSION_SCHEMA,
  mcpCall,
  mcpSessionExpiry,
  noteMcpCall,
  openMcpSession,
  placeMcpCall,
} from '../store/mcp-sessions.ts'
import type { Env } from './env.ts'
import { lazyDatabase } from './storage.ts'

/** The session of an MCP client of a revision that has sessions: who it is, and which runs its calls began. It holds no connection and no run, so
 *  it sleeps between two requests; its alarm takes it away. */
export class McpSessionObject extends DurableObject<Env> {
  #db = lazyDatabase(this.ctx.storage, MCP_SESSION_SCHEMA)

  async open(owner: string, client: McpClient): Promise<void> {
    await this.ctx.storage.setAlarm(openMcpSession(this.#db, owner, client, Date.now()))
  }

  enter(owner: string, call: NewClientCall | null) {
    return this.#db.isThere() ? enterMcpSession(this.#db, owner, call, Date.now()) : null
  }

  place(n: number, place: McpPlace) {
    return { isCancelled: placeMcpCall(this.#db, n, place) }
  }

  putOff(n: number): void {
    noteMcpCall(this.#db, n, 'put_off')
  }

  takeBack(rpc: RpcId) {
    const call = this.find({ rpc })
    if (call) noteMcpCall(this.#db, call.n, 'cancelled')
    return call
  }

  find(by: { n: number } | { rpc: RpcId }) {
    return this.#db.isThere() ? mcpCall(this.#db, by) : null
  }

  async end(): Promise<void> {
    await this.ctx.storage.deleteAlarm()
    await this.#clear()
  }

  /** Rings when the session would have ended as it was then: one that was used since is kept on. */
  override async alarm(): Promise<void> {
    const expires = this.#db.isThere() ? mcpSessionExpiry(this.#db) : null
    if (expires !== null && expires > Date.now()) await this.ctx.storage.setAlarm(expires)
    else await this.#clear()
  }

  async #clear(): Promise<void> {
    await this.ctx.storage.deleteAll()
    this.#db = lazyDatabase(this.ctx.storage, MCP_SESSION_SCHEMA)
  }
}
