import { SEAL_KEY_CHARS_MIN } from '../lib/seal.ts'
import { SECRET_CHARS_MIN } from '../lib/secret.ts'
import { STATUS, type AppError, type InputIssue } from './errors.ts'

const TITLES: Record<AppError['code'], string> = {
  invalid_input: 'The input is not valid',
  no_user_message: 'There is no user message',
  unpriced_model: 'The model has no price',
  unauthorized: 'A key is needed',
  bad_signature: 'The delivery is not signed as it should be',
  forbidden: 'Not allowed',
  not_found: 'Not found',
  link_expired: 'The link is over',
  method_not_allowed: 'Method not allowed',
  run_in_progress: 'A run is in progress',
  run_over: 'The run is over',
  unsupported_version: 'The version of the protocol is not supported',
  nothing_to_continue: 'There is nothing to continue',
  stale_decision: 'The decision is stale',
  session_completed: 'The session is completed',
  needs_newer: 'The session needs a newer release',
  queue_full: 'Too many messages wait',
  webhook_disabled: 'The webhook is switched off',
  already_exists: 'It exists already',
  too_many: 'There are too many',
  job_in_progress: 'Another job is in progress',
  idempotency_key_reused: 'The idempotency key was used for another request',
  idempotency_in_progress: 'The first request with this key is still running',
  precondition_failed: 'It has changed',
  workspace_full: 'The workspace is full',
  unsupported_transport: 'The transport is not supported',
  body_too_large: 'The body is too large',
  headers_too_large: 'The headers are too large',
  unsupported_media_type: 'The content type is not supported',
  not_acceptable: 'Nothing that is accepted can be given',
  upgrade_required: 'A WebSocket is needed',
  rate_limited: 'Too many requests',
  internal_error: 'Internal error',
  not_configured: 'The server is not configured',
  unavailable: 'Cut by a restart',
  storage_failed: 'The data cannot be written',
  audit_unavailable: 'The audit cannot be written',
  issuer_unavailable: 'The keys of the issuer cannot be fetched',
}

/** Why a declared step is not done once more, and what to do. */
function stepRefusal(step: string, status: string): string {
  if (status === 'rolled_back') return 'What the run had done was undone; send a message to run the workflow anew.'
  if (status === 'not_kept') return `Of step ${step} nothing is kept; retry the step or the item around it.`
  return `Step ${step} is ${status}: only one that has ended is done once more. Carry the run on with POST …/continue.`
}

/** The address of what is said of an error, from the root of the server that answered. */
export function problemType(code: AppError['code']): string {
  return `/docs/errors#${code}`
}

/** What an error is called, for a person. */
export function problemTitle(code: AppError['code']): string {
  return TITLES[code]
}

