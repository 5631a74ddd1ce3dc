import { choiceRequest, chosenNumber } from '../../agent/team-texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelReply } from '../../domain/model.ts'
import { roleAt } from '../../domain/lineage.ts'
import type { TeamRole } from '../../domain/team.ts'
import type { Move } from '../../engine/move.ts'
import { branchOf } from '../../log/branches.ts'
import { stepEvent } from './team-bus.ts'
import { newsOf, roleOf } from './team-news.ts'
import { modelCall, type PreparedCall, TOOLLESS } from './model-call.ts'
import type { Job, MoveContext } from '../../engine/job.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import { settledEvents } from './settled.ts'
import { outputIn } from './reply.ts'
import { endTurnEvents } from './team-round.ts'
import { protocolOf } from './request.ts'

/** One call without tools that asks a role's model which of its actions comes next. */
export function chooseActionJob(
  { scope, attempt }: Extract<Move, { type: 'choose-action' }>,
  worker: Worker,
  context: MoveContext,
): Job {
  const { journal } = context
  const role = roleOf(journal, scope)
  if (!role) return { begin: [], end: { code: 'unknown_model' } }
  const request = choiceRequest(role, {
    done: roleAt(journal.state, scope).done,
    news: newsOf(context, worker, role.actions.map(({ name }) => name).join('\n')),
    language: worker.language,
  })
  return modelCall(
    {
      ...TOOLLESS,
      scope,
      attempt,
      heard: 'nothing',
      iterates: true,
      say: (spec) => ({ protocol: protocolOf(spec, context), request }),
      settle: ({ used }, reply) => chosen(used, reply, { role, scope }, context),
    },
    worker.choice,
    context,
  )
}

/** A role, and its branch. */
interface Seated {
  role: TeamRole
  scope: string
}

function chosen(used: PreparedCall, reply: ModelReply, { role, scope }: Seated, context: MoveContext): NewEvent[] {
  const { journal } = context
  const { done, step } = roleAt(journal.state, scope)
  const number = chosenNumber(outputIn(reply.content))
  const action = role.actions[number ?? -1]
  const isOffered = action !== undefined && !done.includes(action.name)
  const { run } = journal.state
  const iteration = run ? branchOf(run, scope).iterationOpen : 0
  return [
    journal.messageEvent({ id: used.messageId, role: 'assistant', kind: 'reply', content: reply.content, scope }),
    ...settledEvents(used, reply, context),
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
