import type { Scope } from './access.ts'

/** One place in an input that is wrong; `path` in dotted form, empty for the whole. */
export interface InputIssue {
  path: string
  message: string
}

/** Every expected failure of a command. A new code without a status below does not compile. */
export type AppError =
  | { code: 'invalid_input'; detail: string; issues: InputIssue[] }
  | { code: 'no_user_message' }
  | { code: 'unpriced_model'; issues: InputIssue[] }
  | { code: 'unauthorized' }
  /** A delivery that does not prove where it comes from. */
  | { code: 'bad_signature'; reason: string }
  /** `scope`: a key that had it would be let in. */
  | { code: 'forbidden'; detail: string; scope?: Scope }
  /** `there`: names of what there is. */
  | { code: 'not_found'; what: string; there?: readonly string[] }
  /** A signed link that is over. */
  | { code: 'link_expired' }
  | { code: 'method_not_allowed'; allow: string[] }
  | { code: 'run_in_progress'; runId: string }
  /** It takes no message any more, and cannot be cancelled. */
  | { code: 'run_over'; runId: string }
  /** A protocol in a version that is not spoken here; `there`: those that are. */
  | { code: 'unsupported_version'; protocol: string; asked: string; there: readonly string[] }
  | { code: 'nothing_to_continue'; status: string; task?: string; step?: string }
  | { code: 'stale_decision'; pendingId: string }
  | { code: 'session_completed' }
  /** A later release wrote what this one cannot go on with. */
  | { code: 'needs_newer' }
  | { code: 'queue_full'; messagesMax: number }
  | { code: 'webhook_disabled' }
  | { code: 'already_exists'; what: string }
  /** There are as many as there may be. */
  | { code: 'too_many'; what: string; max: number }
  /** Another job on the same user is under way. */
  | { code: 'job_in_progress'; jobId: string; type: string }
  | { code: 'idempotency_key_reused' }
  | { code: 'idempotency_in_progress' }
  /** `what`: default, the session; `etag` empty: there is none. */
  | { code: 'precondition_failed'; etag: string; what?: string }
  | { code: 'workspace_full'; detail: string }
  /** A server that would have to be started here. */
  | { code: 'unsupported_transport' }
  /** `issues`: the part of a message that is too large. */
  | { code: 'body_too_large'; bytesMax: number; issues?: InputIssue[] }
  /** Names and values of a request's headers. */
  | { code: 'headers_too_large'; bytesMax: number }
  | { code: 'unsupported_media_type'; expected: string }
  /** Nothing of what the client takes can be given; `there`: what can be. */
  | { code: 'not_acceptable'; there: readonly string[] }
  | { code: 'upgrade_required' }
  /** `lacks`: what has to be set first. */
  | { code: 'not_configured'; lacks: 'key' | 'secret' | 'secrets_key' }
  /** `what`: there are `max` of it, such as requests a minute. */
  | { code: 'rate_limited'; what: string; max: number; retryAfterMs: number }
  | { code: 'internal_error' }
  | { code: 'unavailable' }
  /** What is kept cannot be opened or written, as on a full disk. */
  | { code: 'storage_failed' }
  /** What has to be on record cannot be recorded. */
  | { code: 'audit_unavailable' }
  | { code: 'issuer_unavailable' }

export const STATUS = {
  invalid_input: 400,
  no_user_message: 400,
  unpriced_model: 400,
  unsupported_version: 400,
  unauthorized: 401,
  bad_signature: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  run_in_progress: 409,
  run_over: 409,
  nothing_to_continue: 409,
  stale_decision: 409,
  session_completed: 409,
  needs_newer: 409,
  queue_full: 409,
  webhook_disabled: 409,
  already_exists: 409,
  too_many: 409,
  job_in_progress: 409,
  idempotency_in_progress: 409,
  workspace_full: 409,
  link_expired: 410,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  unsupported_transport: 422,
  upgrade_required: 426,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_configured: 503,
  unavailable: 503,
  storage_failed: 503,
  audit_unavailable: 503,
  issuer_unavailable: 503,
} as const satisfies Record<AppError['code'], number>

/** An expected failure is a value: it crosses RPC and boundaries as plain data. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: AppError }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
export const fail = (error: AppError): { ok: false; error: AppError } => ({ ok: false, error })
export const invalid = (
  issues: InputIssue[],
  detail = 'The input does not fit; see errors.',
): { ok: false; error: AppError } => fail({ code: 'invalid_input', detail, issues })
