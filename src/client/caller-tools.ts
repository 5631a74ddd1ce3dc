import type { ClientTool } from '../domain/client-tool.ts'
import type { Pending } from '../domain/pending.ts'
import type { CallAnswer } from '../domain/session-input.ts'
import type { AgentResponseData, SessionData } from '../domain/session.ts'
import { CLIENT_LIMITS } from '../domain/client-limits.ts'
import type { Sleep } from '../domain/ports.ts'
import { randomKey } from '../lib/random-key.ts'
import type { Request } from './http.ts'
import { ApiProblem, Unreachable } from './problem.ts'

/** The call that a tool of the caller is to make. */
export interface CallToMake {
  session: string
  /** Of the pending item, and of the call. */
  id: string
  call_id: string
  signal: AbortSignal | undefined
}

/** A tool that is run here. */
export interface CallerTool {
  /** For the model. */
  description?: string
  /** JSON Schema of the arguments, an object; they fit it. */
  parameters?: Record<string, unknown>
  /** What it gives is the result, as JSON; what it throws is told to the model. */
  execute: (args: Record<string, unknown>, call: CallToMake) => unknown
}

/** Tools by their names, which the caller runs: calls of them are made, and answered, as long as somebody waits for the answer. */
export type CallerTools = Readonly<Record<string, CallerTool>>

/** What may bring tools along. */
export interface WithTools {
  tools?: CallerTools | undefined
}

/** A body as it is sent: tools without what runs them. */
export function offering<B extends WithTools>({
  tools,
  ...body
}: B): Omit<B, 'tools'> & { client_tools?: ClientTool[] } {
  if (tools === undefined) return body
  const offered = Object.entries(tools).map(([name, { description = '', parameters = NO_ARGUMENTS }]) => ({
    name,
    description,
    parameters,
  }))
  return { ...body, client_tools: offered }
}

const NO_ARGUMENTS = { type: 'object', properties: {} }

type Answer = Pick<AgentResponseData | SessionData, 'status' | 'pending'>

/** How results reach the server. */
export interface Giving {
  json: <T>(request: Request) => Promise<T>
  sleep: Sleep
}

interface Calling {
  session: string
  tools: CallerTools
  signal?: AbortSignal | undefined
}

/** The answer of a run once none of these tools is waited for: each call is made and answered, those of one reply at a time. */
export async function withToolsRun<A extends Answer>(
  answer: A,
  calling: Calling,
  giving: Giving,
): Promise<A | AgentResponseData> {
  let latest: A | AgentResponseData = answer
  for (;;) {
    const calls = callsOf(latest.pending, calling.tools)
    if (calls.length === 0) return latest
    let stale: ApiProblem | null = null
    let isAnswered = false
    const results = calls.map(async (item) => ({ item, said: await madeResult(item, calling) }))
    // Who awaits the first that fails awaits the others no more.
    for (const result of results) result.catch(() => {})
    for (const result of results) {
      const { item, said } = await result
      try {
        latest = await giveResult<AgentResponseData>(item, said, calling, giving)
        isAnswered = true
      } catch (error) {
        if (!isStale(error)) throw error
        stale = error
      }
    }
    // Somebody else has answered all of them: what became of the run is not known here.
    if (!isAnswered && stale) throw stale
  }
}

/** Whether somebody else answered, or it is too late. */
export function isStale(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && error.code === 'stale_decision'
}

/** Items that are calls of these tools. */
export function callsOf(pending: readonly Pending[], tools: CallerTools): Pending[] {
  return pending.filter(({ type, tool = '' }) => type === 'tool_call' && Object.hasOwn(tools, tool))
}

/** What a call gives, or why it failed. */
export async function madeResult(item: Pending, { session, tools, signal }: Calling): Promise<CallAnswer> {
  const { id, call_id: callId = '', tool = '', arguments: args = {} } = item
  try {
    const result = await tools[tool]?.execute(args, { session, id, call_id: callId, signal })
    // What JSON cannot say is no result.
    return { result: result === undefined ? null : (JSON.parse(JSON.stringify(result)) as unknown) }
  } catch (error) {
    signal?.throwIfAborted()
    const said = error instanceof Error ? error.message : String(error)
    return { error: said.slice(0, ERROR_CHARS_MAX) || 'it failed' }
  }
}

const ERROR_CHARS_MAX = 20_000

/** Gives a result, of which the call is not made again: it is sent until there is an answer. One that the server cannot take is told to the model as a
 *  failure. */
export async function giveResult<T>(
  { id }: Pending,
  said: CallAnswer,
  { session, signal, background = false }: Pick<Calling, 'session' | 'signal'> & { background?: boolean },
  { json, sleep }: Giving,
): Promise<T> {
  const path = `/v1/sessions/${encodeURIComponent(session)}/pending/${encodeURIComponent(id)}`
  const prefer: Record<string, string> = background ? { prefer: 'respond-async' } : {}
  let body = said
  let key = randomKey()
  for (let tries = 0; ; tries++) {
    try {
      return await json<T>({ method: 'POST', path, body, headers: { ...prefer, 'idempotency-key': key }, signal })
    } catch (error) {
      if (isUnfit(error) && 'result' in body) {
        body = { error: `The result could not be given: ${error.message}`.slice(0, ERROR_CHARS_MAX) }
        key = randomKey()
      } else {
        if (!mayPass(error) || tries >= CLIENT_LIMITS.resumesMax) throw error
        await sleep(Math.max(waitOf(error), CLIENT_LIMITS.resumeDelayMs * 2 ** tries), signal)
      }
    }
  }
}

/** Whether the server has no place for such a result. */
const isUnfit = (error: unknown): error is ApiProblem =>
  error instanceof ApiProblem && (error.status === 400 || error.status === 413)

const mayPass = (error: unknown) =>
  error instanceof Unreachable ||
  (error instanceof ApiProblem &&
    (error.status >= 500 || error.status === 429 || error.code === 'idempotency_in_progress'))

const waitOf = (error: unknown) => (error instanceof ApiProblem ? (error.retryAfterMs ?? 0) : 0)
