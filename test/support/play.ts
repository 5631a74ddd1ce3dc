import type { ScriptInput } from '../../src/cli/mock-model/script.ts'
import type { SessionConfig } from '../../src/domain/config.ts'
import type { AppError, Result } from '../../src/domain/errors.ts'
import type { EventType, SessionEvent } from '../../src/domain/event.ts'
import type { Message } from '../../src/domain/message.ts'
import type { Pending } from '../../src/domain/pending.ts'
import type { PendingInput, NewSession } from '../../src/domain/session-input.ts'
import type { AgentResponseData, SessionData } from '../../src/domain/session.ts'
import type { CallOptions, RunAnswer, SessionText, Superseded } from '../../src/session/call.ts'
import { newId } from '../../src/lib/id.ts'
import type { Home, SessionVerbs } from './home.ts'
import { type Asked, peersFor, type ScriptedModel, type Site } from './peers.ts'
import { hearUntil } from './sse.ts'

const WAIT: CallOptions = { form: 'wait' }

/** One session of one test, with its own model and its own pages. */
export interface Play {
  home: Home
  id: string
  /** A new way to the session each time: what died does not come back. */
  readonly api: SessionVerbs
  model: ScriptedModel
  site: Site
  /** Make the session; with a task it runs. */
  create(input?: NewSession, options?: CallOptions): Promise<SessionData>
  /** Send a message and wait until the run rests. */
  send(content: string, config?: SessionConfig): Promise<AgentResponseData>
  carryOn(config?: SessionConfig): Promise<AgentResponseData>
  /** Decide on what is pending: the first item, or another. */
  decide(input: PendingInput, pendingId?: string): Promise<AgentResponseData>
  cancel(): Promise<AgentResponseData>
  session(): Promise<SessionData>
  pending(): Promise<Pending>
  messages(): Promise<Message[]>
  /** `kind` of every message. */
  kinds(): Promise<string[]>
  events(): Promise<SessionEvent[]>
  /** Resolves with the first event of a type behind `after`, once there is one. */
  event<T extends EventType>(type: T, after?: number): Promise<Extract<SessionEvent, { type: T }>>
  asked(count?: number): Promise<Asked[]>
}

export interface Setting {
  script?: ScriptInput | ((page: (name: string) => string) => ScriptInput)
  config?: SessionConfig
}

export async function startPlay(home: Home, { script = [], config = {} }: Setting): Promise<Play> {
  const { model, site } = peersFor(home.peers())
  await model.script(typeof script === 'function' ? script(site.url) : script)
  const id = newId('ses', Date.now())
  const api = () => home.session(id)
  const base: SessionConfig = { ...config, llm: { ...config.llm, extra_body: { script: model.name } } }
  const session = async () => sessionOf(await api().read('all'))
  const pending = async () => {
    const [item] = (await session()).pending
    if (!item) throw new Error('nothing is pending')
    return item
  }
  return {
    home,
    id,
    get api() {
      return api()
    },
    model,
    site,
    create: async (input = {}, options = WAIT) => {
      await valueOf(api().create(id, 'default', { ...input, config: { ...base, ...input.config } }, options))
      return session()
    },
    send: async (content, more) => responseOf(await api().addMessage({ content, ...(more && { config: more }) }, WAIT)),
    carryOn: async (more) => responseOf(await api().continue(more ? { config: more } : {}, WAIT)),
    decide: async (input, pendingId) => responseOf(await api().decide(pendingId ?? (await pending()).id, input, WAIT)),
    cancel: async () => responseOf(await api().cancel({})),
    session,
    pending,
    messages: async () => (await session()).messages,
    kinds: async () => (await session()).messages.map(({ kind }) => kind),
    events: () => allEvents(api()),
    event: async (type, after = 0) => eventOf(api(), type, after),
    asked: (count) => model.asked(count),
  }
}

/** The value of a good result; throws with the error of another. */
export async function valueOf<T>(result: Result<T> | Promise<Result<T>>): Promise<T> {
  const settled = await result
  if (!settled.ok) throw new Error(`a good result was expected: ${JSON.stringify(settled.error)}`)
  return settled.value
}

export async function errorOf(result: Result<unknown> | Promise<Result<unknown>>): Promise<AppError> {
  const settled = await result
  if (settled.ok) throw new Error(`an error was expected: ${JSON.stringify(settled.value).slice(0, 500)}`)
  return settled.error
}

export function responseOf(result: Result<RunAnswer | Superseded>): AgentResponseData {
  if (!result.ok) throw new Error(`a response was expected: ${JSON.stringify(result.error)}`)
  if (!('form' in result.value) || result.value.form !== 'wait')
    throw new Error(`an awaited response was expected: ${JSON.stringify(result.value)}`)
  return result.value.response
}

async function sessionOf(result: Result<SessionText>): Promise<SessionData> {
  const { body } = await valueOf(result)
  return JSON.parse(await new Response(body).text()) as SessionData
}

async function allEvents(api: SessionVerbs): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  for (;;) {
    const page = await valueOf(api.events(events.at(-1)?.seq ?? 0, 100))
    if (page.length === 0) return events
    events.push(...page)
  }
}

/** Follows the session's stream until it tells of such an event: no looking again and again. */
async function eventOf<T extends EventType>(
  api: SessionVerbs,
  type: T,
  after: number,
): Promise<Extract<SessionEvent, { type: T }>> {
  const stream = await valueOf(api.observe({ seq: after, n: 0 }))
  const heard = (await hearUntil(stream, ({ event }) => event === type)).at(-1)
  if (heard?.event !== type) throw new Error(`the stream ended before ${type}`)
  return heard.data as unknown as Extract<SessionEvent, { type: T }>
}
