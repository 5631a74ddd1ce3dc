import { ApiProblem, Unreachable } from '../../client/client.ts'
import type { SessionInput } from '../../client/sessions.ts'
import { contentText } from '../../domain/content.ts'
import type { ListedModel } from '../../domain/model.ts'
import type { KnownOrchestrator } from '../../domain/run.ts'
import type { SessionData } from '../../domain/session.ts'
import type { Context } from '../context.ts'
import { CommandError, EXIT } from '../exit.ts'
import { type Attachment, attachedTo, attachmentOf, attachmentsOf, withAttachments } from '../run/attach.ts'
import { choose } from '../run/choose.ts'
import { carryOn, checkModelKey, type ClientFlags, connect, type Connected } from '../run/connect.ts'
import { type Chat, drive, goTo, runWaiting, say, notice } from '../run/conversation.ts'
import { openTerminal } from '../run/terminal.ts'
import { firstMessage } from '../run/unused.ts'
import type { TerminalTexts } from '../texts.ts'
import { refusedText } from '../view/refused-text.ts'
import { cutTo, visible } from '../view/text.ts'
import { sessionLabel } from './sessions.ts'

export interface ChatFlags extends ClientFlags {
  session?: string
  user?: string
  orchestrator?: KnownOrchestrator
  team?: string
  attach?: string[]
}

/** Reads lines until /exit or the end of the input; a line is a task, an answer or a command. */
export async function chat(context: Context, flags: ChatFlags): Promise<number> {
  const attached = attachmentsOf(flags.attach ?? [], context.texts)
  checkModelKey(context, flags)
  const connected = await connect(context, { ...flags, kept: flags.session !== undefined })
  try {
    const state = await begin(context, flags, attached, connected)
    if (state.session?.waits) await runWaiting(state).catch((error: unknown) => tellOf(error, state))
    await loop(state)
    state.terminal.input.close()
    return await leave(state)
  } finally {
    await connected.close()
  }
}

async function begin(
  context: Context,
  flags: ChatFlags,
  attached: Attachment[],
  { client, flags: place }: Connected,
): Promise<Chat> {
  const terminal = await openTerminal(context, client)
  const { user, orchestrator, team } = flags
  const draft = {
    ...(user === undefined ? {} : { user }),
    ...(orchestrator === undefined ? {} : { orchestrator }),
    ...(team === undefined ? {} : { team }),
  }
  const state: Chat = {
    context,
    client,
    terminal,
    place,
    session: null,
    model: undefined,
    draft,
    attached,
    commands: [],
  }
  for (const { name } of attached) notice(state, context.texts.attached(name))
  if (flags.session !== undefined) await goTo(state, flags.session)
  const { default_model: model } = await client.health()
  notice(state, context.texts.hello(state.session?.id ?? null, model ?? context.texts.modelUnknown))
  return state
}

async function loop(state: Chat): Promise<void> {
  for (;;) {
    const line =
      state.commands.shift() ?? (await state.terminal.input.ask(state.context.texts.prompt, { canClear: true }))
    if (line === null || /^\/(exit|quit)(\s|$)/.test(line)) return
    try {
      if (line.startsWith('/')) await runCommand(state, line)
      else if (line !== '') await runMessage(state, line)
      else if (state.session?.waits && state.terminal.interactive) await runWaiting(state)
    } catch (error) {
      tellOf(error, state)
    }
  }
}

/** What goes wrong with a line does not end the conversation; from a pipe, a server that is gone does. */
function tellOf(error: unknown, state: Chat): void {
  const { context, terminal, session } = state
  if (error instanceof Unreachable && terminal.interactive) {
    say(state, 'bad', context.texts.unreachable(error.server))
    if (session !== null) notice(state, context.texts.lostHere)
  } else if (error instanceof ApiProblem) say(state, 'bad', refusedText(error, context.texts))
  else if (error instanceof CommandError) say(state, 'bad', error.message)
  else throw error
}

