import type { Context } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import { ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { sha256Hex } from '../lib/hash.ts'
import type { IdempotencyKey } from '../service/idempotency.ts'
import type { KeptAnswer } from '../store/claims.ts'
import { bodyBytes } from './body.ts'
import { serviceOf } from './caller.ts'
import { type AppEnv } from './context.ts'

/** The key under which a request may come again, quoted as the draft has it, or bare; null: it has none. */
export function idempotencyOf(c: Context<AppEnv>, bytesMax?: number): IdempotencyKey | null {
  const header = c.req.header('idempotency-key')
  if (header === undefined) return null
  const text = header.trim()
  // What begins with a quote and does not end with one is no key.
  const key = text.startsWith('"') ? (/^"(.*)"$/.exec(text)?.[1] ?? '') : text
  return { key, asks: () => asked(c, bytesMax) }
}

/** What a request asks: where, and its body byte by byte; of a large one its hash. */
async function asked(c: Context<AppEnv>, bytesMax?: number): Promise<Result<string>> {
  const bytes = await bodyBytes(c, bytesMax)
  if (!bytes.ok) return bytes
  const { pathname, search } = new URL(c.req.url)
  const said =
    bytes.value.byteLength > LIMITS.http.bodyBytesMax
      ? await sha256Hex(bytes.value)
      : new TextDecoder('latin1').decode(bytes.value)
  return ok(`${c.req.method} ${pathname}${search}\n${said}`)
}

/** The header of an answer that is what the first sending of a keyed request got. */
export const REPLAYED = 'idempotent-replayed'

/** What the first sending of a request was answered. */
export function again(c: Context<AppEnv>, { status, contentType, body, location }: KeptAnswer): Response {
  const headers = { 'content-type': contentType, ...(location ? { location } : {}), [REPLAYED]: 'true' }
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  return c.newResponse(body, status as StatusCode)
}

/** The response, which is kept under a key when its body ends: it is not when it is too long, or was cut. It is read to its end
 *  also when the client has gone. */
export function keptUnder(c: Context<AppEnv>, key: string, res: Response): Response {
  if (!res.body) return res
  const contentType = res.headers.get('content-type') ?? ''
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const location = res.headers.get('location')
  const about = { status: res.status, contentType, ...(location ? { location } : {}) }
  const { tenant } = c.get('principal')
  const kept = (body: string | null) =>
    serviceOf(c)
      .tenant(tenant)
      .keepAnswer(key, body === null ? null : { ...about, body })
  c.executionCtx.waitUntil(pass(res.body, writable, kept))
  return new Response(readable, res)
}

async function pass(
  source: ReadableStream<Uint8Array>,
  target: WritableStream<Uint8Array>,
  keep: (text: string | null) => Promise<void>,
): Promise<void> {
  const writer = target.getWriter()
  const decoder = new TextDecoder()
  let text: string | null = ''
  let isHeard = true
  try {
    for await (const chunk of source) {
      text =
        text === null || text.length > LIMITS.idempotency.answerCharsMax
          ? null
          : text + decoder.decode(chunk, { stream: true })
      if (isHeard)
        isHeard = await writer.write(chunk).then(
          () => true,
          () => false,
        )
    }
    await keep(text)
    await writer.close().catch(() => {})
  } catch (error) {
    await keep(null)
    await writer.abort(error).catch(() => {})
  }
}
