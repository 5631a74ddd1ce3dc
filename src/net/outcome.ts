import type { RedirectBar } from '../domain/tool.ts'
import type { AddressProblem } from './address.ts'

/** An answer that was read to its end. `url` is where the last redirect led; `bytes` are decoded (no gzip). */
export interface GuardedResponse {
  status: number
  headers: Headers
  url: string
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * Why a request gave no whole answer. `redirects`: how many were followed before. `detail` is for the log only where it
 * is the raw reason of the platform (`unreachable`); the others are of our own making.
 */
export type NetFailure =
  | { code: 'address_refused'; detail: AddressProblem; redirects: number }
  | { code: 'unreachable'; detail: string; redirects: number }
  | { code: 'timeout'; detail: 'headers' | 'body'; timeoutMs: number; redirects: number }
  | { code: 'too_many_redirects'; detail: string; redirectsMax: number; redirects: number }
  | { code: 'bad_redirect'; detail: string; redirects: number }
  | { code: RedirectBar; detail: string; redirects: number }
  /** `partial` holds the first `bodyBytesMax` bytes. */
  | { code: 'too_large'; detail: string; bodyBytesMax: number; partial: GuardedResponse; redirects: number }
  | { code: 'cancelled'; detail: string; redirects: number }

export type GuardedOutcome = { ok: true; response: GuardedResponse } | ({ ok: false } & NetFailure)

export interface GuardedInit {
  method?: string
  headers?: Readonly<Record<string, string>>
  /** Kept until the end: a redirect may ask for it again. */
  body?: string | Uint8Array<ArrayBuffer>
  /** 0: a redirect is an answer like any other. Default: the limit `web.redirectsMax`. */
  maxRedirects?: number
  /** Why a redirect to an address is not followed; null: it is. */
  barsRedirect?: (target: string) => RedirectBar | null
  /** From the call to the last byte, redirects included. */
  timeoutMs: number
  /** Decoded bytes. Default: the limit `web.bodyBytesMax`. */
  bodyBytesMax?: number
  signal?: AbortSignal
}

/** The only way out for tools: every address is checked, redirects too; never throws for what the network does. */
export type GuardedFetch = (url: string, init: GuardedInit) => Promise<GuardedOutcome>
