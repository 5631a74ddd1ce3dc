import type { Action, SessionInput } from '../../client/sessions.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { runFailureText, pendingText } from '../view/run-view.ts'
import type { Attachment } from './attach.ts'
import { asking } from './decide.ts'
import { driveRun } from './drive.ts'
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
  /** A chat command that was typed where a decision was asked. */
  command: string | null
}

/** Asks for what a session waits for, and carries it on. */
export async function runWaiting(state: Chat): Promise<void> {
  const { session, client, context, terminal } = state
  if (session === null) return
  const { pending } = await client.sessions.get(session.id, { messages: 'none' })
  const [first] = pending
  if (first === undefined) return drive(state, { type: 'continue' })
  terminal.screen.show({ type: 'line', style: 'ask', text: pendingText(first, context.texts) })
  const decision = await asking(decisionInput(state), context.texts)(first)
  if (decision !== null) await drive(state, { type: 'decide', pendingId: first.id, decision })
}

export async function drive(state: Chat, action: Action): Promise<void> {
  const { session, client, terminal, context } = state
  if (session === null) return
  const run = terminal.newRun()
  const stop = new AbortController()
  const cancel = () => void client.sessions.cancel(session.id).catch(() => stop.abort(new Error('cancelled')))
  const off = onInterrupt(cancel, () => process.exit(EXIT.failed))
  try {
    const { response, lastSeq } = await driveRun(
      {
        client,
        sessionId: session.id,
        show: run.show,
        refused: (line) => say(state, 'bad', line),
        decide: asking(decisionInput(state), context.texts),
        sleep,
        signal: stop.signal,
      },
      action,
      session.lastSeq,
    )
    terminal.screen.clear()
    state.session = { id: session.id, lastSeq, waits: response.status === 'interrupted' }
    if (response.result !== null) run.answer.finish(response.result)
    const { status } = response
    if (status === 'failed' || status === 'cancelled') say(state, 'bad', runFailureText(response, context.texts))
  } finally {
    off()
    terminal.screen.clear()
  }
}

/** Where a decision is asked, a chat command may be typed instead: the item goes on waiting, the command is run. */
function decisionInput(state: Chat): Input {
  const { input, screen } = state.terminal
  return {
    close: () => input.close(),
    interrupted: () => input.interrupted(),
    ask: async (question) => {
      screen.clear()
      const line = await input.ask(question)
      if (line === null && input.interrupted()) state.command = '/cancel'
      if (line === null || !/^\/[a-z]+\b/.test(line)) return line
      state.command = line
      return null
    },
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
  terminal.screen.clear()
  context.stderr.write(`${line}\n`)
}
export const say = ({ terminal }: Chat, style: 'bad' | 'dim', text: string) =>
  terminal.screen.show({ type: 'line', style, text })
