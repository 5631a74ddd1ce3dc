import { LIMITS } from '../../domain/limits.ts'
import type { JsonSchema } from '../../domain/tool.ts'

/** Parts of the document that routes refer to. */

export const TAGS: readonly { name: string; description: string }[] = [
  { name: 'sessions', description: 'Tasks, runs, decisions, events and files of one conversation.' },
  { name: 'pending', description: 'What waits for a human in all sessions.' },
  { name: 'agent', description: 'A run over a session that the caller keeps.' },
  { name: 'openai', description: 'Routes for clients of OpenAI, unmodified.' },
  { name: 'ai-sdk', description: 'Routes for `useChat` of the AI SDK, unmodified.' },
  { name: 'ag-ui', description: 'Routes for clients of AG-UI, unmodified.' },
  { name: 'skills', description: 'Prompts with tools and inputs, shipped or your own.' },
  { name: 'workflows', description: 'Declared steps: what is done in which order, shipped or your own.' },
  { name: 'teams', description: 'Teams of roles that come with the server.' },
  { name: 'memory', description: 'What is remembered of users, and all that there is of one: exported, erased.' },
  { name: 'usage', description: 'Tokens and money that were spent.' },
  { name: 'budgets', description: 'What users may spend by day and month, and what they are topped up by.' },
  { name: 'mcp-servers', description: 'Servers of the Model Context Protocol and their tools.' },
  { name: 'openapi-tools', description: 'APIs whose operations are tools.' },
  { name: 'webhooks', description: 'Inbound: news that start tasks.' },
  { name: 'hooks', description: 'Where webhooks are delivered.' },
  { name: 'callbacks', description: 'Outbound: who is told of runs.' },
  { name: 'schedules', description: 'Tasks at a time, or again and again.' },
  { name: 'connections', description: 'Secrets of the tenant, each for its origin, never shown again.' },
  { name: 'settings', description: 'What the tenant sets in the place of the config file, without a deploy.' },
  { name: 'keys', description: 'API keys of the tenant, and what the one that asks may do.' },
  { name: 'links', description: 'Signed links to one session or one decision.' },
  { name: 'limits', description: 'What is allowed, and what is left of it.' },
  { name: 'tenants', description: 'Tenants of the server.' },
  { name: 'audit', description: 'Who did what: a chain of entries that shows changes.' },
  { name: 'catalog', description: 'Tools and models of this server.' },
  { name: 'metrics', description: 'Counters for a monitoring system.' },
  { name: 'server', description: 'The server itself: health, this document, pages.' },
]

const header = (name: string, description: string, more: JsonSchema = {}): JsonSchema => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...more },
})

const KEY_CHARS_MAX = LIMITS.idempotency.keyCharsMax

export const SHARED_PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  'Idempotency-Key': header(
    'Idempotency-Key',
    `The same request under the same key, within 24 hours, is answered as the first was. A key has 1 to ${KEY_CHARS_MAX} characters, with or without quotes around it.`,
    { pattern: `^(".{1,${KEY_CHARS_MAX}}"|[^"\\s].{0,${KEY_CHARS_MAX - 1}})$` },
  ),
  Prefer: header('Prefer', '`respond-async`: 202 at once; the run goes on in the background.'),
  'If-Match': header('If-Match', 'An ETag: only if it is still as that says, else 412.'),
  'If-None-Match': header(
    'If-None-Match',
    'An ETag: 304 if it is still as that says; `*` of a PUT: only if there is none.',
  ),
  'Last-Event-ID': header('Last-Event-ID', 'Id of the last event that was heard: SEQ or SEQ.N.'),
  traceparent: header('traceparent', 'W3C Trace Context: spans of the run belong to this one.'),
  tracestate: header('tracestate', 'W3C Trace Context: goes on unchanged to models and MCP servers.'),
}

const answered = (description: string, schema: JsonSchema = { type: 'string' }): JsonSchema => ({ description, schema })

export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  RequestId: answered('Id of this request, also in problems, logs and the audit.'),
  Location: answered('Path of what was created, or of the run that goes on.'),
  ETag: answered('Version of what is answered; for `If-Match` and `If-None-Match`.'),
  'Idempotent-Replayed': answered('`true`: what the first request under this key was answered.'),
  'Retry-After': answered('Seconds to wait before the next try.', { type: 'integer' }),
  RateLimit: answered('How many requests are left, and when they are all there again.'),
  'RateLimit-Policy': answered('How many requests are allowed in which time.'),
  'WWW-Authenticate': answered('How to prove who one is, and what was wrong with the proof.'),
}

