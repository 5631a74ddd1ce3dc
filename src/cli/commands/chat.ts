import { ApiProblem } from '../../client/client.ts'
import type { KnownOrchestrator } from '../../domain/run.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { carryOn, type ClientFlags, connect, type Connected } from '../run/connect.ts'
import { type Chat, drive, goTo, runWaiting, say, tell } from '../run/conversation.ts'
import { openTerminal } from '../run/terminal.ts'
import { runCommand } from './chat-commands.ts'

export interface ChatFlags extends ClientFlags {
  session?: string
  user?: string
  orchestrator?: KnownOrchestrator
  team?: string
}

/** Reads lines until /exit or the end of the input; a line is a task, an answer or a command. */
export async function chat(context: Context, flags: ChatFlags): Promise<number> {
  const connected = await connect(context, flags)
  try {
    const state = await begin(context, flags, connected)
    if (state.session?.waits) await runWaiting(state)
    await loop(state)
    state.terminal.input.close()
    return await leave(state)
  } finally {
    await connected.close()
  }
}

async function begin(context: Context, flags: ChatFlags, { client, flags: place }: Connected): Promise<Chat> {
  const terminal = await openTerminal(context, client)
  const { user, orchestrator, team } = flags
  const draft = {
    ...(user === undefined ? {} : { user }),
    ...(orchestrator === undefined ? {} : { orchestrator }),
    ...(team === undefined ? {} : { team }),
  }
  const state: Chat = { context, client, terminal, place, session: null, model: undefined, draft, command: null }
  if (flags.session !== undefined) await goTo(state, flags.session)
  const { default_model: model } = await client.health()
  tell(state, context.texts.hello(state.session?.id ?? null, model ?? context.texts.modelUnknown))
  return state
}

async function loop(state: Chat): Promise<void> {
  for (;;) {
    const line = state.command ?? (await state.terminal.input.ask(state.context.texts.prompt))
    state.command = null
    if (line === null || line === '/exit' || line === '/quit') return
    try {
      if (line.startsWith('/')) await runCommand(state, line)
      else if (line !== '') await runMessage(state, line)
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      say(state, 'bad', error.message)
    }
  }
}

async function leave(state: Chat): Promise<number> {
  if (!state.session?.waits) return EXIT.ok
  tell(state, state.context.texts.waitsForHuman(state.session.id, carryOn(state.session.id, state.place)))
  return EXIT.waits
}

async function runMessage(state: Chat, content: string): Promise<void> {
  if (state.session === null) {
    const created = await state.client.sessions.create(state.draft)
    state.session = { id: created.id, lastSeq: created.last_seq, waits: false }
  }
  await drive(state, {
    type: 'message',
    content,
    ...(state.model === undefined ? {} : { config: { model: state.model } }),
  })
}
