import type { SessionInput } from '../../client/sessions.ts'
import { ApiProblem, type Client, isDelta, type StreamEvent } from '../../client/client.ts'
import type { RunAccepted } from '../../domain/session.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { refusedText } from '../view/refused-text.ts'
import { runFailureText, pendingText } from '../view/run-view.ts'
import { asideOf } from './aside.ts'
import { type Attachment, withAttachments } from './attach.ts'
import { asking } from './decide.ts'
import { driveBy, type Drive, driveRun } from './drive.ts'
import { type Input, onInterrupt } from './input.ts'
import { sleep } from '../../lib/wait.ts'
import type { Terminal } from './terminal.ts'

/** What a conversation remembers between lines. */
export interface Chat {
  context: Context
  client: Client
  terminal: Terminal
  place: string[]
  /** Null until the first task. */
  session: { id: string; lastSeq: number; waits: boolean } | null
  model: string | undefined
  /** How the next session is to be made. */
  draft: SessionInput
  /** What goes along with the next message. */
  attached: Attachment[]
  /** Lines that were typed while a run worked or a decision was asked, and come next. */
  commands: string[]
}

/** Asks for what a session waits for, and carries it on. */
export async function runWaiting(state: Chat): Promise<void> {
  const { session, client, context, terminal } = state
  if (session === null) return
  const { pending } = await client.sessions.get(session.id, { messages: 'none' })
  const [first] = pending
  if (first === undefined) return drive(state, { type: 'continue' })
  terminal.tell('ask', pendingText(first, context.texts))
  const decision = await asking(decisionInput(state), context.texts)(first)
  if (decision !== null) return drive(state, driveBy(first, decision))
  if (state.commands.length === 0 && terminal.interactive) notice(state, context.texts.stillWaits)
}

export async function drive(state: Chat, action: Drive): Promise<void> {
  const { session, client, terminal, context } = state
  if (session === null) return
  const run = terminal.newRun()
  const stop = new AbortController()
  const cancel = () => void client.sessions.cancel(session.id).catch(() => stop.abort(new Error('cancelled')))
  const off = onInterrupt(cancel, () => process.exit(EXIT.failed))
  const steered: RunAccepted[] = []
  const aside = asideOf({
    input: terminal.input,
    prompt: context.texts.asidePrompt,
    show: run.show,
    clear: () => terminal.clear(),
    resume: () => terminal.screen.resume(),
    say: async (line, isOver) => {
      if (line.startsWith('/')) return sayCommand(state, line, cancel)
      if (isOver) return sayLater(state, line)
      steered.push(...(await steer(state, line)))
    },
  })
  const decide = asking(decisionInput(state), context.texts)
  // Where the connection is lost, what was shown is not shown again.
  const show = (event: StreamEvent) => {
    if (!isDelta(event)) session.lastSeq = event.seq
    aside.show(event)
  }
  try {
    const { response, lastSeq } = await driveRun(
      {
        client,
        sessionId: session.id,
        show,
        refused: (line) => say(state, 'bad', state.context.texts.schemaWords(line)),
        decide: async (pending, isShown) => {
          await aside.said()
          if (!isShown && terminal.interactive) terminal.tell('ask', pendingText(pending, context.texts))
          return decide(pending)
        },
        sleep,
        signal: stop.signal,
      },
      action,
      session.lastSeq,
    )
    await aside.said()
    terminal.screen.clear()
    state.session = { id: session.id, lastSeq, waits: response.status === 'interrupted' }
    if (response.result !== null) run.answer.finish(response.result)
    const { status } = response
    if (status === 'failed' || status === 'cancelled') say(state, 'bad', runFailureText(response, context.texts))
    if (status === 'failed' && terminal.interactive) notice(state, context.texts.goOnHere)
    if (state.session.waits && state.commands.length === 0 && terminal.interactive)
      notice(state, context.texts.stillWaits)
    if ((steered.at(-1) ?? response).run_id === response.run_id) return
  } catch (error) {
    // What has been said stays on the screen.
    run.answer.pass()
    terminal.screen.show({ type: 'status', text: null })
    throw error
  } finally {
    aside.close()
    off()
    terminal.screen.clear()
  }
  // What was said came behind the end of its run, so it is a task of its own.
  await drive(state, { type: 'follow' })
}

/** A line to the run that works; none: the server does not take it, which is told. */
async function steer(state: Chat, line: string): Promise<RunAccepted[]> {
  const { client, session, attached } = state
  if (session === null) return []
  const message = { type: 'message', content: withAttachments(line, attached.splice(0)) } as const
  try {
    return [await client.sessions.start(session.id, message, { whenBusy: 'steer' })]
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    say(state, 'bad', refusedText(error, state.context.texts))
    return []
  }
}

/** A chat command that is typed while a run works comes after it, but for the one that ends it. */
async function sayCommand(state: Chat, line: string, cancel: () => void): Promise<void> {
  if (line === '/cancel') return cancel()
  state.commands.push(line)
  notice(state, state.context.texts.afterRun(line))
}

/** A line whose run came to rest while it was written is the next message; what waits for a decision is decided first. */
async function sayLater(state: Chat, line: string): Promise<void> {
  const { client, session, context } = state
  if (session === null) return
  const { pending } = await client.sessions.get(session.id, { messages: 'none' })
  if (pending.length === 0) state.commands.push(line)
  else notice(state, context.texts.notSaid(line))
}

/** Where a decision is asked, a chat command may be typed instead: the item goes on waiting, the command is run. */
function decisionInput(state: Chat): Pick<Input, 'ask' | 'key' | 'edit'> {
  const { input, screen } = state.terminal
  const { key, edit } = input
  /** Null where a command is run in place of what was asked. */
  const answerOf = (line: string | null) => {
    if (line === null && input.interrupted()) state.commands.unshift('/cancel')
    if (line === null || !/^\/[a-z]+\b/.test(line)) return line
    state.commands.push(line)
    return null
  }
  return {
    ask: async (question, options) => {
      screen.clear()
      const line = await input.ask(question, options)
      const isAsItIs = options?.canLeave || (options?.isSecret && line !== null)
      return isAsItIs ? line : answerOf(line)
    },
    ...(key && {
      key: async (question, keys) => {
        screen.clear()
        const pressed = await key(question, [...keys, '/'])
        return answerOf(pressed === '/' ? await input.ask(state.context.texts.prompt, { prefilled: '/' }) : pressed)
      },
    }),
    ...(edit && { edit }),
  }
}

export async function goTo(state: Chat, id: string): Promise<void> {
  const session = await state.client.sessions.get(id, { messages: 'none' })
  state.session = {
    id: session.id,
    lastSeq: session.last_seq,
    waits: session.status === 'interrupted' || session.status === 'in_progress',
  }
}

export const notice = ({ context, terminal }: Chat, line: string) => {
  terminal.clear()
  context.stderr.write(`${line}\n`)
}
export const say = ({ terminal }: Chat, style: 'bad' | 'dim', text: string) => terminal.tell(style, text)
