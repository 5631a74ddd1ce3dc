import { isNoCallWarning } from '../../agent/texts.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import { contentText, hasUntrusted } from '../../domain/content.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Message, type ToolCall, toolIdOf } from '../../domain/message.ts'
import type { OpenCall, BranchState, SessionState } from '../../domain/state.ts'
import { callSignature, fingerprint } from '../../lib/hash.ts'
import { tokensOf } from '../window.ts'
import { type EventOf, type Handlers, draftBranch } from './reducer.ts'
import { hostsIn } from '../../lib/addresses.ts'

/** What messages change: the window, the open calls, what the model is to be told. */
export const MESSAGE_EVENT: Handlers<'message'> = {
  message: (draft, event) => {
    if (event.message.cut) {
      // It says nothing of what comes next: its call is still to be made, or the run is over.
      if (event.scope === null) widen(draft, event)
      return
    }
    MESSAGE_HANDLERS[event.message.role](draft, event.message)
    if (event.scope === null) widen(draft, event)
    if (event.untrusted) taint(draft, sourceOf(event.message))
    else if (event.message.role === 'user' && event.scope === null && !event.message.given)
      nameHosts(draft, contentText(event.message.content, null))
    if (!event.untrusted && hasUntrusted(event.message.content)) taint(draft, 'attachment')
    if (!draft.run) return
    const { id, role, kind } = event.message
    const scope = draftBranch(draft.run, event.scope)
    if (kind === 'steer') {
      // What is under way goes on; its model is told with its next call.
      scope.steers = (scope.steers ?? 0) + 1
      return
    }
    if (event.counts_as_error) countError(scope, event.message)
    if (event.words) keepWords(scope, { seq: event.message.seq, are: event.words })
    if (event.words) scope.lastWords = event.message.seq
    else if (role === 'assistant' && !isGoneThrough(scope)) delete scope.lastWords
    scope.last = { messageId: id, role, kind }
    if (event.tells_of_circles) scope.toldOfCircles = true
    if (event.is_output) scope.isOutput = true
    else delete scope.isOutput
    if (event.problem) scope.problem = event.problem
    for (const call of event.call_problems ? scope.calls : []) call.problem = event.call_problems?.[call.id] ?? null
  },
}

const MESSAGE_HANDLERS: Record<Message['role'], (draft: SessionState, message: Message) => void> = {
  user: (draft, message) => {
    if (draft.run && message.scope) draftBranch(draft.run, message.scope).taskSeq = message.seq
    if (message.scope) return
    draft.lastUserSeq = message.seq
    if (message.kind === 'task') draft.taskSeq = message.seq
  },
  system: (draft, message) => {
    const place = message.scope && draft.run ? draftBranch(draft.run, message.scope) : draft
    if (message.kind === 'prompt') place.promptSeq = message.seq
    if (message.kind !== 'warning' || !draft.run) return
    Object.assign(draftBranch(draft.run, message.scope), { problem: null, droppedCalls: 0 })
  },
  assistant: (draft, message) => {
    if (!draft.run) return
    const scope = draftBranch(draft.run, message.scope)
    scope.calls = (message.tool_calls ?? []).map(openCall)
    scope.said = fingerprint([wordsOf(message), ...scope.calls.map(signatureOf)].join('\n'))
  },
  tool: (draft, message) => {
    draft.hasCutResult ||= message.truncated !== undefined
    if (!draft.run) return
    const scope = draftBranch(draft.run, message.scope)
    if (message.truncated !== undefined && message.scope !== null) scope.hasCutResult = true
    scope.calls = scope.calls.filter((call) => call.id !== message.tool_call_id)
    if (scope.calls.length === 0) endTurn(scope)
  },
}

/** Count what a message adds to the window; a summary takes the place of what it covers. */
function widen(draft: SessionState, { message, covers }: EventOf<'message'>): void {
  const before = covers ? covers.kept_tokens : draft.window.tokens
  if (covers) Object.assign(draft.window, { coveredSeq: covers.seq, summarySeq: message.seq })
  if (covers && draft.run) Object.assign(draft.run, { overflowed: false, failure: null })
  draft.window.tokens = before + tokensOf(message)
}

/** What a reply says: thoughts before it are never the same twice. */
function wordsOf({ content }: Message): string {
  const text = contentText(content, null).trim()
  return (text.startsWith('<') && afterThoughts(text)) || text
}

const signatureOf = ({ signature }: OpenCall) => signature

/** A fault in a row: of a call, or a reply that calls nothing. */
function countError(scope: BranchState, { role, content }: Message): void {
  scope.errorsInARow++
  if (role === 'tool' || !isNoCallWarning(contentText(content, null))) scope.hasBadCalls = true
}

/** Words beside a call are kept while no reply was nothing but words. */
function keepWords(scope: BranchState, words: NonNullable<BranchState['words']>): void {
  if (words.are === 'reply' || scope.words?.are !== 'reply') scope.words = words
}

function openCall(call: ToolCall): OpenCall {
  const { id, arguments: args } = call
  const tool = toolIdOf(call)
  const signature = callSignature(tool, args)
  return {
    id,
    tool,
    status: 'open',
    attempt: 0,
    problem: null,
    feedback: null,
    edited: null,
    approval: null,
    expired: false,
    signature,
    unseen: false,
    ...(call.client ? { client: call.name } : {}),
  }
}

/** Whether the last turn is like one before it: what a reply of this circle said is kept while others of it say nothing. */
function isGoneThrough({ trail }: BranchState): boolean {
  const last = trail.at(-1)
  return last !== undefined && trail.indexOf(last) < trail.length - 1
}

/** All calls of a reply have their results: one turn more that may be like an earlier one. */
function endTurn(scope: BranchState): void {
  if (scope.turn.length === 0) return
  const turn = fingerprint(scope.turn.toSorted().join())
  if (!scope.trail.slice(-LIMITS.run.cycleTurnsMax).includes(turn)) scope.toldOfCircles = false
  scope.trail = [...scope.trail, turn].slice(-LIMITS.run.trailTurnsMax)
  scope.turn = []
}

/** Untrusted text came into the context. */
function taint(draft: SessionState, source: string): void {
  if (draft.taint.includes(source) || draft.taint.length >= LIMITS.caution.taintSourcesMax) return
  draft.taint.push(source)
}

/** The door by which a text from outside came in. */
function sourceOf({ tool_name: tool, kind, role }: Message): string {
  if (role === 'user') return 'webhook'
  return tool ?? (kind === 'prompt' ? 'memory' : kind)
}

/** Hosts that the user's own words name may be read whatever a page says. */
export function nameHosts(draft: SessionState, words: string): void {
  const named = hostsIn(words.slice(0, LIMITS.caution.namedCharsMax))
  if (named.length === 0) return
  draft.namedHosts = [...new Set([...draft.namedHosts, ...named])].slice(-LIMITS.caution.namedHostsMax)
}
