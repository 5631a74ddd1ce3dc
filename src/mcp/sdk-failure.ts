import {
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { AddressRefused } from '../net/outcome.ts'
import type { McpFailure } from './failure.ts'
import { SecretLacking } from './server-headers.ts'
import { AnswerTooLong, AuthorisationFailed, AuthorisationWanted } from './server-fetch.ts'
import { isStreamEnd } from './call-streams.ts'

/** The class of an error of `connect`, `listTools` or `callTool`. */
export function mcpFailureOf(error: unknown): McpFailure {
  if (error instanceof AddressRefused) return { code: 'address_refused', detail: error.detail }
  if (error instanceof SecretLacking) return { code: 'secret', problem: error.problem }
  if (error instanceof AnswerTooLong || isCausedBy(error, AnswerTooLong)) return { code: 'too_long' }
  if (error instanceof AuthorisationWanted) return { code: 'authorise', url: error.url }
  if (UnauthorizedError.isInstance(error)) return { code: 'unauthorized' }
  if (isAuthorisationError(error)) return { code: 'authorisation_failed' }
  if (SdkHttpError.isInstance(error)) return httpFailure(error)
  if (SdkError.isInstance(error)) return sdkFailure(error)
  if (isStreamEnd(error)) return { code: 'unreachable' }
  if (ProtocolError.isInstance(error)) return { code: 'refused', detail: error.message }
  if (isNamed(error, 'TimeoutError')) return { code: 'timeout' }
  return isNamed(error, 'ZodError') || error instanceof SyntaxError
    ? { code: 'bad_answer', detail: '' }
    : { code: 'unreachable' }
}

function isAuthorisationError(error: unknown): boolean {
  return error instanceof AuthorisationFailed || error instanceof OAuthClientFlowError || error instanceof OAuthError
}

function httpFailure({ status, message, data }: SdkHttpError): McpFailure {
  if (status === undefined) return { code: 'unreachable' }
  if (status === 401 || status === 403) return { code: 'unauthorized' }
  return { code: 'status', status, detail: typeof data.text === 'string' ? data.text : message }
}

function sdkFailure(error: SdkError): McpFailure {
  if (error.code === SdkErrorCode.RequestTimeout) return { code: 'timeout' }
  if (error.code === SdkErrorCode.UnsupportedResultType) return { code: 'wants_input' }
  if (error.cause !== undefined && error.cause !== error) return mcpFailureOf(error.cause)
  return BAD_ANSWERS.has(error.code) ? { code: 'bad_answer', detail: error.message } : { code: 'unreachable' }
}

const BAD_ANSWERS: ReadonlySet<string> = new Set([SdkErrorCode.InvalidResult, SdkErrorCode.ClientHttpUnexpectedContent])

/** Whether the server has forgotten the session that it gave; the call was not looked at. */
export function isSessionGone(error: unknown): boolean {
  return SdkHttpError.isInstance(error) && error.status === 404
}

/** Whether the server would say the same however it is spoken to. */
export function isUnauthorised(error: unknown): boolean {
  return ['authorise', 'unauthorized', 'authorisation_failed', 'secret'].includes(mcpFailureOf(error).code)
}

function isCausedBy(error: unknown, kind: new (...args: never[]) => Error): boolean {
  return error instanceof Error && error.cause instanceof kind
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name
}
