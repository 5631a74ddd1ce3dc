import type { Context } from 'hono'
import { fail, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { McpPlace } from '../../domain/mcp-session.ts'
import type { Pending } from '../../domain/pending.ts'
import type { PendingAnswer } from '../../domain/session-input.ts'
import type { AppEnv } from '../../http/context.ts'
import { ordered } from '../../http/route.ts'
import { sessionObject } from '../../objects/env.ts'
import { sleep } from '../../lib/wait.ts'
import { stopRun } from '../kernel/asked.ts'
import { isTold, newSessions, type RunBody, runInThread, type ThreadCall, type ThreadRun } from '../kernel/thread.ts'
import { type BegunLine, LineReader, type RestLine } from './lines.ts'
import type { McpView } from './project.ts'
import { isForHuman } from './questions.ts'

/** A call of a tool that begins a run, or goes on in one, and how its client hears of it. */

export const DOOR = 'mcp'

/** Who waits for a call. */
export interface RunClient {
  /** How its user is asked: by the answer of the call, which is then made again; by requests in its stream; null: not at all. */
  asks: 'by_answer' | 'by_request' | null
  /** It takes a task for an answer. */
  takesTasks: boolean
  /** Nothing is to be done for it before the run rests. */
  isPatient: boolean
  view: McpView
  /** Which run the call began. */
  begun(place: McpPlace): void | Promise<void>
  progress(seq: number, text: string): Promise<void>
  /** Asked after each silence. */
  hasLeft(): boolean
  /** Asks `by_request`. `nth`: of those that one rest asks. */
  ask(seq: number, nth: number, pending: Pending): Promise<void>
  /** Asked now and then, while a form is shown: whether the user has put it away. */
  isPutOff(): Promise<boolean>
}

/** What became of a call. `rests`: the run does, and the client cannot be asked more. */
export type Answered =
  | { is: 'rests'; rest: RestLine; place: McpPlace }
  | { is: 'asks'; rest: RestLine; place: McpPlace }
  | { is: 'task'; place: McpPlace; begunTime: string }

/** What a new call asks of a session. */
export type NewRun = Pick<ThreadCall, 'opens' | 'runs' | 'message' | 'language'> & {
  /** Null: a new one. */
  session: string | null
  user: string | null
  /** Of all that it asks, and of who asks. */
  hash: string
}

/** Begins a run, or joins the one that the same call began, and follows it. */
export async function ranAnew(c: Context<AppEnv>, run: NewRun, client: RunClient): Promise<Result<Answered>> {
  const begun = await began(c, run, client)
  if (!begun.ok) return begun
  const { sessionId, answer } = begun.value
  if (!isTold(answer)) return fail({ code: 'internal_error' })
  return followed(c, sessionId, answer.body, client)
}

async function began(c: Context<AppEnv>, run: NewRun, { view, isPatient }: RunClient): Promise<Result<ThreadRun>> {
  const { hash, session, user, ...asked } = run
  const call = {
    ...asked,
    form: isPatient ? ('whole' as const) : ('stream' as const),
    view: { name: 'mcp', options: view },
    idempotency: { key: `mcp\n${hash}` },
    isRetry: c.req.header('idempotency-key') !== undefined,
  }
  const taken = async <T>(read: () => Promise<Result<T>>) => read()
  if (session !== null) return runInThread(c, { ...call, session, isNew: false, opens: null }, taken)
  for await (const id of newSessions(c, { door: DOOR, user }, hash)) {
    const done = await runInThread(c, { ...call, session: id, isNew: true, after: null }, taken)
    if (done.ok || done.error.code !== 'precondition_failed') return done
  }
  return fail({ code: 'internal_error' })
}

/** Goes on to follow the run of a call. What is told behind `client.view.after` is told again. */
export async function followedAgain(c: Context<AppEnv>, place: McpPlace, client: RunClient): Promise<Result<Answered>> {
  const stream = await linesFrom(c, place, { view: client.view, follows: true })
  return stream.ok ? followed(c, place.session, stream.value, client) : stream
}

function linesFrom(
  c: Context<AppEnv>,
  { session, run: runId, seq: fromSeq }: McpPlace,
  { view, ...how }: { view: McpView; follows: boolean; isBehind?: boolean },
): Promise<Result<ReadableStream<Uint8Array>>> {
  const { tenant } = c.get('principal')
  return sessionObject(c.env, tenant, session).run({ runId, fromSeq, ...how }, { name: 'mcp', options: view })
}

function followed(c: Context<AppEnv>, session: string, body: RunBody, client: RunClient): Promise<Result<Answered>> {
  return new Follower(c, session, client).until(body)
}

/** Follows a run for a client until there is something to answer. */
class Follower {
  readonly #c: Context<AppEnv>
  readonly #session: string
  readonly #client: RunClient
  /** Unix ms from which on a task is the answer. */
  readonly #lateTime: number
  #place: McpPlace | null = null
  #begunTime = ''
  /** The rest whose forms the user is shown. */
  #shown: RestLine | null = null
  readonly #asked = new Set<string>()

  constructor(c: Context<AppEnv>, session: string, client: RunClient) {
    this.#c = c
    this.#session = session
    this.#client = client
    this.#lateTime = client.takesTasks ? Date.now() + LIMITS.mcpDoor.answerMs : Infinity
  }

  async until(first: RunBody): Promise<Result<Answered>> {
    let body = first
    for (let rests = 0; rests < LIMITS.mcpDoor.restsMax; rests++) {
      const heard = await this.#heard(new LineReader(body))
      if (!heard.ok) return heard
      const rest = heard.value
      if ('is' in rest) return ok(rest)
      const answered = await this.#answerAt(rest)
      if (answered) return ok(answered)
      const more = await this.#behind(rest)
      if (!more.ok) return more
      body = more.value
    }
    return fail({ code: 'unavailable' })
  }

  /** Lines up to a rest, or to something to answer before. */
  async #heard(lines: LineReader): Promise<Result<RestLine | Answered>> {
    try {
      for (;;) {
        const line = await this.#next(lines)
        if (line === null) return fail({ code: 'not_found', what: 'session' })
        if (line === 'late') {
          if (this.#place) return ok(this.#taskAt(this.#place))
        } else if (line === 'beat') {
          if (this.#client.hasLeft()) return fail({ code: 'unavailable' })
          const rest = this.#shown
          if (rest && (await this.#client.isPutOff())) return ok({ is: 'rests', rest, place: this.#at(rest) })
        } else if (line.type === 'rest') return ok(line)
        else if (line.type === 'progress') await this.#client.progress(line.seq, line.text)
        else await this.#begun(line)
      }
    } finally {
      await lines.close()
    }
  }

  async #next(lines: LineReader): Promise<Awaited<ReturnType<LineReader['next']>> | 'late'> {
    const leftMs = this.#lateTime - Date.now()
    if (leftMs === Infinity || !this.#place) return lines.next()
    return Promise.race([lines.next(), sleep(Math.max(0, leftMs)).then(() => 'late' as const)])
  }

  async #begun({ run, seq, time }: BegunLine): Promise<void> {
    if (this.#place) return
    this.#place = { session: this.#session, run, seq }
    this.#begunTime = time
    await this.#client.begun(this.#place)
  }

  #taskAt(place: McpPlace): Answered {
    return { is: 'task', place, begunTime: this.#begunTime }
  }

  /** What is answered at a rest; null: what waited is decided, or is asked in the stream. */
  async #answerAt(rest: RestLine): Promise<Answered | null> {
    const place = this.#at(rest)
    const open = rest.pending.filter(isForHuman)
    const isAsleep = rest.pending.some(({ wait }) => wait !== undefined)
    if (open.length === 0 && isAsleep && this.#client.takesTasks) return this.#taskAt(place)
    if (rest.isEnd || (open.length === 0 && rest.pending.length > 0)) return { is: 'rests', rest, place }
    if (open.length === 0) return null
    if (this.#client.asks === 'by_answer') return { is: 'asks', rest, place: { ...place, seq: rest.seq } }
    if (this.#client.asks === 'by_request') return this.#ask(rest, open)
    return this.#client.takesTasks ? this.#taskAt(place) : { is: 'rests', rest, place }
  }

  async #ask(rest: RestLine, open: readonly Pending[]): Promise<null> {
    for (const [nth, pending] of open.entries()) {
      if (!this.#asked.has(pending.id)) await this.#client.ask(rest.seq, nth, pending)
      this.#asked.add(pending.id)
    }
    this.#shown = rest
    return null
  }

  #at({ seq }: RestLine): McpPlace {
    return this.#place ?? { session: this.#session, run: '', seq }
  }

  #behind(rest: RestLine): Promise<Result<ReadableStream<Uint8Array>>> {
    const place = { ...this.#at(rest), seq: rest.seq }
    return linesFrom(this.#c, place, { view: this.#client.view, follows: true, isBehind: true })
  }
}

/** How a run stands, as far as its lines say. */
export interface RunStanding {
  begunTime: string
  lastTime: string
  /** Null: it goes on. */
  rest: RestLine | null
}

/** How what a call began stands now. */
export async function runStanding(c: Context<AppEnv>, place: McpPlace, view: McpView): Promise<Result<RunStanding>> {
  const standing: RunStanding = { begunTime: '', lastTime: '', rest: null }
  let seq = place.seq
  for (let rests = 0; rests < LIMITS.mcpDoor.restsMax; rests++) {
    const body = await linesFrom(c, { ...place, seq }, { view, follows: false, isBehind: rests > 0 })
    if (!body.ok) return body
    const { begun, rest } = await readStanding(new LineReader(body.value))
    standing.begunTime ||= begun
    standing.lastTime = rest?.time ?? (begun || standing.lastTime)
    standing.rest = rest
    // What waits has been decided: the run went on behind that.
    if (!rest || rest.isEnd || rest.pending.length > 0) break
    seq = rest.seq
  }
  return standing.begunTime !== '' ? ok(standing) : fail({ code: 'not_found', what: 'run' })
}

async function readStanding(lines: LineReader): Promise<{ begun: string; rest: RestLine | null }> {
  let begun = ''
  for (;;) {
    const line = await lines.next()
    if (line === null) return { begun, rest: null }
    if (line === 'beat') continue
    if (line.type === 'begun') begun = line.time
    if (line.type === 'rest') return { begun, rest: line }
  }
}

/** Stops what a call began, unless that is over. */
export async function cancelled(c: Context<AppEnv>, place: McpPlace, view: McpView): Promise<Result<null>> {
  const standing = await runStanding(c, place, view)
  if (!standing.ok) return standing
  if (standing.value.rest?.isEnd) return ok(null)
  const done = await stopRun(c, place.session, { status: { good: 200, begun: 200 } })
  return done.ok ? ok(null) : done
}

/** Tells a session what humans said of what waits in it: all of it holds, or none. */
export async function decided(
  c: Context<AppEnv>,
  session: string,
  [answer, ...also]: readonly PendingAnswer[],
): Promise<Result<null>> {
  if (!answer) return ok(null)
  const done = await ordered(c, {
    type: 'decide',
    sessionId: session,
    idempotency: null,
    read: async () => ok({ type: 'decide', ...answer, also }),
    form: 'background',
    status: { good: 200, begun: 200 },
  })
  return done.ok ? ok(null) : done
}
