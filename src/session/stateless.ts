import type { Pending } from '../domain/pending.ts'
import type { GivenMessage, MessageInput } from '../domain/message.ts'
import { inputWords } from '../domain/content-input.ts'
import { type AppError, fail, ok, type Result } from '../domain/errors.ts'
import type { NewEvent } from '../domain/event.ts'
import type { AgentResponseData, SessionRecord } from '../domain/session.ts'
import type { NewSession, StatelessInput } from '../domain/session-input.ts'
import type { SessionSkill } from '../domain/skill.ts'
import type { Origin } from '../domain/telemetry.ts'
import type { Spent } from '../domain/usage.ts'
import { newId } from '../lib/id.ts'
import type { Secret } from '../lib/secret.ts'
import { closeConnections } from '../mcp/open-connections.ts'
import { memoryLog } from '../store/memory-log.ts'
import { checkReach } from '../run/setup/check-config.ts'
import { checkNewSession, newRecord } from './commands/create.ts'
import { CANCELLED, clientToolsEvents } from './commands/run.ts'
import { ClientTools } from '../run/setup/client-tools.ts'
import { withProofs } from './commands/proof.ts'
import { importedFiles, keptFiles } from './transfer/exported-files.ts'
import { namedSkill } from './commands/skill.ts'
import { aboutStream, type StreamAbout } from './queries/projection.ts'
import type { Cursor } from '../log/deltas.ts'
import { Driver } from './driver/driver.ts'
import { attachedTokensMax, takeMessages } from './commands/parts/take.ts'
import { placedMessages } from './commands/parts/taken.ts'
import { closingEvents } from '../engine/closing.ts'
import type { Engine } from '../engine/engine.ts'
import { orchestratorsFor } from '../engine/orchestrator-of.ts'
import { Journal } from '../log/journal.ts'
import { follow, type ObservedEvent } from '../log/observe.ts'
import type { SessionPorts } from '../run/ports.ts'
import { sessionEngine, type SessionEngine } from '../run/setup/servers.ts'
import { isOpen } from '../log/branches.ts'
import { adoptHistory, type Deciders } from './commands/adopt.ts'

export type StatelessPorts = Pick<SessionPorts, 'engine' | 'now' | 'keepAlive' | 'report' | 'watch'> &
  Deciders & {
    /** What marks that something was given out here. */
    secret: () => Promise<Secret>
    /** Told of what a call spent, whenever it rests. */
    spend?: (spent: Spent) => Promise<void>
    /** Whose skills a session may name beside the shipped ones. */
    tenant?: string
    /** The key whose budget pays, if it has one. */
    payer?: string | null
    /** Told when the run rests, before its caller sees the end of the answer. Does not throw. */
    rested?: () => Promise<void>
    /** Where the call was asked for, and the account that asked. */
    origin?: Origin
    by?: string
    /** Ends the run as cancelled when it aborts; nobody listens to it once the run rests. */
    signal?: AbortSignal
  }

export type StatelessAnswer =
  | { form: 'wait'; response: AgentResponseData }
  | { form: 'stream'; observed: AsyncGenerator<ObservedEvent[] | null, void, void>; about: StreamAbout }

/** The core logic over a session that the caller keeps (seed 001): nothing is stored, the history says where it stands. */
export async function runStateless(
  given: StatelessPorts,
  input: StatelessInput,
  form: 'wait' | 'stream',
): Promise<Result<StatelessAnswer>> {
  const home: Home = { journal: null }
  const client = new ClientTools(() => home.journal)
  const engine = sessionEngine(withoutMemory(given.engine), (work) => given.keepAlive(work), { client })
  const ports = { ...given, engine }
  const opened = await openSession(ports, input, home)
  if (!opened.ok) return opened
  const { journal, driver } = opened.value
  const prover = { tenant: journal.record.tenant, secret: given.secret }
  const from = { seq: journal.state.lastSeq, n: 0 }
  const runId = journal.state.run?.id ?? ''
  const rested = driver.rested(runId, from.seq)
  const notified = rested.then(() => given.rested?.())
  given.keepAlive(notified.then(() => closeConnections(journal)))
  if (given.signal) cancelBy(given.signal, { ...opened.value, engine, rested })
  if (isOpen(journal.state, runId)) driver.go('request', runId)
  if (form === 'stream') {
    let pending: Pending[] = []
    const kept = () => ({ ...(pending.length > 0 ? { pending } : {}), ...keptFiles(journal.log.files) })
    const about = { ...aboutStream(journal, ports.engine, { runId }), kept }
    const proving = (async function* () {
      for await (const batch of observedIn(journal, from)) {
        if (batch?.some(({ event }) => event.type === 'run-pause'))
          pending = await withProofs(journal.state.pending, prover)
        yield batch
      }
    })()
    return ok({ form, observed: endingAfter(notified, proving), about })
  }
  const response = await rested
  await notified
  const pending = await withProofs(response.pending, prover)
  return ok({ form, response: { ...response, pending, ...keptFiles(journal.log.files) } })
}

