import * as z from 'zod'
import { type AppError, STATUS } from '../../domain/errors.ts'
import type { RpcId } from '../../domain/mcp-session.ts'
import { problemTitle } from '../../domain/problem.ts'
import { type ErrorShape, type ErrorWords, errorWords, type RefusalText } from '../../http/openapi/error-shape.ts'
import { onDemand, type ShapeOf } from '../../lib/shape.ts'
import { textOfError } from '../../lib/error-text.ts'

/** Errors of ours as JSON-RPC says them. */

const rpcErrorBody = /* @__PURE__ */ onDemand(() =>
  z.object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]),
    error: z.object({
      code: z.number().int(),
      message: z.string(),
      data: z.object({ code: z.string(), status: z.number().int(), request_id: z.string().optional() }).optional(),
    }),
  }),
)
type RpcErrorBody = ShapeOf<typeof rpcErrorBody>

export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

const INVALID_PARAMS = -32_602
const INTERNAL = -32_603
const METHOD_NOT_FOUND = -32_601
/** Of those that an implementation may give meanings of its own. */
const REFUSED = -32_000

function rpcCode(code: AppError['code']): number {
  const status = STATUS[code]
  if (status === 400 || status === 404 || status === 422) return INVALID_PARAMS
  if (status === 405) return METHOD_NOT_FOUND
  return status === 500 ? INTERNAL : REFUSED
}

/** What a JSON-RPC error says of one of ours. */
export interface RpcFault {
  code: number
  message: string
  data: { code: string; status: number; request_id?: string }
}

export function rpcFault(
  error: AppError,
  { requestId, words = errorWords(error) }: { requestId?: string; words?: ErrorWords } = {},
): RpcFault {
  const { code } = error
  return {
    code: rpcCode(code),
    message: textOfError(words),
    data: { code, status: STATUS[code], ...(requestId ? { request_id: requestId } : {}) },
  }
}

/** What stands before all routes knows no id of a request. */
export const MCP_ERRORS: ErrorShape & RefusalText = {
  contentType: 'application/json; charset=utf-8',
  name: 'McpError',
  schema: rpcErrorBody,
  exampleOf: (code): RpcErrorBody => ({
    jsonrpc: '2.0',
    id: null,
    error: { code: rpcCode(code), message: `${problemTitle(code)}.`, data: { code, status: STATUS[code] } },
  }),
  bodyOf: (error, about) => ({ jsonrpc: '2.0', id: null, error: rpcFault(error, about) }),
  resourceMetadata: `${RESOURCE_METADATA}/mcp`,
}

/** The same for what answers a request. A stream that breaks off ends with it: a client that waits for more would only ask in vain. */
export function requestErrors(id: RpcId): ErrorShape {
  const bodyOf: ErrorShape['bodyOf'] = (error, about) => ({ jsonrpc: '2.0', id, error: rpcFault(error, about) })
  return { ...MCP_ERRORS, bodyOf, eventOf: bodyOf }
}
