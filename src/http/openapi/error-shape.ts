import type * as z from 'zod'
import type { AppError } from '../../domain/errors.ts'
import { problemBody } from '../../domain/problem.ts'

/** How a door says an error. */
export interface ErrorShape {
  contentType: string
  bodyOf: (error: AppError, about: { requestId: string; status: number }) => object
}

/** As our own API does. Source: RFC 9457. */
export const PROBLEM: ErrorShape = {
  contentType: 'application/problem+json; charset=utf-8',
  bodyOf: (error, { requestId }) => problemBody(error, requestId),
}

/** How refusals of a route are said, in the words of the OpenAPI document. */
export interface RefusalText {
  contentType: string
  /** Of the schema. */
  name: string
  schema: () => z.ZodType
  exampleOf: (code: AppError['code']) => object
}