async function leave(state: Chat): Promise<number> {
  if (!state.session?.waits) return EXIT.ok
  notice(state, state.context.texts.waitsForHuman(carryOn(state.session.id, state.place)))
  return EXIT.waits
}

async function runMessage(state: Chat, content: string): Promise<void> {
  const give = () =>
    drive(state, {
      type: 'message',
      content: withAttachments(content, state.attached.splice(0)),
      ...(state.model === undefined ? {} : { config: { model: state.model } }),
    })
  if (state.session !== null) return give()
  const created = await state.client.sessions.create(state.draft)
  state.session = { id: created.id, lastSeq: created.last_seq, waits: false }
  await firstMessage(state.client, created, give, () => (state.session = null))
}

/** Runs a line that begins with `/`. Throws what the server's refusals throw. */
async function runCommand(state: Chat, line: string): Promise<void> {
  const [, name = '', argument = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? []
  const command = COMMANDS[name]
  if (command === undefined) return say(state, 'bad', state.context.texts.unknownCommand(name))
  await command(state, argument === '' ? undefined : argument)
}

const COMMANDS: Record<string, (state: Chat, argument: string | undefined) => Promise<void>> = {
  '/help': async (state) => notice(state, state.context.texts.help),
  '/attach': async (state, argument) => {
    const { texts } = state.context
    if (argument === undefined) return say(state, 'bad', texts.attachWhat)
    state.attached.push(attachmentOf(argument, texts))
    notice(state, texts.attached(argument))
  },
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
    notice(state, state.context.texts.modelSet(chosen))
  },
  '/skill': async (state, argument) => {
    const { data } = await state.client.skills()
    if (data.length === 0) return notice(state, state.context.texts.noSkills)
    const options = data.map(({ name, description }) => ({
      value: name,
      label: choiceLabel(description ? state.context.texts.told(name, description) : name, state.context.stderr),
    }))
    const chosen = await choose(state, state.context.texts.pickSkill, options, argument)
    if (chosen === undefined) return
    state.session = null
    state.draft = { ...state.draft, skill: chosen }
    notice(state, state.context.texts.skillSet(chosen))
  },
  '/sessions': async (state, argument) => {
    const { data } = await state.client.sessions.list()
    if (data.length === 0) return notice(state, state.context.texts.noSessions)
    const options = data.map((session) => ({ value: session.id, label: sessionLabel(session, state.context) }))
    const chosen = await choose(state, state.context.texts.pickSession, options, argument, true)
    if (chosen === undefined) return
    await goTo(state, chosen)
    if (state.session?.waits) await runWaiting(state)
  },
  '/clear': async (state) => {
    state.session = null
    notice(state, state.context.texts.cleared)
  },
  '/continue': async (state) =>
    state.session === null ? notice(state, state.context.texts.noSessionYet) : runWaiting(state),
  '/retry': retry,
  '/state': async (state) => {
    if (state.session === null) return notice(state, state.context.texts.noSessionYet)
    const session = await state.client.sessions.get(state.session.id, { messages: 'none' })
    notice(state, (state.terminal.interactive ? stateInWords : stateInNames)(session, state.context.texts))
  },
  '/mode': async (state, argument) => {
    const modes = await modesOf(state)
    const chosen = await choose(
      state,
      state.context.texts.pickMode,
      [...modes.keys()].map((name) => ({ value: name, label: modeLabel(name, state) })),
      argument,
    )
    const mode = chosen === undefined ? undefined : modes.get(chosen)
    if (chosen === undefined || mode === undefined) return
    const { skill: _, team: __, workflow: ___, orchestrator: ____, ...draft } = state.draft
    state.session = null
    state.draft = { ...draft, ...mode }
    notice(state, state.context.texts.modeSet(chosen))
  },
  '/session': async (state, argument) => {
    if (argument !== undefined) return COMMANDS['/sessions']?.(state, argument)
    notice(state, state.session?.id ?? state.context.texts.noSessionYet)
  },
  '/cancel': async (state) => {
    if (state.session === null) return notice(state, state.context.texts.nothingToCancel)
    await state.client.sessions.cancel(state.session.id)
    state.session.waits = false
    notice(state, state.context.texts.cancelled)
  },
}

