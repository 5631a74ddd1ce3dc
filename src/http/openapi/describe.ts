import type { MiddlewareHandler } from 'hono'
import type * as z from 'zod'
import type { AppError } from '../../domain/errors.ts'
import { AGENT } from '../../service/agent.ts'
import { COMMANDS, type CommandType } from '../../service/commands.ts'
import { audited, type AuditText } from '../middleware/audited.ts'
import type { AppEnv } from '../context.ts'
import type { SchemaName } from './named.ts'

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
  | 'bytes'
  | 'audit'
  | 'page'
  | 'none'

/** A route in the words of an OpenAPI 3.1 operation; what validates it says the rest (see `declared`). */
export interface RouteText {
  summary: string
  /** `operationId`; by default made of method and path. */
  id?: string
  body?: z.ZodType | SchemaName
  /** The body is what it is, of any type. */
  takesBytes?: boolean
  /** The body may also be Markdown. */
  takesMarkdown?: boolean
  query?: z.ZodObject
  /** Headers that it heeds, beside those of every route. */
  headers?: readonly HeaderName[]
  answers?: AnswerKind
  /** Schema of a JSON answer. */
  returns?: SchemaName | ListOf
  /** Statuses of a good answer; by default 204 without a body, else 200. */
  status?: readonly number[]
  errors?: readonly AppError['code'][]
  /** It asks for no key; another proof, if any, is told here. */
  open?: true | string
  /** What it changes, for the audit; absent: it only reads. */
  audit?: AuditText
  /** The command of the service that it is, which tells the audit itself. */
  command?: CommandType | 'agent'
}

export interface ListOf {
  listOf: SchemaName
}

export type HeaderName = 'If-Match' | 'If-None-Match' | 'Last-Event-ID'

export function listOf(name: SchemaName): ListOf {
  return { listOf: name }
}

const DESCRIBED = new WeakMap<object, RouteText>()

/** Declares a route for the OpenAPI document, and what it does for the audit. The document costs nothing until it is asked for. */
export function describe(text: RouteText): MiddlewareHandler<AppEnv> {
  const { command, audit = command && { action: command === 'agent' ? AGENT.action : COMMANDS[command].action } } = text
  const handler: MiddlewareHandler<AppEnv> = command ? (_, next) => next() : audited(audit)
  DESCRIBED.set(handler, audit ? { ...text, audit } : text)
  return handler
}

/** The route that a handler of `describe` declares; undefined for any other handler. */
export function routeTextOf(handler: object): RouteText | undefined {
  return DESCRIBED.get(handler)
}