export const QUERY_PARAMETERS: Readonly<Record<string, string>> = {
  limit: 'Entries of a page at most; a page of much data ends earlier.',
  stream: '`true`: events as they happen, until the run rests.',
  starting_after: 'Only events behind this `sequence_number`.',
  order: '`asc`: oldest first; `desc`: newest first.',
  cursor: '`next_cursor` of the page before; not given: the first page.',
  after: 'Only what comes behind this seq; of events also behind a delta (SEQ.N).',
  user: 'Only what belongs to this user.',
  type: 'Only what has this type.',
  status: 'Only what has this status.',
  q: 'Words that are looked for, in any case.',
  pinned: '`true`: only those whose `metadata` says `pinned: true`.',
  stuck: '`true`: only what is in progress and gave no sign for `min_age_ms`.',
  min_age_ms: 'Nothing younger than so many milliseconds.',
  messages: 'Which messages the session is given with.',
  when_busy:
    'What becomes of the message while a run is going: `reject` it (409), `queue` it for a run of its own, `interrupt` the run, or `steer` it: the next model call of the run has the message.',
  path: 'Only files in this folder of the workspace.',
  format: 'As a list, or all files in one zip.',
  untrusted: '`true`: its content may come from outside, and is fenced when a model reads it.',
  by: 'What sums are made for: each day, model, user, skill or session.',
  from: 'From this date or time on (RFC 3339).',
  to: 'Before this date or time (RFC 3339).',
  actor: 'Only what this one did: an id as `actor.id` has it.',
  action: 'Only what was done in this way, such as `session.decide`.',
  target: 'Only what was done to this id.',
  version: 'Number of the version; not given: the newest.',
  language: 'Language of texts, as a BCP 47 tag such as `en`.',
  state: 'Text from the address to which the browser was sent; it proves who comes back.',
  code: 'What the authorisation server gave; it is changed for a token.',
  iss: 'The authorisation server that sends the browser back.',
  kind: 'Only names that stand for this: `agent`, `model`, `team` or `skill`.',
  keep_config: '`true`: what the config of the document allows stays, and so does a model elsewhere that it names.',
}

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: 'Its id, such as ses_…, as its list gives it.',
  pending_id: 'Id of a pending item (pnd_…).',
  call: 'Id of a tool call (call_…).',
  task: 'Id of a sub-task (tsk_…).',
  step: 'Path of a step, such as `review`, `each[3]` for an item of a map, or `each[3].read`.',
  name: 'Its name, as its list gives it.',
  user: 'Who it is of, as sessions name them in `user`.',
  key: 'Name of the preference, such as `tone`.',
  link: 'Id of a link (lnk_…).',
  token: 'The token of a signed link.',
  path: 'Path of a file in the workspace; slashes are part of it.',
  model: 'A name that clients give as a model; slashes are part of it.',
}

export function pathParameter(name: string): JsonSchema {
  return {
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name] ?? 'Its id, as its list gives it.',
    schema: { type: 'string', minLength: 1 },
  }
}

/** Names of a route in the OpenAPI document, made of its method and path. */

/** What a POST to such a path does. */
const ACTIONS: ReadonlySet<string> = new Set([
  'authorize',
  'cancel',
  'continue',
  'disable',
  'enable',
  'fork',
  'import',
  'refresh',
  'retry',
  'revoke',
  'rotate',
  'run',
  'test',
])

const TAG_OF: Readonly<Record<string, string>> = {
  users: 'memory',
  me: 'keys',
  agent: 'agent',
  chat: 'openai',
  'ai-sdk': 'ai-sdk',
  responses: 'openai',
  tools: 'catalog',
  orchestrators: 'catalog',
  models: 'catalog',
  oauth: 'mcp-servers',
}

/** One route under two addresses. */
const TWICE_SERVED: Readonly<Record<string, string>> = { 'POST /v1/agent': 'runAgent', 'POST /': 'runAgentAtRoot' }

/** `GET /v1/sessions/{id}/messages` → `listSessionMessages`. */
export function operationId(method: string, path: string): string {
  const known = TWICE_SERVED[`${method} ${path}`]
  if (known !== undefined) return known
  const parts = path.split('/').filter((part) => part !== '' && part !== 'v1')
  const nouns = parts.filter((part) => !part.startsWith('{'))
  const last = parts.at(-1) ?? ''
  if (method === 'POST' && ACTIONS.has(last)) return camel([last, ...nouns.slice(0, -1).map(singular)])
  const isList = method === 'GET' && !last.startsWith('{') && singular(last) !== last
  const names = nouns.map((noun, index) => (isList && index === nouns.length - 1 ? noun : singular(noun)))
  return camel([isList ? 'list' : (VERBS[method] ?? method.toLowerCase()), ...names])
}

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'put',
  PATCH: 'update',
  DELETE: 'delete',
}

/** The resource that a path belongs to. */
export function tagOf(path: string): string {
  const [first = '', second = ''] = path.split('/').filter((part) => part !== '')
  const resource = first === 'v1' ? second : first
  return TAG_OF[resource] ?? (first === 'v1' || first === 'hooks' ? resource : 'server')
}

function singular(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`
  return /[^su]s$/.test(noun) ? noun.slice(0, -1) : noun
}

function camel(words: readonly string[]): string {
  const parts = words.flatMap((word) => word.split(/[^A-Za-z0-9]+/)).filter((part) => part !== '')
  return parts.map((part, index) => (index === 0 ? part : part[0]?.toUpperCase() + part.slice(1))).join('')
}
