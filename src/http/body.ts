import type { Context } from 'hono'
import type * as z from 'zod'
import { type AppError, fail, invalid, ok, type Result } from '../domain/errors.ts'
import { partCharsIn } from '../domain/content-input.ts'
import { LIMITS } from '../domain/limits.ts'
import { iJsonFault } from '../lib/i-json.ts'
import { isDeeper } from '../lib/json.ts'
import { type CheckedValue, checkedBy, issuesOf } from '../lib/zod.ts'
import type { AppEnv } from './context.ts'

/** The JSON body, if it fits. An empty one counts as `{}`. */
export async function jsonOf<T extends z.ZodType>(
  c: Context<AppEnv>,
  schema: T,
  bytesMax: number = LIMITS.http.bodyBytesMax,
): Promise<Result<z.output<T>>> {
  const read = await readJson(c, bytesMax)
  return read.ok ? valueOf(checkedBy(schema, read.value)) : read
}

/** The same of a body whose parts may bring bytes along: beside those it is bounded as any other. */
export async function jsonWithParts<T extends z.ZodType>(c: Context<AppEnv>, schema: T): Promise<Result<z.output<T>>> {
  const read = await readJson(c, LIMITS.parts.bodyBytesMax)
  if (!read.ok && read.error.code !== 'invalid_input') return read
  const { bodyBytesMax } = LIMITS.http
  const size = c.get('bodyBytes')?.byteLength ?? 0
  if (size > bodyBytesMax) {
    // What is no JSON has no parts.
    const beside = size - (read.ok ? partCharsIn(read.value) : 0)
    if (beside > bodyBytesMax) return fail({ code: 'body_too_large', bytesMax: bodyBytesMax })
    // What was read of it is enough: an isolate has little room.
    c.set('bodyBytes', new Uint8Array())
  }
  return read.ok ? valueOf(checkedBy(schema, read.value)) : read
}

/** The query, if it fits. A parameter that is given twice says two things. */
export function queryOf<T extends z.ZodType>(c: Context<AppEnv>, schema: T): Result<z.output<T>> {
  const repeated = Object.entries(c.req.queries()).filter(([, values]) => values.length > 1)
  if (repeated.length > 0) return invalid(repeated.map(([path]) => ({ path, message: 'given more than once' })))
  const parsed = schema.safeParse(c.req.query())
  return parsed.success ? ok(parsed.data) : invalid(issuesOf(parsed.error))
}

function valueOf<T>(checked: CheckedValue<T>): Result<T> {
  return checked.ok ? ok(checked.value) : invalid(checked.issues)
}

async function readJson(c: Context<AppEnv>, bytesMax: number): Promise<Result<unknown>> {
  const bytes = await bodyBytes(c, bytesMax)
  if (!bytes.ok) return bytes
  if (bytes.value.length === 0) return ok({})
  const refused = notJson(c)
  return refused ? fail(refused) : parsedBody(bytes.value)
}

/** Why a body is not read as JSON, by what its headers say of it; null: it is. */
export function notJson(c: Context<AppEnv>): AppError | null {
  const isOfType = isJson(c.req.header('content-type'))
  return isOfType ? encoded(c) : { code: 'unsupported_media_type', expected: 'application/json' }
}

/** Bodies are taken as they come: what is packed is refused. */
export function encoded(c: Context<AppEnv>): AppError | null {
  const isPlain = /^(identity)?$/i.test(c.req.header('content-encoding') ?? '')
  return isPlain ? null : { code: 'unsupported_media_type', expected: 'a body without a content encoding' }
}

/** The whole body, read once; what is over the limit is not read. */
export async function bodyBytes(
  c: Context<AppEnv>,
  bytesMax: number = LIMITS.http.bodyBytesMax,
): Promise<Result<Uint8Array>> {
  const bytes = c.get('bodyBytes') ?? (await readBytes(c.req.raw, bytesMax).catch(() => undefined))
  if (bytes === undefined)
    return invalid(
      [{ path: '', message: 'it broke off, or is not framed as HTTP has it' }],
      'The body did not come whole.',
    )
  if (!bytes) return fail({ code: 'body_too_large', bytesMax })
  c.set('bodyBytes', bytes)
  return ok(bytes)
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(contentType ?? '')
}

/** The value of a body, if it is I-JSON that is not nested too deep. */
export function parsedBody(bytes: Uint8Array): Result<unknown> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
    const value: unknown = JSON.parse(text)
    const fault = iJsonFault(text)
    return depthIssue(value) ?? (fault ? invalid([fault], 'The body is no I-JSON (RFC 7493).') : ok(value))
  } catch {
    return invalid([{ path: '', message: 'not valid JSON in UTF-8' }], 'The body is not valid JSON.')
  }
}

function depthIssue(value: unknown): { ok: false; error: AppError } | null {
  const max = LIMITS.http.jsonDepthMax
  if (!isDeeper(value, max)) return null
  return invalid([{ path: '', message: `nested deeper than ${max} levels` }], 'The body is nested too deep.')
}

/** The whole body, or null when it is larger. */
async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array | null> {
  if (!request.body) return new Uint8Array()
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) return dropped(request.body)
  // A length that was told is held by HTTP itself, and a whole read takes a fraction of the time.
  if (request.headers.has('content-length')) return new Uint8Array(await request.arrayBuffer())
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > bytesMax) return null
    chunks.push(chunk)
  }
  return joined(chunks, size)
}

/** Much of a body that is too large is taken and forgotten: a client that is still sending hears no answer, its line is cut instead (RFC 9112 §9.6). */
async function dropped(body: ReadableStream<Uint8Array>): Promise<null> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > LIMITS.http.droppedBytesMax) break
  }
  return null
}

function joined(chunks: Uint8Array[], size: number): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first) return first
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
