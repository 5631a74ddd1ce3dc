import type { SessionEvent } from '../../domain/event.ts'
import type { Pending } from '../../domain/pending.ts'
import type { PlanData, PlanTask } from '../../domain/plan.ts'
import type { FinishReason, Status } from '../../domain/run.ts'
import type { SessionData } from '../../domain/session.ts'
import type { TeamData } from '../../domain/team.ts'
import type { Usage } from '../../domain/usage.ts'
import { CLIENT_LIMITS } from '../../domain/client-limits.ts'
import { sleep } from '../../lib/wait.ts'
import type { Client } from '../client.ts'
import { isDelta, type StreamEvent } from '../events.ts'
import { ApiProblem } from '../problem.ts'
import { type LiveMessage, LiveMessages } from './messages.ts'
import { LiveStore, Shared, type Store } from './store.ts'

/** A session as it is just now. */
export interface SessionSnapshot {
  id: string | null
  /** Title, config, metadata and the rest, as it was read last; null: not yet. */
  session: SessionData | null
  status: Status | 'loading'
  finishReason: FinishReason | null
  /** In their order, those that are being written too. */
  messages: readonly LiveMessage[]
  /** What waits for a human. */
  pending: readonly Pending[]
  plan: PlanData | null
  team: TeamData | null
  usage: Usage | null
  /** The answer of the newest run that ended. */
  result: string | null
  /** Why nothing new comes just now, or never will (404, 401); null: all is well. */
  problem: Error | null
}

export const NO_SESSION: SessionSnapshot = {
  id: null,
  session: null,
  status: 'idle',
  finishReason: null,
  messages: [],
  pending: [],
  plan: null,
  team: null,
  usage: null,
  result: null,
  problem: null,
}

/** After these the session itself is read again: they change what no event says in full. */
const HEAD_EVENTS = /^(run-|round-|role-|team-|session-|task-|step-|rollback-)/

/** Follows a session while somebody listens: over lost connections and restarts of the server, without losing or repeating anything. */
class LiveSession extends LiveStore<SessionSnapshot> {
  readonly #client: Client
  #messages: LiveMessages | null = null
  #view: SessionSnapshot
  #lastSeq = 0
  /** Until when the session is read again, and for which subscription: one may end behind the begin of the next. */
  #due: { timer: ReturnType<typeof setTimeout>; signal: AbortSignal } | null = null

  constructor(client: Client, id: string) {
    const view: SessionSnapshot = { ...NO_SESSION, id, status: 'loading' }
    super(view)
    this.#client = client
    this.#view = view
  }

  protected view(): SessionSnapshot {
    return { ...this.#view, messages: this.#messages?.all() ?? [] }
  }

  protected async work(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#open(signal)
        for await (const event of this.#client.sessions.events(this.#id, { after: this.#lastSeq, signal })) {
          failures = 0
          this.#take(event, signal)
        }
      } catch (error) {
        if (signal.aborted || !this.#failed(error)) break
        await restAfter(error, failures, signal)
      }
      // What was only told is told again behind the last event.
      this.#messages?.drop()
    }
    if (this.#due?.signal !== signal) return
    clearTimeout(this.#due.timer)
    this.#due = null
  }

  get #id(): string {
    return this.#view.id ?? ''
  }

  async #open(signal: AbortSignal): Promise<void> {
    if (this.#messages !== null) return this.#readHead(signal)
    const [session, names] = await Promise.all([
      this.#client.json<SessionData>({ path: `/v1/sessions/${encodeURIComponent(this.#id)}`, signal }),
      toolNames(this.#client),
    ])
    this.#messages = new LiveMessages(names, session.messages)
    this.#lastSeq = session.last_seq
    this.#head(session)
    this.#set({ pending: session.pending, status: session.status, plan: session.plan ?? null })
  }

  async #readHead(signal: AbortSignal): Promise<void> {
    const path = `/v1/sessions/${encodeURIComponent(this.#id)}`
    this.#head(await this.#client.json<SessionData>({ path, query: { messages: 'none' }, signal }))
  }

  /** What events do not say, or not in full. What they say is newer than this may be. */
  #head(session: SessionData): void {
    const { result, finish_reason: finishReason, usage, team = null } = session
    const isNewest = session.last_seq >= this.#lastSeq
    const run = isNewest ? { result, finishReason, usage, status: session.status, pending: session.pending } : {}
    this.#set({ session, team, problem: null, ...run, ...(isNewest ? { plan: session.plan ?? null } : {}) })
  }