/** A signal may abort in the middle of a step: the run ends when that is written. */
function cancelBy(
  signal: AbortSignal,
  { journal, driver, engine, rested }: Opened & { engine: Engine; rested: Promise<unknown> },
): void {
  const runId = journal.state.run?.id ?? null
  const cancel = () => {
    if (!isOpen(journal.state, runId)) return
    journal.append(closingEvents(journal, engine, CANCELLED))
    driver.abort('cancelled')
    driver.announce()
  }
  if (signal.aborted) return cancel()
  const later = () => queueMicrotask(cancel)
  signal.addEventListener('abort', later, { once: true })
  void rested.then(() => signal.removeEventListener('abort', later))
}

/** Who keeps the history keeps the memory too: nothing is loaded, looked for or saved. The engine is the tenant's already;
 *  to look up what the tenant has set would bring the tools back. */
function withoutMemory(given: Engine): Engine {
  const { tenants: _, ...engine } = given
  return { ...engine, memory: null, tools: engine.tools.filter(({ needs }) => needs !== 'user') }
}

/** Where the log of the call is, once there is one. */
interface Home {
  journal: Journal | null
}

interface Opened {
  journal: Journal
  driver: Driver
}

/** The session of one call: checked, written into a log in memory with all that its caller says of it, and ready to be driven. */
async function openSession(
  ports: StatelessPorts & { engine: SessionEngine },
  input: StatelessInput,
  home: Home,
): Promise<Result<Opened>> {
  const { engine, tenant = 'default' } = ports
  const last = input.messages.at(-1)
  if (!last || !input.messages.some(({ role }) => role === 'user')) return fail({ code: 'no_user_message' })
  if (isCompleted(engine, input, last)) return fail({ code: 'session_completed' })
  const session = newSessionOf(input)
  const skill = await namedSkill(engine, tenant, input)
  if (!skill.ok) return skill
  const loading = orchestratorsFor(engine, session, skill.value)
  if (loading) await loading
  const refused =
    notStateless(engine, input, skill.value) ??
    checkNewSession(engine, session, { skill: skill.value }) ??
    (await checkReach(engine, tenant, input.config))
  if (refused) return fail(refused)
  const files = await importedFiles(input.files ?? [])
  if (!files.ok) return files
  const journal = emptyJournal(ports)
  home.journal = journal
  const { id = newId('ses', ports.now()) } = input
  const record = newRecord(engine, { id, tenant }, session, ports.now(), { skill: skill.value })
  journal.append([], { record, files: files.value })
  journal.append(startEvents(journal, ports, input))
  const history = await takeHistory(journal, ports, input.messages)
  if (!history.ok) return history
  await Promise.all([loaded(engine, record, ports.signal), engine.loadClientTools()])
  const told = { messages: history.value, pending: input.pending }
  const { secret, decider, decided, answerer } = ports
  const deciding = {
    ...(decider ? { decider } : {}),
    ...(decided ? { decided } : {}),
    ...(answerer ? { answerer } : {}),
  }
  const unheard = await adoptHistory(journal, engine, told, { tenant, secret, ...deciding })
  if (!unheard) return ok({ journal, driver: new Driver(journal, { ...ports, ...nowhere(ports), log: journal.log }) })
  ports.keepAlive(closeConnections(journal))
  return fail(unheard)
}

