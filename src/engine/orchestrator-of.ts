import type { OrchestratorName } from '../domain/run.ts'
import type { NewSession } from '../domain/session-input.ts'
import type { SessionSkill } from '../domain/skill.ts'
import type { SessionState } from '../domain/state.ts'
import type { Engine, LogContext, MoveContext } from './engine.ts'
import type { BranchOutcome, Cast } from './work.ts'

/** A log has to do with orchestrators that are to be loaded first. */
export class NotLoaded extends Error {
  constructor() {
    super('an orchestrator of this log is not loaded')
  }
}

/** Have the orchestrators there that a session of this input and skill has to do with. Null: they are. */
export function orchestratorsFor(
  { orchestrators }: Pick<Engine, 'orchestrators'>,
  { orchestrator, team, workflow }: Partial<Pick<NewSession, 'orchestrator' | 'team' | 'workflow'>>,
  skill: SessionSkill | null,
): Promise<void> | null {
  const named = [orchestrator, skill?.definition.orchestrator]
  const isNeeded =
    Boolean(team ?? workflow ?? skill?.definition.team ?? skill?.definition.workflow) ||
    named.some((name) => name && orchestrators.isLater(name))
  return isNeeded ? orchestrators.load() : null
}

/** Whose loop every branch has that is given to nobody else. */
const LOOP = 'agent'

/** The orchestrator of a session that is made with this: the one that is named, else what is implied. */
export function chosenOrchestrator(
  { orchestrators }: Pick<Engine, 'orchestrators'>,
  { orchestrator }: Pick<NewSession, 'orchestrator'>,
  cast: Cast,
): OrchestratorName {
  const implied = orchestrators.all.find(({ isImplied }) => isImplied?.(cast))
  return orchestrator ?? implied?.name ?? cast.skill?.definition.orchestrator ?? LOOP
}

/** Why answers of an orchestrator cannot be held to a schema; null: they can. */
export function schemaMisfit({ all, find }: Engine['orchestrators'], orchestrator: OrchestratorName): string | null {
  if (find(orchestrator)?.fitsSchema) return null
  const able = all.flatMap(({ name, fitsSchema }) => (fitsSchema ? [name] : []))
  return `none with orchestrator ${orchestrator}; it goes with ${able.join(', ')}`
}

/** Who works in a branch. */
function orchestratorOf({ run }: Pick<SessionState, 'run'>, branch: string | null): OrchestratorName {
  return (branch === null ? run?.orchestrator : run?.scopes[branch]?.orchestrator) ?? LOOP
}

/** The output at the end of a branch. `code`: why it failed; null for a good end. */
export function outcomeOf(context: MoveContext, branch: string | null, code: string | null): BranchOutcome {
  const { find, get } = context.engine.orchestrators
  const { outcome } = find(orchestratorOf(context.journal.state, branch)) ?? {}
  const left = (outcome ?? get(LOOP).outcome)?.(context, branch, code)
  return left ?? { result: null, violations: null, endedBy: null }
}

/** Whether all that is open in a branch waits for a human. */
export function isWaiting(context: LogContext, branch: string): boolean {
  const { calls = [] } = context.journal.state.run?.scopes[branch] ?? {}
  const areAsked = calls.length > 0 && calls.every(({ status }) => status === 'asked')
  return areAsked || context.engine.orchestrators.all.some(({ waits }) => waits?.(context, branch))
}
