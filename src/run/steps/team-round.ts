import { generatePrompt } from '../../agent/prompt.ts'
import { actionText, questionText } from '../../agent/team-texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import { roleAt, teamIn } from '../../domain/lineage.ts'
import { scopeOfRole } from '../../domain/seat.ts'
import { newTeam, plansTurn, roleState, type TeamAction, type TeamRole } from '../../domain/team.ts'
import { newId } from '../../lib/id.ts'
import { assignmentOf, modelOf } from '../worker/assignment.ts'
import { languageFor, languageTagOf, limitsOf, timezoneOf } from '../engine.ts'
import { offeredTools } from '../worker/offer.ts'
import { scopeOf } from '../../log/branches.ts'
import { stepEvent } from './team-bus.ts'
import { actionOf, newsOf, roleOf as teamRole } from './team-news.ts'
import { teamSpecOf } from '../worker/team-specs.ts'
import type { MoveContext } from '../job.ts'
import { missingToolsPart } from './missing-tools.ts'
import { roleOf } from './role.ts'

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
      .map((role) => stepEvent(scopeOfRole(owner, role.name), 'HAS_NEWS', 'HAS_TODO', firstAction(role)?.name)),
  ]
}

export function endRoundEvents(owner: string | null, { journal }: MoveContext): NewEvent[] {
  return [{ type: 'round-end', scope: owner, round: teamIn(journal.state, owner)?.round ?? 0 }]
}

/** An action begins: its first message is what to do, and upon what. A person is asked in a move of its own. */
export function startActionEvents(scope: string, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const action = actionOf(journal, scope)
  if (!action) return []
  const started = stepEvent(scope, 'HAS_TODO', 'EXECUTING', action.name)
  if (teamRole(journal, scope)?.human) return [started]
  const language = languageFor(engine, journal.record)
  const content = actionText(action, newsOf(context, scope, action.instruction), language)
  return [started, journal.messageEvent({ role: 'user', kind: 'task', content, scope })]
}

/** The prompt of an action. Its task is the action alone: the news stands in the message before it. */
export function promptRoleEvents(scope: string, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const { record, state } = journal
  const { instruction = '' } = actionOf(journal, scope) ?? {}
  const { finish, outputSchema } = assignmentOf({ engine, record, run: state.run }, scope)
  const choice = modelOf(context, scope)
  const content = generatePrompt({
    task: instruction,
    character: roleOf(context, scope, instruction),
    language: languageFor(engine, record),
    languageTag: languageTagOf(engine, record.config),
    timezone: timezoneOf(engine, record.config),
    now: journal.now(),
    runtime: engine.runtime,
    instructions: [engine.config.instructions, record.config.instructions].filter(Boolean).join('\n\n'),
    tools: offeredTools(context, scope),
    protocol: choice.ok ? choice.spec.protocol : 'auto',
    finish,
    outputSchema,
    extra: missingToolsPart(context, scope),
  })
  return [journal.messageEvent({ role: 'system', kind: 'prompt', content, scope })]
}

/** The action as a question to the person who does it. */
export function askRoleEvents(scope: string, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const action = actionOf(journal, scope)
  if (!action) return []
  const language = languageFor(engine, journal.record)
  const now = journal.now()
  const pending = {
    id: newId('pnd', now),
    type: 'question',
    question: questionText(action, newsOf(context, scope, action.instruction), language),
    created_time: new Date(now).toISOString(),
    expires_time: new Date(now + limitsOf(engine, journal.record).approval_ttl_ms).toISOString(),
    scope,
  } as const
  return [{ type: 'pending', pending, scope }]
}

/** A turn is over; what the role heard meanwhile is its news. `hasNews`: it hears of its own last output. */
export function endTurnEvents(scope: string, { journal }: MoveContext, hasNews = false): NewEvent[] {
  const { step, news } = roleAt(journal.state, scope)
  const { run } = journal.state
  const iteration = run ? scopeOf(run, scope).iterationOpen : 0
  return [
    ...(iteration > 0 ? [{ type: 'iteration-end', iteration, scope } as const] : []),
    stepEvent(scope, step, 'IDLE'),
    ...(news.length > 0 || hasNews ? [stepEvent(scope, 'IDLE', 'HAS_NEWS')] : []),
  ]
}
