import { choiceRequest, chosenNumber } from '../../agent/team-texts.ts'
import { reservationFor } from '../../budget/reserve.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelReply, ModelSpec } from '../../domain/model.ts'
import { roleAt } from '../../domain/lineage.ts'
import type { TeamRole } from '../../domain/team.ts'
import { newId } from '../../lib/id.ts'
import { estimateRequest } from '../../models/estimate.ts'
import type { Move } from '../../orchestrators/move.ts'
import { modelOf } from '../engine/assignment.ts'
import { languageFor } from '../engine/engine.ts'
import { refusalFor } from '../refusal.ts'
import { scopeOf } from '../state.ts'
import { stepEvent } from '../team-bus.ts'
import { newsOf, roleOf } from '../team-news.ts'
import { ask, askInOrder } from './ask.ts'
import type { Job, MoveContext } from './job.ts'
import { beginEvents } from './model.ts'
import { outputIn } from './reply.ts'
import { endTurnEvents } from './team-round.ts'
import { settledEvents } from './settled.ts'
import { currentMessageId, failureEvents, holdOf, protocolOf, type Turn } from './turn.ts'

/** One call without tools that asks a role's model which of its actions comes next. */
export function chooseActionJob(
  { scope, attempt }: Extract<Move, { type: 'choose-action' }>,
  context: MoveContext,
): Job {
  const { journal } = context
  const role = roleOf(journal, scope)
  const choice = modelOf(context, scope)
  if (!role || !choice.ok) return { begin: [], end: { code: 'unknown_model' } }
  const turn = prepareTurn(choice.spec, { role, scope }, context)
  const code = refusalFor(context, [turn.spec, ...turn.spec.fallbacks], turn)
  if (code) return { begin: [], end: { code } }
  return {
    begin: beginEvents(turn, { scope, attempt }, context),
    call: holdOf(turn),
    isCurrent: () => currentMessageId(context, scope) === turn.messageId,
    work: async (signal) => {
      const { used, outcome } = await askInOrder(turn, context, async (spec) => {
        const one = { ...turn, spec, protocol: protocolOf(spec, context) }
        return { used: one, outcome: await ask(one, context, signal, { onDelta: () => {} }) }
      })
      if (!outcome.ok) return failureEvents(used, outcome.failure)
      return chosen(used, outcome.reply, { role, scope }, context)
    },
  }
}

/** A role, and its line of work. */
interface Seated {
  role: TeamRole
  scope: string
}

function prepareTurn(spec: ModelSpec, { role, scope }: Seated, context: MoveContext): Turn {
  const { journal, engine } = context
  const request = choiceRequest(role, {
    done: roleAt(journal.state, scope).done,
    news: newsOf(context, scope, role.actions.map(({ name }) => name).join('\n')),
    language: languageFor(engine, journal.record),
  })
  return {
    spec,
    protocol: protocolOf(spec, context),
    tools: [],
    request,
    messageId: newId('msg', journal.now()),
    scope,
    reserved: reservationFor([spec, ...spec.fallbacks], estimateRequest(request)),
    tries: { repeated: 0 },
    endsByReply: true,
    mayBeEmpty: true,
    outputSchema: null,
  }
}

function chosen(turn: Turn, reply: ModelReply, { role, scope }: Seated, context: MoveContext): NewEvent[] {
  const { journal } = context
  const { done, step } = roleAt(journal.state, scope)
  const number = chosenNumber(outputIn(reply.content))
  const action = role.actions[number ?? -1]
  const isOffered = action !== undefined && !done.includes(action.name)
  const { run } = journal.state
  const iteration = run ? scopeOf(run, scope).iterationOpen : 0
  return [
    journal.messageEvent({ id: turn.messageId, role: 'assistant', kind: 'reply', content: reply.content, scope }),
    ...settledEvents(turn, reply, context),
    ...(isOffered || number === -1 ? [] : [unknownAction(scope)]),
    ...(isOffered
      ? [{ type: 'iteration-end', iteration, scope } as const, stepEvent(scope, step, 'HAS_TODO', action.name)]
      : endTurnEvents(scope, context)),
  ]
}

function unknownAction(scope: string): NewEvent {
  const detail = 'The model named no action that it was offered; the turn of this role is over.'
  return { type: 'error', scope, code: 'unknown_action', detail }
}