/** What a caller says of a session, as of one that is to be made; null is left out. */
function newSessionOf(input: StatelessInput): NewSession {
  const { title, character, orchestrator, user, metadata, config, output_schema, messages } = input
  const given = { title, character, orchestrator, user, metadata, config, output_schema }
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null)),
    messages,
  }
}

function emptyJournal({ engine, now, watch }: StatelessPorts): Journal {
  return new Journal(memoryLog(), now, { reduce: engine.orchestrators.reduce, isLasting: false, watch })
}

function startEvents(
  { record }: Journal,
  { now, payer, origin, by }: StatelessPorts,
  { client_tools: tools }: StatelessInput,
): NewEvent[] {
  return [
    {
      type: 'run-start',
      run_id: newId('run', now()),
      orchestrator: record.orchestrator,
      mode: 'request',
      resumed: false,
      ...(payer ? { payer } : {}),
      ...(origin ? { origin } : {}),
      ...(by === undefined ? {} : { by }),
    },
    ...clientToolsEvents(tools ?? undefined),
  ]
}

/** The tools of servers are at hand, or no longer waited for. */
async function loaded(engine: SessionEngine, record: SessionRecord, signal: AbortSignal | undefined): Promise<void> {
  try {
    await engine.load(record, signal ? { signal } : {})
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}

/** The caller's messages with their files, which the workspace of the call has from here on. */
async function takeHistory(
  journal: Journal,
  { engine, now }: Pick<StatelessPorts, 'engine' | 'now'>,
  messages: readonly MessageInput[],
): Promise<Result<GivenMessage[]>> {
  const { files } = journal.log
  const tokensMax = attachedTokensMax(engine, journal.record)
  const isPast = (index: number) => index < messages.length - 1
  const taken = await takeMessages(messages, { path: 'messages', isPast }, { engine, files, tokensMax, now })
  if (!taken.ok) return taken
  const stored = placedMessages(taken.value, files)
  if (!stored.ok) return stored
  if (stored.value.files.length > 0) journal.append([], { files: stored.value.files })
  return ok(stored.value.messages)
}

/** What others keep lives in the log of a session, which a posted history does not carry. */
function notStateless(engine: Engine, input: StatelessInput, skill: SessionSkill | null): AppError | null {
  const isTeam = !input.orchestrator && Boolean(input.team)
  const wanted = isTeam ? 'team' : (input.orchestrator ?? skill?.definition.orchestrator ?? 'agent')
  if (engine.orchestrators.find(wanted)?.isStateless) return null
  const path = isTeam ? 'team' : 'orchestrator'
  const message = `agent: ${wanted} needs a session (POST /v1/sessions)`
  return { code: 'invalid_input', detail: 'The stateless call runs agent only.', issues: [{ path, message }] }
}

/** A caller's log is memory: it needs no alarm, no list and no storage to forget. */
function nowhere({
  spend,
}: StatelessPorts): Pick<SessionPorts, 'alarm' | 'compacts' | 'directory' | 'outbox' | 'destroy'> {
  return {
    compacts: false,
    alarm: { set: () => {}, clear: () => {} },
    directory: {
      put: async (_tenant, { spent }) => (await spend?.(spent), null),
      remove: async () => null,
    },
    outbox: null,
    destroy: async () => {},
  }
}

function isCompleted(engine: Engine, { status }: StatelessInput, last: MessageInput): boolean {
  if (last.role === 'user') return false
  const finished = last.role === 'tool' && FINISHED.test(inputWords(last.content).trim())
  return status === 'completed' || (finished && engine.tools.length > 0)
}

/** The result of `finish`, as it is stored in either language. */
const FINISHED = /^\[(完成会话|finish)\](执行成功。| done\.)$/

/** What is observed, whose end is held until something is done. */
async function* endingAfter(done: Promise<void>, observed: AsyncIterable<ObservedEvent[] | null>) {
  yield* observed
  await done
}

/** What is observed of the run that is now driven; null after each silence, so that a reader's line shows life. */
async function* observedIn(journal: Journal, from: Cursor): AsyncGenerator<ObservedEvent[] | null, void, void> {
  const gone = new AbortController()
  try {
    yield* follow(journal, { from, untilRestOf: journal.state.run?.id ?? null, signal: gone.signal })
  } finally {
    gone.abort()
  }
}