  #set(fields: Partial<SessionSnapshot>): void {
    this.#view = { ...this.#view, ...fields }
    this.changed()
  }

  /** False: it makes no sense to try again. */
  #failed(error: unknown): boolean {
    this.#set({ problem: error instanceof Error ? error : new Error(String(error)) })
    return !(error instanceof ApiProblem) || error.status >= 500 || error.status === 429
  }

  #take(event: StreamEvent, signal: AbortSignal): void {
    if (isDelta(event)) {
      this.#messages?.delta(event)
      return this.changedOften()
    }
    this.#lastSeq = event.seq
    const isOfMessages = this.#messages?.take(event) === true
    const fields = fieldsOf(event, this.#view)
    if (HEAD_EVENTS.test(event.type)) this.#readHeadSoon(signal)
    if (fields !== null || isOfMessages) this.#set(fields ?? {})
  }

  /** Once for a whole batch of events. */
  #readHeadSoon(signal: AbortSignal): void {
    if (this.#due?.signal === signal) return
    clearTimeout(this.#due?.timer)
    const timer = setTimeout(() => {
      this.#due = null
      if (signal.aborted) return
      this.#readHead(signal).catch((error: unknown) => signal.aborted || this.#failed(error))
    }, CLIENT_LIMITS.headDelayMs)
    this.#due = { timer, signal }
  }
}

/** What an event changes of the view; null: nothing. */
function fieldsOf(event: SessionEvent, { pending, plan }: SessionSnapshot): Partial<SessionSnapshot> | null {
  switch (event.type) {
    case 'run-start':
    case 'run-resume':
      return { status: 'in_progress', finishReason: null, result: null }
    case 'run-pause':
      return { status: event.status, finishReason: event.finish_reason, usage: event.usage }
    case 'run-end':
      return {
        status: event.status,
        finishReason: event.finish_reason,
        usage: event.usage,
        result: event.result,
        pending: [],
      }
    case 'pending':
      return { pending: [...pending.filter(({ id }) => id !== event.pending.id), event.pending] }
    case 'pending-end':
      return { pending: pending.filter(({ id }) => id !== event.id) }
    case 'plan':
      return { plan: event.plan }
    case 'task-start':
    case 'task-end':
    case 'task-retry':
      return plan && { plan: { ...plan, tasks: plan.tasks.map((task) => newest(task, event.task)) } }
    case 'usage':
      return { usage: event.usage }
    default:
      return null
  }
}

const newest = (task: PlanTask, told: PlanTask) => (task.id === told.id ? told : task)

/** Waits longer after each failure, as long as the server asks for, and not at all once the machine is online again. */
async function restAfter(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
  const asked = error instanceof ApiProblem ? (error.retryAfterMs ?? 0) : 0
  const ms = Math.max(asked, CLIENT_LIMITS.resumeDelayMs * 2 ** Math.min(failures, CLIENT_LIMITS.doublingsMax))
  const online = new AbortController()
  const wake = () => online.abort()
  const world: unknown = globalThis
  const window = world instanceof EventTarget ? world : null
  window?.addEventListener('online', wake)
  await sleep(ms, AbortSignal.any([signal, online.signal])).catch(() => {})
  window?.removeEventListener('online', wake)
}

const names = new WeakMap<Client, Promise<string[]>>()

/** Every name by which a text may call a tool. Without them calls are shown as text, which is no reason to show nothing. */
function toolNames(client: Client): Promise<string[]> {
  const known = names.get(client)
  if (known) return known
  const asked = client
    .tools()
    .then(({ data }) => data.flatMap(({ id, names: own }) => [id, ...Object.values(own ?? {})]))
  const given = asked.catch(() => (names.delete(client), []))
  names.set(client, given)
  return given
}

const sessions = new Shared<LiveSession>()

/** A session to be looked at. Who asks for the same session of the same client gets the same store, with one connection. */
export function liveSession(client: Client, id: string): Store<SessionSnapshot> {
  return sessions.of(client, id, () => new LiveSession(client, id))
}
