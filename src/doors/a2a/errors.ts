import * as z from 'zod'
import { type AppError, STATUS } from '../../domain/errors.ts'
import { problemTitle } from '../../domain/problem.ts'
import type { ErrorShape, RefusalText } from '../../http/openapi/error-shape.ts'
import { onDemand } from '../../lib/shape.ts'
import { textOfError } from '../../lib/error-text.ts'

/** How errors are said to clients of A2A. Source: the A2A specification 1.0, "Error handling"; google.rpc. */

/** What an error is in the protocol: a reason of its own, or one of ours. */
interface Said {
  reason: string
  /** Of JSON-RPC. */
  rpc: number
  /** Of HTTP+JSON: what google.rpc calls it. */
  name: string
}

const said = (reason: string, rpc: number, name: string): Said => ({ reason, rpc, name })

const TASK_NOT_FOUND = said('TASK_NOT_FOUND', -32001, 'NOT_FOUND')
const NOT_CANCELABLE = said('TASK_NOT_CANCELABLE', -32002, 'FAILED_PRECONDITION')
const UNSUPPORTED = said('UNSUPPORTED_OPERATION', -32004, 'FAILED_PRECONDITION')
const BAD_CONTENT = said('CONTENT_TYPE_NOT_SUPPORTED', -32005, 'INVALID_ARGUMENT')
const BAD_VERSION = said('VERSION_NOT_SUPPORTED', -32009, 'FAILED_PRECONDITION')
const BAD_PARAMS = said('INVALID_PARAMS', -32602, 'INVALID_ARGUMENT')
const NO_SUCH_PARAM = said('INVALID_PARAMS', -32602, 'NOT_FOUND')

/** Errors that the protocol has a word for. */
const KNOWN: Partial<Record<AppError['code'], Said>> = {
  run_over: UNSUPPORTED,
  stale_decision: UNSUPPORTED,
  run_in_progress: UNSUPPORTED,
  session_completed: UNSUPPORTED,
  nothing_to_continue: UNSUPPORTED,
  unsupported_version: BAD_VERSION,
  not_acceptable: BAD_CONTENT,
  unsupported_media_type: BAD_CONTENT,
  invalid_input: BAD_PARAMS,
  no_user_message: BAD_PARAMS,
  unpriced_model: BAD_PARAMS,
}

const NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  406: 'INVALID_ARGUMENT',
  409: 'ABORTED',
  412: 'FAILED_PRECONDITION',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  431: 'INVALID_ARGUMENT',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

/** Of what JSON-RPC and the protocol say nothing. */
const SERVER_ERROR = -32000
const INTERNAL = -32603
const NO_METHOD = -32601

const MISSING: Readonly<Record<string, Said>> = {
  task: TASK_NOT_FOUND,
  'push notification config': TASK_NOT_FOUND,
  model: NO_SUCH_PARAM,
  session: NO_SUCH_PARAM,
  method: said('METHOD_NOT_FOUND', NO_METHOD, 'UNIMPLEMENTED'),
}

/** What is being done where the same error has words of its own. */
export type ErrorPlace = 'cancel' | 'envelope' | 'parse' | null

function saidOf(error: AppError, place: ErrorPlace): Said {
  const { code } = error
  if (code === 'run_over' && place === 'cancel') return NOT_CANCELABLE
  if (code === 'invalid_input' && place === 'parse') return said('PARSE_ERROR', -32700, 'INVALID_ARGUMENT')
  if (code === 'invalid_input' && place === 'envelope') return said('INVALID_REQUEST', -32600, 'INVALID_ARGUMENT')
  const known = code === 'not_found' ? MISSING[error.what] : KNOWN[code]
  if (known) return known
  const status = STATUS[code]
  const rpc = code === 'internal_error' ? INTERNAL : SERVER_ERROR
  return said(code.toUpperCase(), rpc, NAMES[status] ?? 'UNKNOWN')
}

const INFO = 'type.googleapis.com/google.rpc.ErrorInfo'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
const OWN_DOMAIN = 'a2a-protocol.org'

type About = Parameters<ErrorShape['bodyOf']>[1]

/** Our code goes along with theirs. */
function detailsOf({ code }: AppError, { reason }: Said, { requestId, words: { issues } }: About): object[] {
  const isOurs = reason === code.toUpperCase()
  const info = { '@type': INFO, reason, domain: isOurs ? 'yaa' : OWN_DOMAIN }
  const violations = issues.map(({ path, message }) => ({ field: path, description: message }))
  return [
    { ...info, metadata: { code, request_id: requestId } },
    ...(violations.length > 0 ? [{ '@type': BAD_REQUEST, fieldViolations: violations }] : []),
  ]
}

/** Of JSON-RPC: what the protocol has a word for is an answer like others; the rest has our status as well. */
export function rpcErrors(id: string | number | null, place: ErrorPlace = null): ErrorShape {
  const bodyOf: ErrorShape['bodyOf'] = (error, about) => {
    const it = saidOf(error, place)
    const { words } = about
    return {
      jsonrpc: '2.0',
      id,
      error: { code: it.rpc, message: textOfError(words, 1), data: detailsOf(error, it, about) },
    }
  }
  return {
    contentType: 'application/json; charset=utf-8',
    statusOf: (error) => {
      const { rpc } = saidOf(error, place)
      return rpc === SERVER_ERROR || rpc === INTERNAL ? STATUS[error.code] : 200
    },
    bodyOf,
    eventOf: bodyOf,
  }
}

/** Of HTTP+JSON. In a stream its clients know an error by the name of its event, as the servers of the official SDK send it. */
export function restErrors(place: ErrorPlace = null): ErrorShape {
  const bodyOf: ErrorShape['bodyOf'] = (error, about) => {
    const it = saidOf(error, place)
    const { status: code, words } = about
    return { error: { code, status: it.name, message: textOfError(words, 1), details: detailsOf(error, it, about) } }
  }
  return { contentType: 'application/json; charset=utf-8', bodyOf, eventOf: bodyOf, eventName: 'error' }
}

const restError = /* @__PURE__ */ onDemand(() =>
  z.object({
    error: z.object({
      code: z.int(),
      status: z.string(),
      message: z.string(),
      details: z.array(z.record(z.string(), z.unknown())),
    }),
  }),
)

/** A refusal of JSON-RPC. What the protocol has a code for comes with status 200. */
export const rpcError = /* @__PURE__ */ onDemand(() =>
  z.object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]),
    error: z.object({
      code: z.int(),
      message: z.string(),
      data: z.array(z.record(z.string(), z.unknown())),
    }),
  }),
)

const example = (code: AppError['code']) => ({ message: `${problemTitle(code)}.`, '@type': INFO })

export const REST_REFUSALS: RefusalText = {
  contentType: 'application/json; charset=utf-8',
  name: 'A2aError',
  schema: restError,
  exampleOf: (code) => {
    const { message, ...info } = example(code)
    const status = STATUS[code]
    const details = [{ ...info, reason: code.toUpperCase(), domain: 'yaa', metadata: { code } }]
    return { error: { code: status, status: NAMES[status] ?? 'UNKNOWN', message, details } }
  },
}

export const RPC_REFUSALS: RefusalText = {
  contentType: 'application/json; charset=utf-8',
  name: 'A2aRpcError',
  schema: rpcError,
  exampleOf: (code) => {
    const { message, ...info } = example(code)
    const data = [{ ...info, reason: code.toUpperCase(), domain: 'yaa', metadata: { code } }]
    return { jsonrpc: '2.0', id: null, error: { code: SERVER_ERROR, message, data } }
  },
}
