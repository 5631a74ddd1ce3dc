import type { NewEvent, TeamBounds } from '../../domain/event.ts'
import { branchOfRole, EVERYBODY, REQUIREMENT, roleOfBranch, type RoleStep, USER } from '../../domain/role.ts'
import type { TeamAction, TeamMessage, TeamMessageInput, TeamRole, TeamSpec } from '../../domain/team.ts'
import { roleAt, roleIn, roleState } from './state.ts'
import { newId } from '../../lib/id.ts'
import type { Journal } from '../../log/journal.ts'
import type { RoleNews } from '../../agent/team-texts.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ModelSpec } from '../../domain/model.ts'
import { estimateTokens } from '../../lib/text.ts'
import { relevantPart } from '../../relevance/choose.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import type { MoveContext } from '../../engine/engine.ts'

/** What somebody says on the bus. `from`: a role, or the user. */
export interface BusMessage {
  from: string
  content: string
  causeBy: string
  sendTo: readonly string[]
}

/** A user's words; where nothing else is said of them, a new requirement for whoever watches for those. */
export function userMessage({
  content,
  cause_by: causeBy = REQUIREMENT,
  send_to: sendTo = [],
}: TeamMessageInput): BusMessage {
  return { from: USER, content, causeBy, sendTo }
}

/** The events of a message on the bus: it goes to every role that watches for it or that it names.
 *  `owner`: the sub-task that the team works at, null for the session's own; `stepOf`: where roles stand just before. */
export function publishEvents(
  said: BusMessage,
  { team, owner }: { team: TeamSpec; owner: string | null },
  now: number,
  stepOf: (role: string) => RoleStep,
): { events: NewEvent[]; heardBy: string[] } {
  const sender = team.roles.find(({ name }) => name === said.from)
  const known = new Set([...team.roles.map(({ name }) => name), USER, EVERYBODY])
  const undelivered = said.sendTo.filter((name) => !known.has(name))
  const heardBy = team.roles.filter((role) => hears(role, said)).map(({ name }) => name)
  const message: TeamMessage = {
    id: newId('msg', now),
    content: said.content,
    role: sender?.profile ?? USER,
    cause_by: said.causeBy,
    sent_from: said.from,
    send_to: [...said.sendTo],
    timestamp: new Date(now).toISOString(),
    ...(undelivered.length > 0 ? { undelivered } : {}),
  }
  const scope = sender ? branchOfRole(owner, sender.name) : owner
  const news = heardBy.filter((name) => stepOf(name) === 'IDLE')
  return {
    heardBy,
    events: [
      { type: 'team-message', scope, message, heard_by: heardBy },
      ...(undelivered.length > 0 ? [unknownAddressee(undelivered, scope)] : []),
      ...news.map((role) => stepEvent(branchOfRole(owner, role), 'IDLE', 'HAS_NEWS')),
    ],
  }
}

function hears({ name, watch }: TeamRole, { from, causeBy, sendTo }: BusMessage): boolean {
  if (sendTo.includes(name)) return true
  return name !== from && (sendTo.includes(EVERYBODY) || watch.includes(EVERYBODY) || watch.includes(causeBy))
}

function unknownAddressee(names: readonly string[], scope: string | null): NewEvent {
  const detail = `The team has no role ${names.map((name) => `"${name.slice(0, 100)}"`).join(', ')}.`
  return { type: 'error', scope, code: 'unknown_addressee', detail }
}

/** A step of the role whose branch it is. */
export function stepEvent(scope: string, from: RoleStep, to: RoleStep, action?: string): NewEvent {
  return {
    type: 'role-state',
    scope,
    role: roleOfBranch(scope).role,
    from,
    to,
    ...(action === undefined ? {} : { action }),
  }
}

/** The events of the user's words in a session with a team; none in any other session. `before`: what became of the run that was there:
 *  it goes on, was cancelled, or has ended. */
export function userEvents(
  journal: Journal,
  said: TeamMessageInput,
  before: 'going' | 'cancelled' | 'ended',
): NewEvent[] {
  const { record, state } = journal
  if (!record.team) return []
  const stepOf = (name: string): RoleStep => {
    const { step, heard } = roleState(state.team, name)
    if (before === 'cancelled') return 'IDLE'
    return before === 'ended' && heard.length > 0 ? 'HAS_NEWS' : step
  }
  return publishEvents(userMessage(said), { team: record.team, owner: null }, journal.now(), stepOf).events
}

/** What a new task says on the bus, and what the team may spend on it: each run has its rounds; the money is for all of them. */
export function startOf(
  journal: Journal,
  said: TeamMessageInput,
  before: 'cancelled' | 'ended',
): { bounds: TeamBounds; events: NewEvent[] } {
  const { record, state } = journal
  const { team } = record
  if (!team) return { bounds: {}, events: [] }
  const isFirst = state.team === undefined
  const bounds = { rounds: team.n_round, ...(isFirst && team.investment ? { investment: team.investment } : {}) }
  return { bounds, events: userEvents(journal, said, before) }
}

/** The role whose branch it is. */
export function roleAtBranch({ record, state }: Journal, scope: string): TeamRole | undefined {
  return roleIn({ record, state }, scope)
}

/** The action that a role has chosen, or is at. */
export function actionOf(journal: Journal, scope: string): TeamAction | undefined {
  const { todo } = roleAt(journal.state, scope)
  return roleAtBranch(journal, scope)?.actions.find((action) => action.name === todo)
}

/** The messages of some seqs, in their order. */
export function messagesAt({ log }: Pick<Journal, 'log'>, seqs: readonly number[]): TeamMessage[] {
  return seqs.flatMap((seq) => {
    const event = log.events(seq - 1, 1)[0]
    return event?.type === 'team-message' ? [event.message] : []
  })
}

/** What a role acts upon, as far as its model's window has room for it. `about`: what the parts that are kept of long ones speak of. */
export function newsOf({ journal }: MoveContext, { scope, choice }: Worker, about: string): RoleNews {
  const state = roleAt(journal.state, scope ?? '')
  const heard = messagesAt(journal, state.heard)
  const outputs = messagesAt(journal, state.outputs)
  const room = choice.ok ? roomOf(choice.spec) : Infinity
  const total = tokensIn([...heard, ...outputs])
  if (total <= room) return { heard, outputs }
  const share = room / (heard.length + outputs.length)
  return { heard: shortened(heard, share, about), outputs: shortened(outputs, share, about) }
}

function roomOf({ contextTokens, maxTokens }: ModelSpec): number {
  return Math.floor((contextTokens - maxTokens) * LIMITS.team.newsShare)
}

function tokensIn(messages: readonly TeamMessage[]): number {
  return messages.reduce((sum, { content }) => sum + estimateTokens(content), 0)
}

function shortened(messages: readonly TeamMessage[], shareTokens: number, about: string): TeamMessage[] {
  return messages.map((message) => {
    const { content } = message
    const tokens = estimateTokens(content)
    if (tokens <= shareTokens) return message
    return { ...message, content: relevantPart(content, about, Math.floor((content.length * shareTokens) / tokens)) }
  })
}
