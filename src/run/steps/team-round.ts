import { generatePrompt } from '../../agent/prompt.ts'
import { actionText, questionText } from '../../agent/team-texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import { roleAt, teamIn } from '../../domain/lineage.ts'
import { branchOfRole } from '../../domain/seat.ts'
import { newTeam, plansTurn, roleState, type TeamAction, type TeamRole } from '../../domain/team.ts'
import { declaredProtocol, type Worker } from '../../engine/worker/worker.ts'
import { languageTagOf, timezoneOf } from '../../engine/engine.ts'
import { branchOf } from '../../log/branches.ts'
import { stepEvent } from './team-bus.ts'
import { actionOf, newsOf, roleOf as teamRole } from './team-news.ts'
import { teamSpecOf } from '../../engine/worker/team-specs.ts'
import type { MoveContext } from '../../engine/job.ts'
import { pendingItem } from './pending.ts'
import { missingToolsPart } from '../../engine/missing-tools.ts'
import { roleOf } from '../../engine/role.ts'

/** Whether a model chooses which of a role's actions comes next. */
export function choosesActions({ react_mode: mode, actions, human }: TeamRole): boolean {
  return mode === 'react' && actions.length > 1 && !human
}

/** The action that a turn begins with: for a role that plans the last, which its plan is to come to. */
function firstAction(role: TeamRole): TeamAction | undefined {
  return plansTurn(role) ? role.actions.at(-1) : role.actions[0]
}

/** The roles that have news begin their turns; whose first action is not to be chosen has it at once. */
export function startRoundEvents(owner: string | null, { journal }: MoveContext): NewEvent[] {
  const { record, state } = journal
  const team = teamIn(state, owner) ?? newTeam()
  const roles = teamSpecOf({ record, run: state.run }, owner)?.roles ?? []
  const acting = roles.filter(({ name }) => roleState(team, name).news.length > 0)
  return [
    { type: 'round-start', scope: owner, round: team.round + 1, roles: acting.map(({ name }) => name) },
    ...acting
      .filter((role) => !choosesActions(role))
      .map((role) => stepEvent(branchOfRole(owner, role.name), 'HAS_NEWS', 'HAS_TODO', firstAction(role)?.name)),
  ]
}

export function endRoundEvents(owner: string | null, { journal }: MoveContext): NewEvent[] {
  return [{ type: 'round-end', scope: owner, round: teamIn(journal.state, owner)?.round ?? 0 }]
}

/** An action begins: its first message is what to do, and upon what. A person is asked in a move of its own. */
export function startActionEvents(scope: string, worker: Worker, context: MoveContext): NewEvent[] {
  const { journal } = context
  const action = actionOf(journal, scope)
  if (!action) return []
  const started = stepEvent(scope, 'HAS_TODO', 'EXECUTING', action.name)
  if (teamRole(journal, scope)?.human) return [started]
  const content = actionText(action, newsOf(context, worker, action.instruction), worker.language)
  return [started, journal.messageEvent({ role: 'user', kind: 'task', content, scope })]
}

/** The prompt of an action. Its task is the action alone: the news stands in the message before it. */
export function promptRoleEvents(scope: string, worker: Worker, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const { record } = journal
  const { finish, outputSchema, language, offered: tools } = worker
  const { instruction = '' } = actionOf(journal, scope) ?? {}
  const content = generatePrompt({
    task: instruction,
    character: roleOf(context, worker, instruction),
    language,
    languageTag: languageTagOf(engine, record.config),
    timezone: timezoneOf(engine, record.config),
    now: journal.now(),
    runtime: engine.runtime,
    instructions: [engine.config.instructions, record.config.instructions].filter(Boolean).join('\n\n'),
    tools,
    protocol: declaredProtocol(worker),
    finish,
    outputSchema,
    extra: missingToolsPart(worker, engine),
  })
  return [journal.messageEvent({ role: 'system', kind: 'prompt', content, scope })]
}

/** The action as a question to the person who does it. */
export function askRoleEvents(scope: string, worker: Worker, context: MoveContext): NewEvent[] {
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
