/**
 * yaa without a server: sessions as plain data that the caller keeps, and an agent that works on them. Runs wherever there
 * are web globals: Node, browsers, Workers.
 *
 *     const agent = createAgent({ config: { models: { mine: { api_url: 'https://…/v1', api_key: '…' } }, default_model: 'mine' } })
 *     let session = createSession({ config: { language: 'en' } })
 *     session = withMessage(session, 'Read https://example.com and list its key points')
 *     const response = await agent.run(session)              // interrupted: a tool waits for approval
 *     session = withMessage(withResponse(session, response), approve('web_access'))
 *     for await (const chunk of agent.stream(session)) …      // StreamResponseData, as it is written
 */
import type * as z from 'zod'
import { SKILL_FILES } from '../configs/skills/index.ts'
import type { WrittenContent } from './domain/content-input.ts'
import type { AuditActor } from './domain/audit.ts'
import type { AppError, InputIssue } from './domain/errors.ts'
import type { Message, WrittenMessage } from './domain/message.ts'
import { type StatelessInput, statelessInput } from './domain/session-input.ts'
import type { AgentResponseData, StreamResponseData } from './domain/session.ts'
import type { ServerConfig } from './domain/server-config.ts'
import { serverConfig } from './models/providers.ts'
import type { Fetch } from './domain/ports.ts'
import type { Tool } from './domain/tool.ts'
import { statelessChunks } from './http/projections.ts'
import { newId } from './lib/id.ts'
import { isObject } from './lib/json.ts'
import { newSecretText, Secret } from './lib/secret.ts'
import { onDemand } from './lib/shape.ts'
import { checkedBy } from './lib/zod.ts'
import { createEngine } from './run/setup/create-engine.ts'
import { runStateless, type StatelessAnswer } from './session/stateless.ts'
import { givenTool, givenToolIssues } from './tools/given-tools.ts'

export { decideAgent } from './orchestrators/agent/index.ts'
export type { Move, RunView } from './engine/move.ts'
export { defineTool, type ToolDefinition } from './tools/define.ts'
export type { ServerConfig } from './domain/server-config.ts'
export { serverConfig } from './models/providers.ts'
export { sessionConfig, type SessionConfig } from './domain/config.ts'
export type { AgentResponseData, SessionData, StreamResponseData } from './domain/session.ts'
export type { Message, ToolCall } from './domain/message.ts'
export type { WrittenContent } from './domain/content-input.ts'
export type { Pending } from './domain/pending.ts'
export type { Tool, ToolContext, ToolOutcome } from './domain/tool.ts'
export type { Usage } from './domain/usage.ts'

/** A session as its keeper holds it: all of it goes in and comes back. */
export type Session = Omit<StatelessInput, 'id' | 'messages'> & { id: string; messages: WrittenMessage[] }

export interface AgentOptions {
  /** As the server's config file. */
  config?: ServerConfig
  /** Values of the names in `api_key_env` and the like. */
  secrets?: Record<string, string>
  /** How the world is reached; the global `fetch` by default. */
  fetch?: Fetch
  /** What proves that a pending item was given out here: at least 32 characters, the same wherever it may come back to. Default: one for
   *  this process. */
  secret?: string
  /** Tools of your own beside those of the product. */
  tools?: readonly Tool[]
}

export interface RunOptions {
  /** Stops the run when it aborts: it ends with the status `cancelled`, and what was done until then is in its answer. */
  signal?: AbortSignal | undefined
}

export interface Agent {
  /** One bounded batch; rejects with `AgentInputError` for a session that cannot be run. */
  run(session: Session, options?: RunOptions): Promise<AgentResponseData>
  /** The same as it is written. Whoever leaves it early stops the run. */
  stream(session: Session, options?: RunOptions): AsyncGenerator<StreamResponseData, void, void>
}

/** A session, config or tool that cannot be run; `problem` says why, with paths. */
export class AgentInputError extends Error {
  override readonly name = 'AgentInputError'
  readonly problem: AppError

  constructor(problem: AppError) {
    super(
      'issues' in problem
        ? `${problem.code}: ${problem.issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`
        : problem.code,
    )
    this.problem = problem
  }
}

export function createSession(given: Partial<Session> = {}): Session {
  return { id: newId('ses', Date.now()), messages: [], ...given }
}

/** The session with one more message of the user: a text, or parts (`{ type: 'image', data }`, bytes in base64). */
export function withMessage(session: Session, content: WrittenContent): Session {
  return { ...session, messages: [...session.messages, { role: 'user', content }] }
}

