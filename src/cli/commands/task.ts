import { languageOfWords } from '../../domain/language.ts'
import type { KnownOrchestrator } from '../../domain/run.ts'
import { type Client, Unreachable } from '../../client/client.ts'
import type { Action } from '../../client/sessions.ts'
import type { AgentResponseData, SessionData } from '../../domain/session.ts'
import type { Context } from '../context.ts'
import { CommandError, EXIT, usageError } from '../exit.ts'
import { readJsonObject } from '../serve/config-file.ts'
import { type Attachment, attachmentsOf, withAttachments } from '../run/attach.ts'
import { carryOn, checkModelKey, type ClientFlags, connect, type Connected } from '../run/connect.ts'
import { approvingAll } from '../run/decide.ts'
import { type DriveOptions, driveRun } from '../run/drive.ts'
import { onInterrupt } from '../run/input.ts'
import { sleep } from '../../lib/wait.ts'
import { openTerminal, type Terminal } from '../run/terminal.ts'
import { firstMessage } from '../run/unused.ts'
import type { TerminalTexts } from '../texts.ts'
import { pendingText, runFailureText } from '../view/run-view.ts'

export interface TaskFlags extends ClientFlags {
  yes?: boolean
  json?: boolean
  user?: string
  skill?: string
  orchestrator?: KnownOrchestrator
  team?: string
  schema?: string
  /** The workflow that the session goes by, and what it is given. */
  workflow?: { name: string; inputs: Record<string, unknown> }
  /** Files and addresses that go along. */
  attach?: string[]
}

const CANCEL_TIMEOUT_MS = 5_000

/** Hands a task over, shows its progress on stderr and gives the answer on stdout. */
export async function task(context: Context, flags: TaskFlags, text: string): Promise<number> {
  if (text.trim() === '') throw usageError(context.texts.emptyTask)
  const schema = flags.schema === undefined ? undefined : readJsonObject(flags.schema, context.texts)
  const attached = attachmentsOf(flags.attach ?? [], context.texts)
  checkModelKey(context, flags)
  const connected = await connect(context, flags)
  try {
    return await runTask(context, flags, { text, schema, attached }, connected)
  } finally {
    await connected.close()
  }
}

interface Asked {
  text: string
  /** What the answer has to fit. */
  schema: Record<string, unknown> | undefined
  attached: readonly Attachment[]
}

async function runTask(
  context: Context,
  flags: TaskFlags,
  { text, schema, attached }: Asked,
  connected: Connected,
): Promise<number> {
  const { client } = connected
  const terminal = await openTerminal(context, client)
  const session = await client.sessions.create({
    ...(connected.languageOpen ? { config: { language: languageOfWords(text) ?? 'en' } } : {}),
    ...(flags.user === undefined ? {} : { user: flags.user }),
    ...(flags.skill === undefined ? {} : { skill: flags.skill }),
    ...(flags.orchestrator === undefined ? {} : { orchestrator: flags.orchestrator }),
    ...(flags.team === undefined ? {} : { team: flags.team }),
    ...(flags.workflow === undefined ? {} : { workflow: flags.workflow.name, inputs: flags.workflow.inputs }),
    ...(schema === undefined ? {} : { output_schema: schema }),
  })
  for (const { name } of attached) terminal.tell('dim', context.texts.attached(name))
  const action = { type: 'message', content: withAttachments(text, attached) } as const
  return firstMessage(client, session, () => runAction(context, flags, { session, action, terminal }, connected))
}

/** What sets a session going, and where its progress is shown. */
interface Acting {
  session: Pick<SessionData, 'id' | 'last_seq'>
  action: Action
  terminal: Terminal
}

/** Drives a run until it ends or waits, shows its progress on stderr and gives its answer on stdout. */
export async function runAction(
  context: Context,
  flags: TaskFlags,
  { session, action, terminal }: Acting,
  { client, flags: place }: Connected,
): Promise<number> {
  const run = terminal.newRun()
  const stop = new AbortController()
  const interruption = interruptible(context, client, session.id, terminal)
  const ask = asked(terminal, interruption.interrupt, context.texts)
  // What is typed while it works is shown nowhere, and answers nothing.
  const unheard = terminal.input.overhear(() => {})
  const driven = driveRun(
    {
      client,
      sessionId: session.id,
      show: run.show,
      refused: (line) => terminal.tell('bad', context.texts.schemaWords(line)),
      decide: flags.yes ? approvingAll(ask) : ask,
      sleep,
      signal: stop.signal,
    },
    action,
    session.last_seq,
  )
  try {
    const outcome = await Promise.race([driven, interruption.done])
    terminal.screen.clear()
    // What has been said stays on the screen.
    if (outcome === 'interrupted') run.answer.pass()
    if (outcome === 'interrupted') return EXIT.failed
    const { response } = outcome
    if (flags.json) context.stdout.write(`${JSON.stringify(response, null, 2)}\n`)
    else if (response.result !== null) run.answer.finish(response.result)
    return exitOf(context, response, { flags, place, terminal })
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    throw new CommandError(context.texts.lostTouch(error.server, carryOn(session.id, place)))
  } finally {
    driven.catch(() => {})
    stop.abort(new Error('the command ends'))
    interruption.close()
    unheard()
    terminal.screen.clear()
    terminal.input.close()
  }
}

/** Ctrl-C (or TERM) cancels the run; `done` is settled when the server has confirmed it, or does not answer in time. */
function interruptible(context: Context, client: Client, sessionId: string, terminal: Terminal) {
  const { promise: done, resolve } = Promise.withResolvers<'interrupted'>()
  const interrupt = () => {
    terminal.clear()
    context.stderr.write(`${context.texts.cancelling}\n`)
    const cancelled = client.sessions.cancel(sessionId).catch(() => {})
    void Promise.race([cancelled, sleep(CANCEL_TIMEOUT_MS)]).then(() => resolve('interrupted'))
  }
  return { done, interrupt, close: onInterrupt(interrupt, () => process.exit(EXIT.failed)) }
}

/** Asks the person; Ctrl-C at the question is one that cancels the run, so the question is never answered. */
function asked(terminal: Terminal, interrupt: () => void, texts: TerminalTexts): DriveOptions['decide'] {
  return async (pending, isShown) => {
    terminal.screen.clear()
    if (!isShown && terminal.interactive) terminal.tell('ask', pendingText(pending, texts))
    const decision = await terminal.ask(pending)
    if (decision !== null || !terminal.input.interrupted()) return decision
    interrupt()
    return new Promise(() => {})
  }
}

/** Says on stderr how the run ended when it did not end well, and gives the exit code. */
function exitOf(
  { texts, stdout, stderr }: Context,
  response: AgentResponseData,
  { flags, place, terminal }: { flags: TaskFlags; place: string[]; terminal: Terminal },
): number {
  const { status } = response
  if (status === 'completed') return EXIT.ok
  if (status === 'interrupted') {
    if (!flags.json) stdout.write(`${response.id}\n`)
    stderr.write(`${texts.waitsForHuman(carryOn(response.id, place))}\n`)
    return EXIT.waits
  }
  terminal.tell('bad', runFailureText(response, texts))
  if (status === 'failed' && terminal.interactive) stderr.write(`${texts.goesOnBy(carryOn(response.id, place))}\n`)
  return EXIT.failed
}