type Shown = Pick<SessionData, 'id' | 'status' | 'finish_reason' | 'orchestrator' | 'usage' | 'pending'>

/** How a session stands, for a person. */
export function stateInWords(
  { status, finish_reason: reason, orchestrator, usage, pending }: Shown,
  texts: TerminalTexts,
) {
  const stands = reason === null ? texts.status[status] : texts.finish[reason]
  const waits = pending.map(({ tool }) => (tool === undefined ? texts.stateWaits : texts.told(texts.stateWaits, tool)))
  const spent = texts.stateSpent(usage.total_tokens, usage.cost)
  return visible([stands, texts.modes[orchestrator] ?? orchestrator, spent, ...waits].join(' · '))
}

/** The same as the API names it. */
function stateInNames({ id, status, finish_reason: reason, orchestrator, usage, pending }: Shown): string {
  const why = reason !== null && reason !== status ? ` (${reason})` : ''
  const cost = usage.cost ? `, ${usage.cost.amount} ${usage.cost.currency}` : ''
  const items = pending.map(({ id: item, type }) => `${type} ${item}`)
  return [id, `${status}${why}`, orchestrator, `${usage.total_tokens} tokens${cost}`, ...items].join(' · ')
}

/** The last task once more, in a copy of the session up to there: what was answered stays where it is. */
async function retry(state: Chat): Promise<void> {
  const { texts } = state.context
  if (state.session === null) return notice(state, texts.noSessionYet)
  const { id, messages } = await state.client.sessions.get(state.session.id)
  const task = messages.findLast(({ role, kind }) => role === 'user' && kind === 'task')
  if (!task) return notice(state, texts.nothingToRetry)
  const attached = await attachedTo(state.client, id, task.content)
  const isFirst = messages.every(({ seq, kind }) => kind !== 'task' || seq >= task.seq)
  const copy = isFirst ? null : await state.client.sessions.fork(id, task.seq - 1)
  state.session = copy && { id: copy.id, lastSeq: copy.last_seq, waits: false }
  state.attached.unshift(...attached)
  await runMessage(state, contentText(task.content, null))
}

/** How a new session may work, and what it is made with: as such, or by the name of a team or workflow. */
async function modesOf({ client }: Chat): Promise<Map<string, SessionInput>> {
  const { data } = await client.json<{ data: Pick<ListedModel, 'id' | 'kind'>[] }>({
    path: '/v1/models',
    query: { limit: 100 },
  })
  const plain = MODES.map((orchestrator) => [orchestrator, { orchestrator }] as const)
  const named = data.flatMap(({ id, kind }) => {
    if (kind !== 'team' && kind !== 'workflow') return []
    const mode = id.replace(/^yaa\//, '')
    return [[mode, { [kind]: mode.slice(kind.length + 1) }] as const]
  })
  return new Map([...plain, ...named])
}

/** What a list to choose from has on a line of a terminal, beside its frame. */
function choiceLabel(text: string, { isTTY, columns }: NodeJS.WriteStream): string {
  return isTTY ? cutTo(visible(text), Math.max(10, (columns || 80) - FRAME_COLUMNS)) : text
}

const FRAME_COLUMNS = 18

/** A mode in a list to choose from: in words at a terminal, behind its name where that is to be typed. */
function modeLabel(mode: string, { context: { texts }, terminal: { interactive } }: Chat): string {
  const [kind = '', name] = mode.split('/')
  const words = texts.modes[kind]
  if (!interactive || words === undefined) return mode
  return name === undefined ? texts.aside(words, mode) : texts.told(words, visible(name))
}

/** A workflow has to be named. */
const MODES = ['agent', 'plan', 'team', 'route'] as const