/** The session with an answer taken in. */
export function withResponse(session: Session, response: AgentResponseData): Session {
  const known = session.messages.slice(0, session.messages.findLastIndex(({ role }) => role === 'user') + 1)
  return {
    ...session,
    status: response.status,
    messages: [...known, ...response.messages.map(asInput)],
    pending: response.pending,
    files: response.files ?? [],
  }
}

/** A message as it is sent along again. */
function asInput(message: Message): WrittenMessage {
  return message
}

/** The message that approves the pending call of a tool, or refuses it. An approval counts for a session that an answer was taken into: its
 *  pending items have the proof that the call was asked about here. */
export const approve = (tool: string, feedback = '') =>
  `<approve><tool>${tool}</tool><feedback>${feedback}</feedback></approve>`
export const reject = (tool: string, feedback = '') =>
  `<reject><tool>${tool}</tool><feedback>${feedback}</feedback></reject>`

/** The session with the result of a call of one of its `client_tools`, or with why it failed. It counts for a session that an answer was taken
 *  into: its pending items have their proofs. `id`: of the pending item. */
export function withResult(session: Session, id: string, said: { result: unknown } | { error: string }): Session {
  const isItem = (item: unknown) => isObject(item) && item['id'] === id
  const pending = session.pending?.map((item) => (isObject(item) && isItem(item) ? { ...item, ...said } : item))
  return { ...session, ...(pending ? { pending } : {}) }
}

const inputError = (issues: InputIssue[]) =>
  new AgentInputError({ code: 'invalid_input', detail: 'The input does not fit; see errors.', issues })

/** What was given, as its schema reads it; throws `AgentInputError` with the fields that do not fit. */
function fitting<T extends z.ZodType>(schema: T, given: unknown, root = ''): z.output<T> {
  const parsed = checkedBy(schema, given)
  if (parsed.ok) return parsed.value
  throw inputError(
    parsed.issues.map(({ path, message }) => ({ path: [root, path].filter(Boolean).join('.'), message })),
  )
}

/** Whoever calls the library decides. */
const CALLER: AuditActor = { kind: 'server', id: 'library' }

const processSecret = onDemand(() => new Secret(newSecretText()))

/** Throws `AgentInputError` for a config or tools that cannot be run. */
export function createAgent(options: AgentOptions = {}): Agent {
  const own = options.secret === undefined ? null : new Secret(options.secret)
  const secret = async () => own ?? processSecret()
  const tools = (options.tools ?? []).map((tool) => givenTool(tool, console.error))
  const { engine } = createEngine(fitting(serverConfig, options.config ?? {}, 'config'), {
    publicFetch: options.fetch ?? ((url, init) => fetch(url, init)),
    privateFetch: null,
    models: { secret: (name) => options.secrets?.[name], workersAi: false },
    workersAi: null,
    runtime: 'JavaScript',
    skills: { files: async () => SKILL_FILES, tenants: null },
    tools,
  })
  const issues = givenToolIssues(
    tools,
    engine.tools.filter((tool) => !tools.includes(tool)),
  )
  if (issues.length > 0) throw inputError(issues)
  const answer = async (session: Session, form: 'wait' | 'stream', signal: AbortSignal): Promise<StatelessAnswer> => {
    const ports = { engine, secret, decider: CALLER, now: Date.now, keepAlive: () => {}, report: console.error, signal }
    const answered = await runStateless(ports, fitting(statelessInput, session), form)
    if (!answered.ok) throw new AgentInputError(answered.error)
    return answered.value
  }
  async function* chunks(session: Session, given: AbortSignal | undefined, stop: AbortController) {
    const release = abortBy(given, stop)
    try {
      const answered = await answer(session, 'stream', stop.signal)
      if (answered.form !== 'stream') return
      for await (const events of answered.observed)
        for (const one of events ?? []) yield* statelessChunks(answered.about, one)
    } finally {
      release()
      stop.abort()
    }
  }
  return {
    run: async (session, { signal } = {}) => {
      const stop = new AbortController()
      const release = abortBy(signal, stop)
      try {
        const answered = await answer(session, 'wait', stop.signal)
        if (answered.form !== 'wait') throw new Error('unreachable: the form was wait')
        return answered.response
      } finally {
        release()
      }
    },
    stream: (session, { signal } = {}) => {
      const stop = new AbortController()
      const written = chunks(session, signal, stop)
      const leave = written.return.bind(written)
      // A generator that waits for its next chunk would hear of it only then.
      return Object.assign(written, { return: (value: void) => (stop.abort(), leave(value)) })
    },
  }
}

/** Has a signal abort what is stopped by it, until it is released: a signal may outlive many runs. */
function abortBy(signal: AbortSignal | undefined, stop: AbortController): () => void {
  const abort = () => stop.abort()
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return () => signal?.removeEventListener('abort', abort)
}
