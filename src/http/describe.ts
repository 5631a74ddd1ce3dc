import type { MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { audited, type AuditText } from './audited.ts'
import type { AppEnv } from './context.ts'

/** What a good answer of a route is. */
type AnswerKind = 'session' | 'run' | 'events' | 'text' | 'json' | 'files' | 'bytes' | 'audit'

/** A route in the words of an OpenAPI 3.1 operation; the schemas are those that validate it. */
export interface RouteText {
  summary: string
  body?: z.ZodType
  /** The body is what it is, of any type. */
  takesBytes?: boolean
  /** The body may also be Markdown. */
  takesMarkdown?: boolean
  query?: z.ZodObject
  answers?: AnswerKind
  /** What it changes, for the audit; absent: it only reads. */
  audit?: AuditText
}

const MEDIA_TYPES: Record<AnswerKind, readonly string[]> = {
  session: ['application/json'],
  run: ['application/json', 'text/event-stream'],
  events: ['text/event-stream', 'application/json'],
  text: ['text/plain'],
  json: ['application/json'],
  files: ['application/json', 'application/zip'],
  bytes: ['application/octet-stream'],
  audit: ['application/json', 'application/x-ndjson'],
}

const DESCRIBED = new WeakMap<object, RouteText>()

/** Declares a route for the OpenAPI document, and what it does for the audit. The document costs nothing until it is asked for. */
export function describe(text: RouteText): MiddlewareHandler<AppEnv> {
  const handler: MiddlewareHandler<AppEnv> = audited(text.audit)
  DESCRIBED.set(handler, text)
  return handler
}

/** What a route changes, as it declares it. Undefined: the handler declares no route; null: it only reads. */
export function auditOf(handler: object): AuditText | null | undefined {
  const text = DESCRIBED.get(handler)
  return text && (text.audit ?? null)
}

/** The OpenAPI operation of a handler that `describe` made; null for any other. */
export function operationOf(handler: object): Record<string, unknown> | null {
  const text = DESCRIBED.get(handler)
  if (!text) return null
  const content = Object.fromEntries(MEDIA_TYPES[text.answers ?? 'json'].map((type) => [type, {}]))
  return {
    summary: text.summary,
    ...(text.body ? { requestBody: { content: contentOf(text.body, text.takesMarkdown) } } : {}),
    ...(text.takesBytes ? { requestBody: { content: { 'application/octet-stream': {} } } } : {}),
    ...(text.query
      ? {
          parameters: Object.entries(text.query.shape).map(([name, schema]) => ({
            name,
            in: 'query',
            schema: inputSchema(schema),
          })),
        }
      : {}),
    responses: { 200: { description: 'Good', content }, default: { description: 'A problem (RFC 9457)' } },
  }
}

function contentOf(schema: z.ZodType, takesMarkdown = false): Record<string, unknown> {
  return { 'application/json': { schema: inputSchema(schema) }, ...(takesMarkdown ? { 'text/markdown': {} } : {}) }
}

function inputSchema(schema: z.core.$ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
}
