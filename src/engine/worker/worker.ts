import { type Assignment, endsByReply, isLastCall } from '../../domain/assignment.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ModelChoice, Protocol } from '../../domain/model.ts'
import { type BranchState, newBranch, type SessionState } from '../../domain/state.ts'
import type { SkillDefinition } from '../../domain/skill.ts'
import type { Tool } from '../../domain/tool.ts'
import { estimateTokens } from '../../lib/text.ts'
import { branchOf } from '../../log/branches.ts'
import { sharedList } from '../../tools/registry.ts'
import type { MoveContext } from '../engine.ts'
import { languageFor } from '../settings.ts'
import { assignmentOf } from './assignment.ts'

/** What a branch works with while a move is made: resolved once, when the move begins, and handed down. */
export interface Worker extends Assignment {
  scope: string | null
  language: Language
  /** The model that it asks, or why there is none. */
  choice: ModelChoice
  /** Tools that its model is offered now; none, once its calls are used up. The same list as long as nothing changes. */
  offered: readonly Tool[]
  /** Tools that its model may call: those, and the ones for files that are offered with the first file. */
  known: readonly Tool[]
  /** Whether any reply that calls nothing is its output. */
  endsByReply: boolean
}

/** Who works in a branch now. */
export function workerOf(context: MoveContext, scope: string | null): Worker {
  const { engine, journal } = context
  const { record, state } = journal
  const { run } = state
  const assignment = assignmentOf({ engine, record, state }, scope)
  const branch = run ? branchOf(run, scope) : newBranch()
  const isLast = isLastCall(branch, assignment) || isLastTry(branch, assignment)
  const offered = isLast ? NONE : offeredOf(assignment, scope, context)
  return {
    ...assignment,
    scope,
    language: languageFor(engine, record),
    choice: engine.chooseModel(assignment.model),
    offered,
    known: isLast ? NONE : withFileTools(offered, assignment),
    endsByReply: run !== null && (endsByReply(branch, assignment) || isLastTry(branch, assignment)),
  }
}

/** Whether an answer that has to fit a schema is asked for the last time. Without tools any service can be held to the schema. */
function isLastTry({ misfits }: BranchState, { outputSchema }: Assignment): boolean {
  return outputSchema !== null && misfits >= LIMITS.skill.answerRetriesMax
}

const NONE: readonly Tool[] = []

function withFileTools(offered: readonly Tool[], { tools }: Assignment): readonly Tool[] {
  const hidden = tools.filter((tool) => tool.needs === 'files' && !offered.includes(tool))
  return hidden.length === 0 ? offered : sharedList([...offered, ...hidden])
}

/** Those of its tools that are of use now. What comes with something in the session is behind the others, so that what was said before
 *  of those stays as it was. */
function offeredOf(
  { tools, toolNames, role }: Assignment,
  scope: string | null,
  { journal: { record, state, isLasting, log } }: MoveContext,
): readonly Tool[] {
  const has = {
    user: record.user !== null,
    cut_result: hasCutResult(state, scope) && isLasting,
    many_tools: areMany(tools),
    skill_files: skillOf(role)?.files !== undefined || state.foundTools?.includes('read_skill_file') === true,
    lasting: isLasting,
    // Who names its tools has them.
    files: toolNames !== null || state.hasFiles === true || (!isLasting && log.files.total().files > 0),
  }
  // Only the run's own line of work gives tasks away.
  const isHidden = ({ id, server, isMove }: Tool) =>
    isMove ? scope !== null : has.many_tools && server !== null && !state.foundTools?.includes(id)
  const isOfUse = (tool: Tool) => (tool.needs === null || has[tool.needs]) && !isHidden(tool)
  const isLate = ({ needs, server }: Tool) =>
    needs === 'files' || needs === 'cut_result' || needs === 'skill_files' || (server !== null && has.many_tools)
  const late = tools.filter((tool) => isOfUse(tool) && isLate(tool))
  if (late.length === 0 && tools.every(isOfUse)) return tools
  return sharedList([...tools.filter((tool) => isOfUse(tool) && !isLate(tool)), ...late])
}

/** The skill that a branch works by; null: none. */
export function skillOf(role: Assignment['role']): Pick<SkillDefinition, 'name' | 'files'> | null {
  return role !== null && 'skill' in role ? role.skill : null
}

/** Whether the tools of servers would take more of a request than they may. */
function areMany(tools: readonly Tool[]): boolean {
  const ofServers = tools.filter(({ server }) => server !== null)
  return ofServers.reduce((sum, tool) => sum + tokensOf(tool), 0) > LIMITS.mcp.schemaTokensMax
}

const TOKENS = new WeakMap<Tool, number>()

function tokensOf(tool: Tool): number {
  const tokens =
    TOKENS.get(tool) ?? estimateTokens(`${tool.id} ${tool.description.en} ${JSON.stringify(tool.inputSchema())}`)
  TOKENS.set(tool, tokens)
  return tokens
}

/** A branch reads on in its own results; the run's own in all of them. */
function hasCutResult(state: SessionState, scope: string | null): boolean {
  return scope === null ? state.hasCutResult : (state.run?.scopes[scope]?.hasCutResult ?? false)
}

/** The protocol that its model was declared with; the one of a worker without a model is open. */
export function declaredProtocol({ choice }: Pick<Worker, 'choice'>): Protocol {
  return choice.ok ? choice.spec.protocol : 'auto'
}
