import { actionText, questionText, choiceRequest, chosenNumber, type RoleNews } from '../../agent/team-texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import { branchOfRole, roleOfBranch, USER } from '../../domain/role.ts'
import { plansTurn, type TeamAction, type TeamRole } from '../../domain/team.ts'
import type { MoveContext, StepContext, Steps, Step } from '../../engine/engine.ts'
import type { EndedCall } from '../../engine/job.ts'
import { pendingItem } from '../../engine/open.ts'
import { promptEvent, withImagesOf } from '../../engine/prompt/prompt.ts'
import { userParts } from '../../engine/prompt/user.ts'
import { workerOf } from '../../engine/worker/worker.ts'
import { branchOf } from '../../log/branches.ts'
import { stepEvent, actionOf, newsOf, roleAtBranch } from './bus.ts'
import { teamSpecOf, newTeam, roleAt, roleState, teamIn } from './state.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import type { ModelReply } from '../../domain/model.ts'
import type { MoveOf } from '../../engine/move.ts'

/** The moves that are only written. */
export const ROUND_STEPS = {
  'start-round': { settle: ({ scope }, context) => startRoundEvents(scope, context) },
  'end-round': { settle: ({ scope }, context) => endRoundEvents(scope, context) },
  'start-action': { settle: ({ scope }, context) => startActionEvents(scope, context) },
  'prompt-role': { settle: ({ scope }, context) => promptRoleEvents(scope, context) },
  'ask-role': { settle: ({ scope }, context) => askRoleEvents(scope, context) },
  'end-turn': { settle: ({ scope }, context) => endTurnEvents(scope, context) },
} satisfies Steps

/** Whether a model chooses which of a role's actions comes next. */
export function choosesActions({ react_mode: mode, actions, human }: TeamRole): boolean {
  return mode === 'react' && actions.length > 1 && !human
}

/** The action that a turn begins with: for a role that plans the last, which its plan is to come to. */
function firstAction(role: TeamRole): TeamAction | undefined {
  return plansTurn(role) ? role.actions.at(-1) : role.actions[0]
}

/** The roles that have news begin their turns; whose first action is not to be chosen has it at once. */
function startRoundEvents(owner: string | null, { journal }: StepContext): NewEvent[] {
  const { record, state } = journal
  const team = teamIn(state, owner) ?? newTeam()
  const roles = teamSpecOf({ record, state }, owner)?.roles ?? []
  const acting = roles.filter(({ name }) => roleState(team, name).news.length > 0)
  return [
    { type: 'round-start', scope: owner, round: team.round + 1, roles: acting.map(({ name }) => name) },
    ...acting
      .filter((role) => !choosesActions(role))
      .map((role) => stepEvent(branchOfRole(owner, role.name), 'HAS_NEWS', 'HAS_TODO', firstAction(role)?.name)),
  ]
}

function endRoundEvents(owner: string | null, { journal }: StepContext): NewEvent[] {
  return [{ type: 'round-end', scope: owner, round: teamIn(journal.state, owner)?.round ?? 0 }]
}

/** An action begins: its first message is what to do, and upon what. A person is asked in a move of its own. */
function startActionEvents(scope: string, context: StepContext): NewEvent[] {
  const { journal } = context
  const action = actionOf(journal, scope)
  if (!action) return []
  const started = stepEvent(scope, 'HAS_TODO', 'EXECUTING', action.name)
  if (roleAtBranch(journal, scope)?.human) return [started]
  const worker = workerOf(context, scope)
  const news = newsOf(context, worker, action.instruction)
  const text = actionText(action, news, worker.language)
  const content = hearsUser(news) ? withImagesOf(roleOfBranch(scope).owner, text, journal) : text
  return [started, journal.messageEvent({ role: 'user', kind: 'task', content, scope })]
}

function hearsUser({ heard }: RoleNews): boolean {
  return heard.some(({ sent_from: from }) => from === USER)
}

/** The prompt of an action. Its task is the action alone: the news stands in the message before it. */
function promptRoleEvents(scope: string, context: StepContext): NewEvent[] {
  const { instruction = '' } = actionOf(context.journal, scope) ?? {}
  const worker = workerOf(context, scope)
  const isAsked =
    context.journal.record.user !== null &&
    roleOfBranch(scope).owner === null &&
    hearsUser(newsOf(context, worker, instruction))
  const told = userParts(context, worker, isAsked ? 'all' : 'preferences')
  return [promptEvent(worker, context, { task: instruction, about: instruction, parts: [], told })]
}

/** The action as a question to the person who does it. */
function askRoleEvents(scope: string, context: StepContext): NewEvent[] {
  const worker = workerOf(context, scope)
  const action = actionOf(context.journal, scope)
  if (!action) return []
  const question = questionText(action, newsOf(context, worker, action.instruction), worker.language)
  return [pendingItem({ type: 'question', question, scope }, context)]
}

/** A turn is over; what the role heard meanwhile is its news. `hasNews`: it hears of its own last output. */
export function endTurnEvents(scope: string, { journal }: MoveContext, hasNews = false): NewEvent[] {
  const { step, news } = roleAt(journal.state, scope)
  const { run } = journal.state
  const iteration = run ? branchOf(run, scope).iterationOpen : 0
  return [
    ...(iteration > 0 ? [{ type: 'iteration-end', iteration, scope } as const] : []),
    stepEvent(scope, step, 'IDLE'),
    ...(news.length > 0 || hasNews ? [stepEvent(scope, 'IDLE', 'HAS_NEWS')] : []),
  ]
}

/** One call without tools that asks a role's model which of its actions comes next. */
export const chooseActionStep: Step<MoveOf<'choose-action'>> = {
  prepare: ({ scope, attempt }, context) => {
    const { journal } = context
    const worker = workerOf(context, scope)
    const role = roleAtBranch(journal, scope)
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
