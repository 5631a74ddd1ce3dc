import type * as z from 'zod'
import type { Scope } from '../../domain/access.ts'
import type { AppError } from '../../domain/errors.ts'
import type { RefusalText } from './error-shape.ts'
import type { SchemaName } from './schemas.ts'

/** What a good answer of a route is. `json`: of the shape `returns`; `page`: HTML; `none`: no body. */
export type AnswerKind =
  | 'session'
  | 'new_session'
  | 'run'
  | 'skill_run'
  | 'stateless_run'
  | 'events'
  | 'socket'
  | 'text'
  | 'metrics'
  | 'json'
  | 'files'
  | 'skill'
  | 'bytes'
  | 'audit'
  | 'user_export'
  | 'page'
  | 'page_or_text'
  | 'none'

/** A route in the words of an OpenAPI 3.1 operation. */
export interface RouteText {
  summary: string
  /** What it does beside that, of a route of a door. */
  about?: string
  /** What it asks of a key; a POST that asks for one takes Idempotency-Key. */
  scope?: Scope
  /** `operationId`; by default made of method and path. */
  id?: string
  body?: z.ZodType | SchemaName
  /** The body is what it is, of any type. */
  takesBytes?: boolean
  /** The body may also be Markdown. */
  takesMarkdown?: boolean
  /** The body may also be YAML. */
  takesYaml?: boolean
  /** The body may also be a zip. */
  takesZip?: boolean
  query?: z.ZodObject
  /** Headers that it heeds, beside those of every route. */
  headers?: readonly HeaderName[]
  answers?: AnswerKind
  /** Schema of a JSON answer. */
  returns?: SchemaName | ListOf | z.ZodType
  /** What a door calls its JSON; by default `application/json`. */
  mediaType?: string
  /** Of a door that also answers with Server-Sent Events: the schema of their data. */
  frames?: z.ZodType
  /** Statuses of a good answer; by default 204 without a body, else 200. */
  status?: readonly number[]
  errors?: readonly AppError['code'][]
  /** Of a door that says refusals in a shape of its own. */
  refusals?: RefusalText
  /** Of a door that tells by a status of its own that a run failed: what that means. */
  failed?: { status: number; means: string }
  /** It asks for no key; another proof, if any, is told here. */
  open?: true | string
  /** What it changes, for the audit; absent: it only reads. */
  audit?: AuditText
}

/** What a route does, for the audit. */
export interface AuditText {
  /** `noun.verb`. */
  action: string
  /** The path parameter that names what is acted upon; by default the first, else what `Location` names. */
  target?: string
  /** Which fields a JSON body changes is told; their values never are. */
  fields?: true
}

export interface ListOf {
  listOf: SchemaName
}

export type HeaderName = 'If-Match' | 'If-None-Match' | 'Last-Event-ID'

export function listOf(name: SchemaName): ListOf {
  return { listOf: name }
}

const DESCRIBED = new WeakMap<object, RouteText>()

/** The handler, with what is said of its route. The document costs nothing until it is asked for. */
export function described<Handler extends object>(text: RouteText, handler: Handler): Handler {
  DESCRIBED.set(handler, text)
  return handler
}

/** What is said of the route of a handler; undefined: nothing. */
export function routeTextOf(handler: object): RouteText | undefined {
  return DESCRIBED.get(handler)
}
