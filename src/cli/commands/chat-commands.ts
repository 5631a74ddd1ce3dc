import { isCancel, select } from '@clack/prompts'
import { goTo, runWaiting, say, tell, type Chat } from '../run/conversation.ts'
import { sessionLine } from './sessions.ts'

/** Runs a line that begins with `/`. Throws what the server's refusals throw. */
export async function runCommand(state: Chat, line: string): Promise<void> {
  const [name = '', argument] = line.split(/\s+/, 2)
  const command = COMMANDS[name]
  if (command === undefined) return say(state, 'bad', state.context.texts.unknownCommand(name))
  await command(state, argument === '' ? undefined : argument)
}

const COMMANDS: Record<string, (state: Chat, argument: string | undefined) => Promise<void>> = {
  '/help': async (state) => tell(state, state.context.texts.help),
  '/model': async (state, argument) => {
    const { data } = await state.client.models()
    const chosen = await choose(
      state,
      state.context.texts.pickModel,
      data.map(({ id }) => ({ value: id, label: id })),
      argument,
    )
    if (chosen === undefined) return
    state.model = chosen
    tell(state, state.context.texts.modelSet(chosen))
  },
  '/skill': async (state, argument) => {
    const { data } = await state.client.skills()
    if (data.length === 0) return tell(state, state.context.texts.noSkills)
    const options = data.map(({ name, description }) => ({
      value: name,
      label: description ? `${name}: ${description}` : name,
    }))
    const chosen = await choose(state, state.context.texts.pickSkill, options, argument)
    if (chosen === undefined) return
    state.session = null
    state.draft = { ...state.draft, skill: chosen }
    tell(state, state.context.texts.skillSet(chosen))
  },
  '/sessions': async (state, argument) => {
    const { data } = await state.client.sessions.list()
    if (data.length === 0) return tell(state, state.context.texts.noSessions)
    const options = data.map((session) => ({ value: session.id, label: sessionLine(session) }))
    const chosen = await choose(state, state.context.texts.pickSession, options, argument)
    if (chosen === undefined) return
    await goTo(state, chosen)
    if (state.session?.waits) await runWaiting(state)
  },
  '/cancel': async (state) => {
    if (state.session === null) return tell(state, state.context.texts.nothingToCancel)
    await state.client.sessions.cancel(state.session.id)
    state.session.waits = false
    tell(state, state.context.texts.cancelled)
  },
}

/** The argument, or a choice at a terminal; without both the options are listed and nothing is chosen. */
async function choose(
  state: Chat,
  message: string,
  options: { value: string; label: string }[],
  argument: string | undefined,
): Promise<string | undefined> {
  if (argument !== undefined) return argument
  if (!state.terminal.interactive) {
    for (const { label } of options) tell(state, label)
    return undefined
  }
  const { stdin, stderr } = state.context
  const chosen = await select({ message, options, input: stdin, output: stderr, maxItems: 10 })
  return isCancel(chosen) ? undefined : chosen
}