/** What went wrong and what to do next, for a person. */
export function detailOf(error: AppError): string {
  switch (error.code) {
    case 'invalid_input':
    case 'workspace_full':
    case 'forbidden':
      return error.detail
    case 'no_user_message':
      return 'messages needs at least one message with role user.'
    case 'unpriced_model':
      return 'A money limit needs a model with a price in its currency: give the model a price in the config, or use max_total_tokens.'
    case 'unauthorized':
      return 'Send a valid key as Authorization: Bearer KEY.'
    case 'bad_signature':
      return `Nothing was started: ${error.reason}.`
    case 'not_found':
      if (error.there !== undefined) return `There is no such ${error.what} here. There are: ${error.there.join(', ')}.`
      return `There is no such ${error.what} here.`
    case 'link_expired':
      return 'The time of this link is over; ask for a new one.'
    case 'method_not_allowed':
      return `This resource answers ${error.allow.join(', ')}.`
    case 'run_in_progress':
      return `Run ${error.runId} is going on; wait for its end, follow it under …/events, or cancel it.`
    case 'run_over':
      return `Run ${error.runId} is over; send a message to its session for another.`
    case 'unsupported_version':
      return `${error.protocol} ${error.asked} is not spoken here. There are: ${error.there.join(', ')}.`
    case 'nothing_to_continue':
      if (error.task !== undefined)
        return `Task ${error.task} is ${error.status}, so that there is nothing to do of it.`
      if (error.step !== undefined) return stepRefusal(error.step, error.status)
      if (error.status === 'rolled_back') return stepRefusal('', error.status)
      return `The session is ${error.status}; send a message to start a run.`
    case 'stale_decision':
      return `${error.pendingId} does not wait for a decision, or not with these arguments; read the session for what is pending.`
    case 'session_completed':
      return 'The last message is not from the user; add a user message to go on.'
    case 'needs_newer':
      return 'A later release of the server wrote to this session what this one cannot go on with. It can be read, exported and deleted; run the later release to go on.'
    case 'queue_full':
      return `At most ${error.messagesMax} messages wait for a run; try again when it has ended.`
    case 'webhook_disabled':
      return 'Nothing was started. Its owner can switch it on again: PATCH with enabled true.'
    case 'already_exists':
      return `There is ${/^(?:[aei]|MCP)/i.test(error.what) ? 'an' : 'a'} ${error.what} already: change it, or delete it first.`
    case 'too_many':
      return `At most ${error.max} ${error.what} are kept; delete one first.`
    case 'job_in_progress':
      return `${error.jobId} (${error.type}) is under way for this user; wait for its end.`
    case 'idempotency_key_reused':
      return 'The same Idempotency-Key came with another request before; use a new key for a new request.'
    case 'idempotency_in_progress':
      return 'Wait for its answer, or send the same request again later.'
    case 'precondition_failed':
      if (error.etag === '') return `There is no such ${error.what ?? 'session'} now.`
      return `The ${error.what ?? 'session'} is at ${error.etag}; read it again and repeat the change.`
    case 'unsupported_transport':
      return 'A server with a command would run as a process here (stdio), which is not possible: run it elsewhere over Streamable HTTP and give its url.'
    case 'body_too_large':
      return `At most ${error.bytesMax} bytes are taken.`
    case 'headers_too_large':
      return `Names and values of all headers may have ${error.bytesMax} bytes together.`
    case 'unsupported_media_type':
      return `Send the body as ${error.expected}.`
    case 'not_acceptable':
      return `Answers are ${error.there.join(' or ')}: accept one of these.`
    case 'upgrade_required':
      return 'Connect with a WebSocket client (Upgrade: websocket).'
    case 'rate_limited':
      return `At most ${error.max} ${error.what} are taken; try again in ${Math.ceil(error.retryAfterMs / 1_000)} s.`
    case 'internal_error':
      return 'The server broke inside. Nothing of the request is known to be done; try again, and name the request_id when you report it.'
    case 'unavailable':
      return 'The process that answers was replaced meanwhile, as at a deploy. What was begun goes on by itself: read the session, or send the same again under the same Idempotency-Key.'
    case 'storage_failed':
      return 'What the server keeps cannot be written, most likely because its disk is full. Nothing is half done. Make room on the disk of its data folder, then send the same again.'
    case 'audit_unavailable':
      return 'What an admin does has to be on record, and the audit cannot be written now. Nothing was done; try again later.'
    case 'issuer_unavailable':
      return 'Whether the token is right is not known: the keys of its issuer cannot be fetched now. Nothing was done; try again later.'
    case 'not_configured':
      if (error.lacks === 'secret')
        return `YAA_SECRET has fewer than ${SECRET_CHARS_MIN} characters, so that it can be guessed. Set another one (openssl rand -base64 32 | npx wrangler secret put YAA_SECRET), or none, then try again.`
      if (error.lacks === 'secrets_key')
        return `Connections are kept encrypted, and YAA_SECRETS_KEY is not set, or has fewer than ${SEAL_KEY_CHARS_MIN} characters. Set it (openssl rand -base64 32 | npx wrangler secret put YAA_SECRETS_KEY), then try again; yaa serve makes one in its data folder.`
      return 'Nobody can be let in: no key is configured. Set YAA_API_KEY, of at least 16 characters (deployed: npx wrangler secret put YAA_API_KEY), or auth in the config, then try again.'
  }
}

function issuesIn(error: AppError): InputIssue[] | undefined {
  return 'issues' in error ? error.issues : undefined
}

/** An error as the JSON of a problem. Source: RFC 9457. */
export function problemBody(error: AppError, requestId: string) {
  const errors = issuesIn(error)
  return {
    type: problemType(error.code),
    title: TITLES[error.code],
    status: STATUS[error.code],
    detail: detailOf(error),
    code: error.code,
    request_id: requestId,
    ...(errors ? { errors } : {}),
  }
}
