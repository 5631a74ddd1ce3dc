import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type * as z from 'zod'
import type { AppError } from '../../domain/errors.ts'
import { detailOf, problemBody } from '../../domain/problem.ts'

/** An error in words: what went wrong, and what is wrong at which place of the request. */
export interface ErrorWords {
  detail: string
  issues: readonly { path: string; message: string }[]
}

export function errorWords(error: AppError): ErrorWords {
  return { detail: detailOf(error), issues: 'issues' in error ? (error.issues ?? []) : [] }
}

/** `words`: in the language of the request. */
interface ErrorAbout {
  requestId: string
  status: number
  words: ErrorWords
}

/** How a door says an error. */
export interface ErrorShape {
  contentType: string
  bodyOf: (error: AppError, about: ErrorAbout) => object
  /** The status with which it is said; absent: that of our own API. */
  statusOf?: (error: AppError) => ContentfulStatusCode
  /** Headers that its clients look for; absent: none. */
  headersOf?: (error: AppError) => Readonly<Record<string, string>>
  /** The data of the event that breaks a stream off; absent: it ends as it is, and its clients see by that that it is not whole. */
  eventOf?: (error: AppError, about: ErrorAbout) => object
  /** The name of that event; absent: it has none. */
  eventName?: string
  /** The path at which clients learn who gives tokens for it, where issuers are configured (RFC 9728); absent: nowhere. */
  resourceMetadata?: string
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
