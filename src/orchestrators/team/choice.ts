import { choiceRequest, chosenNumber } from '../../agent/team-texts.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelReply } from '../../domain/model.ts'
import type { TeamRole } from '../../domain/team.ts'
import type { EndedCall, MoveContext, Step } from '../../engine/engine.ts'
import type { MoveOf } from '../../engine/move.ts'
import { workerOf } from '../../engine/worker/worker.ts'
import { branchOf } from '../../log/branches.ts'
import { stepEvent } from './bus.ts'
import { newsOf, roleOf } from './news.ts'
import { endTurnEvents } from './round.ts'
import { roleAt } from './state.ts'

/** One call without tools that asks a role's model which of its actions comes next. */
export const chooseActionStep: Step<MoveOf<'choose-action'>> = {
  prepare: ({ scope, attempt }, context) => {
    const { journal } = context
    const worker = workerOf(context, scope)
    const role = roleOf(journal, scope)
    if (!role) return { begin: [], end: { code: 'unknown_model' } }
    const request = choiceRequest(role, {
      done: roleAt(journal.state, scope).done,
      news: newsOf(context, worker, role.actions.map(({ name }) => name).join('\n')),
      language: worker.language,
    })
    return context.modelCall(
      {
        scope,
        attempt,
        isHeard: false,
        request: () => request,
        settle: (reply, call) => chosen(reply, call, { role, scope }, context),
      },
      worker.choice,
    )
  },
}

/** A role, and its branch. */
interface Seated {
  role: TeamRole
  scope: string
}

function chosen(
  reply: ModelReply,
  { messageId, ended }: EndedCall,
  { role, scope }: Seated,
  context: MoveContext,
): NewEvent[] {
  const { journal } = context
  const { done, step } = roleAt(journal.state, scope)
  const number = chosenNumber(afterThoughts(reply.content))
  const action = role.actions[number ?? -1]
  const isOffered = action !== undefined && !done.includes(action.name)
  const { run } = journal.state
  const iteration = run ? branchOf(run, scope).iterationOpen : 0
  return [
    journal.messageEvent({ id: messageId, role: 'assistant', kind: 'reply', content: reply.content, scope }),
    ...ended(),
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
