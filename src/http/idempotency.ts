import type { Context } from 'hono'
import type { AppError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { sha256Hex } from '../lib/canonical-json.ts'
import { newId } from '../lib/id.ts'
import { directoryObject } from '../objects/env.ts'
import { bodyBytes } from './body.ts'
import { factory, type AppEnv } from './context.ts'
import { problem } from './problem.ts'

export const REPLAYED = 'idempotent-replayed'

/** Takes `Idempotency-Key` of a POST to a session. The handler finds the key and the session that it is for; one that it
 *  `creates` has the same id when the request comes again. What is done under the key is written by the session itself. */
export const keyed = ({ creates = false, bytesMax }: { creates?: boolean; bytesMax?: number } = {}) =>
  factory.createMiddleware(async (c, next) => {
    const sessionId = creates ? newId('ses', Date.now()) : (c.req.param('id') ?? '')
    const key = keyOf(c)
    c.set('idempotency', { sessionId })
    if (key === null) return next()
    if (typeof key === 'object') return problem(c, key)
    const wanted = await claimOf(c, key, sessionId, bytesMax)
    if ('code' in wanted) return problem(c, wanted)
    const directory = directoryObject(c.env, c.get('principal').tenant)
    const claimed = await directory.claim(wanted)
    if (claimed.outcome === 'other_request') return problem(c, { code: 'idempotency_key_reused' })
    c.set('idempotency', { key, sessionId: claimed.sessionId ?? sessionId })
    await next()
    if (claimed.outcome === 'first' && c.res.status >= 400 && c.res.status < 500) await directory.release(key)
  })

/** Takes `Idempotency-Key` of a POST that leaves nothing behind: its answer is kept by the tenant and given again. */
export const answeredOnce = factory.createMiddleware(async (c, next) => {
  const key = keyOf(c)
  if (key === null) return next()
  if (typeof key === 'object') return problem(c, key)
  const wanted = await claimOf(c, key, null)
  if ('code' in wanted) return problem(c, wanted)
  const directory = directoryObject(c.env, c.get('principal').tenant)
  const claimed = await directory.claimRunning(wanted)
  if (!claimed) return problem(c, { code: 'idempotency_in_progress' })
  if (claimed.outcome === 'other_request') return problem(c, { code: 'idempotency_key_reused' })
  if (claimed.outcome === 'again' && claimed.answer) {
    const { status, contentType, body } = claimed.answer
    return new Response(body, { status, headers: { 'content-type': contentType, [REPLAYED]: 'true' } })
  }
  await next()
  if (c.res.status >= 400) return directory.release(key)
  c.res = keeping(c.res, (body) => c.executionCtx.waitUntil(directory.keepAnswer(key, body)))
})

/** The key, null without one, or why it is none. Quoted as the draft has it, or bare. */
function keyOf(c: Context<AppEnv>): string | AppError | null {
  const header = c.req.header('idempotency-key')
  if (header === undefined) return null
  const key = /^"(.*)"$/.exec(header.trim())?.[1] ?? header.trim()
  const max = LIMITS.idempotency.keyCharsMax
  if (key.length >= 1 && key.length <= max) return key
  const message = `1 to ${max} characters`
  return {
    code: 'invalid_input',
    detail: 'The Idempotency-Key does not fit.',
    issues: [{ path: 'Idempotency-Key', message }],
  }
}

async function claimOf(c: Context<AppEnv>, key: string, sessionId: string | null, bytesMax?: number) {
  const bytes = await bodyBytes(c, bytesMax)
  if (!bytes.ok) return bytes.error
  const { pathname, search } = new URL(c.req.url)
  const fingerprint = await sha256Hex(
    `${c.req.method} ${pathname}${search}\n${new TextDecoder('latin1').decode(bytes.value)}`,
  )
  return { key, fingerprint, sessionId }
}

/** The response, with its body told once it has been read to its end; null when it is too long to be kept or was cut. */
function keeping(
  response: Response,
  keep: (answer: { status: number; contentType: string; body: string } | null) => void,
): Response {
  const decoder = new TextDecoder()
  let text: string | null = ''
  const told = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      text =
        text === null || text.length > LIMITS.idempotency.answerCharsMax
          ? null
          : text + decoder.decode(chunk, { stream: true })
      controller.enqueue(chunk)
    },
    flush: () => {
      const contentType = response.headers.get('content-type') ?? ''
      keep(text === null ? null : { status: response.status, contentType, body: text + decoder.decode() })
    },
  })
  return new Response(response.body?.pipeThrough(told) ?? null, response)
}
