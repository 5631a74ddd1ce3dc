import type { RoleNews } from '../../agent/team-texts.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ModelSpec } from '../../domain/model.ts'
import { roleAt, roleIn } from './state.ts'
import type { TeamAction, TeamMessage, TeamRole } from '../../domain/team.ts'
import { estimateTokens } from '../../lib/text.ts'
import { relevantPart } from '../../relevance/choose.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import type { Journal } from '../../log/journal.ts'
import type { MoveContext } from '../../engine/engine.ts'

/** The role whose branch it is. */
export function roleOf({ record, state }: Journal, scope: string): TeamRole | undefined {
  return roleIn({ record, state }, scope)
}

/** The action that a role has chosen, or is at. */
export function actionOf(journal: Journal, scope: string): TeamAction | undefined {
  const { todo } = roleAt(journal.state, scope)
  return roleOf(journal, scope)?.actions.find((action) => action.name === todo)
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
