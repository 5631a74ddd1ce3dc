import type { Context } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import type { AppError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { sha256Hex } from '../../lib/canonical-json.ts'
import { newId } from '../../lib/id.ts'
import { directoryObject } from '../../objects/env.ts'
import type { Done, KeptAnswer } from '../../store/claims.ts'
import { bodyBytes } from './body.ts'
import { factory, type AppEnv } from '../context.ts'
import { declared } from './declared.ts'
import { problem } from '../problem.ts'
import { REPLAYED } from './replayed.ts'

/** Takes `Idempotency-Key` of a POST to a session. The handler finds the key and the session that it is for; one that it
 *  `creates` has the same id when the request comes again. What is done under the key is written by the session itself. */
export const keyed = ({ creates = false, bytesMax }: { creates?: boolean; bytesMax?: number } = {}) =>
  declared(
    factory.createMiddleware(async (c, next) => {
      const sessionId = creates ? newId('ses', Date.now()) : (c.get('link')?.sessionId ?? c.req.param('id') ?? '')
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
      if (claimed.outcome === 'first' && isWithoutEffect(c)) await directory.release(key)
    }),
    { keyed: true },
  )

/** Refused before anything was done. A sending that another one of its key overtook has its effect in that one. */
function isWithoutEffect(c: Context<AppEnv>): boolean {
  return c.res.status >= 400 && c.res.status < 500 && c.get('refusal') !== 'idempotency_in_progress'
}

/** Takes `Idempotency-Key` of a POST whose answer the tenant keeps and gives again: of one that leaves nothing behind, or that
 *  makes something of the tenant's, with `doneWith`. */
export const answeredOnce = declared(
  factory.createMiddleware(async (c, next) => {
    const key = keyOf(c)
    if (key === null) return next()
    if (typeof key === 'object') return problem(c, key)
    const wanted = await claimOf(c, key, null)
    if ('code' in wanted) return problem(c, wanted)
    // Taken anew for each call: what reached an object that has died reaches nothing any more.
    const directory = () => directoryObject(c.env, c.get('principal').tenant)
    const claimed = await directory().claimRunning(wanted)
    if (!claimed) return problem(c, { code: 'idempotency_in_progress' })
    if (claimed.outcome === 'other_request') return problem(c, { code: 'idempotency_key_reused' })
    if (claimed.outcome === 'again' && claimed.answer) {
      const { status, contentType, body, location } = claimed.answer
      const headers = { 'content-type': contentType, ...(location ? { location } : {}), [REPLAYED]: 'true' }
      for (const [name, value] of Object.entries(headers)) c.header(name, value)
      return c.newResponse(body, status as StatusCode)
    }
    c.set('once', { key, isAnswered: false })
    await next()
    if (c.res.status >= 400 || c.get('once')?.isAnswered) return directory().release(key)
    c.res = keptWhole(c, (answer) => directory().keepAnswer(key, answer))
  }),
  { keyed: true },
)

interface Made {
  body: unknown
  location?: string
  /** Default: 201. */
  status?: number
  /** More is to come: what is answered in the end takes the place of this. */
  goesOn?: boolean
}

/** What a POST that makes something is answered when it comes again, for the transaction that makes it: so a process that
 *  dies in between leaves both or neither. Of a secret that is shown once nothing may be in `body`. Null: it has no key. */
export function doneWith(c: Context<AppEnv>, { body, location, status = 201, goesOn = false }: Made): Done | null {
  const once = c.get('once')
  if (!once) return null
  c.set('once', { ...once, isAnswered: !goesOn })
  const answer = {
    status,
    contentType: 'application/json',
    body: JSON.stringify(body),
    ...(location ? { location } : {}),
  }
  return { key: once.key, answer }
}

/** The same where another object than the tenant's directory makes it, which knows by the key what it made: without a secret that
 *  is shown once. */
export async function keepDone(c: Context<AppEnv>, made: Made): Promise<void> {
  const done = doneWith(c, made)
  if (done) await directoryObject(c.env, c.get('principal').tenant).keepAnswer(done.key, done.answer)
}

/** The key, null without one, or why it is none. Quoted as the draft has it, or bare. Whoever comes by a link has keys of its own. */
function keyOf(c: Context<AppEnv>): string | AppError | null {
  const header = c.req.header('idempotency-key')
  if (header === undefined) return null
  const key = /^"(.*)"$/.exec(header.trim())?.[1] ?? header.trim()
  const max = LIMITS.idempotency.keyCharsMax
  const link = c.get('link')
  if (key.length >= 1 && key.length <= max) return link ? `${link.id}\n${key}` : key
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

/** The response, whose body ends when `keep` is done with it: null when it is too long to be kept, or was cut. It is read to
 *  its end also when the client has gone. */
function keptWhole(c: Context<AppEnv>, keep: (answer: KeptAnswer | null) => Promise<void>): Response {
  const { res } = c
  if (!res.body) return res
  const contentType = res.headers.get('content-type') ?? ''
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const location = res.headers.get('location')
  const about = { status: res.status, contentType, ...(location ? { location } : {}) }
  const kept = (body: string | null) => keep(body === null ? null : { ...about, body })
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
