import type * as z from 'zod'
import type { AppError } from '../../domain/errors.ts'
import type { Scope } from '../../domain/access.ts'

/** What a handler says of the route that it is part of, for the OpenAPI document. A route's handlers say it together. */
export interface RouteFacts {
  scope?: Scope
  /** Takes Idempotency-Key. */
  keyed?: true
  body?: z.ZodType
  query?: z.ZodObject
  /** Why it may refuse, beside what every route may answer. */
  errors?: readonly AppError['code'][]
}

const DECLARED = new WeakMap<object, RouteFacts>()

/** The handler, with what it says of its routes. Costs nothing until the document is asked for. */
export function declared<Handler extends object>(handler: Handler, facts: RouteFacts): Handler {
  DECLARED.set(handler, facts)
  return handler
}

export function factsOf(handler: object): RouteFacts | undefined {
  return DECLARED.get(handler)
}
