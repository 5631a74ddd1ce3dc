import { isLastCall } from '../../domain/assignment.ts'
import { LIMITS } from '../../domain/limits.ts'
import { newScope, type ScopeState, type SessionState } from '../../domain/state.ts'
import type { Tool } from '../../domain/tool.ts'
import { estimateTokens } from '../../lib/tokens.ts'
import { sharedList } from '../../tools/shared-list.ts'
import { assignmentOf } from './assignment.ts'
import type { MoveContext } from '../job.ts'
import { scopeOf } from '../../log/branches.ts'

const NONE: readonly Tool[] = []

/** Tools that the model of a line of work is offered now; none, once its tools are used up. The same list as long as nothing
 *  changes. */
export function offeredTools({ engine, journal }: MoveContext, scope: string | null): readonly Tool[] {
  const { record, state } = journal
  const assignment = assignmentOf({ engine, record, run: state.run }, scope)
  if (isLastCall(stateOf(state, scope), assignment)) return NONE
  const has = {
    user: record.user !== null,
    cut_result: hasCutResult(state, scope) && journal.isLasting,
    many_tools: areMany(assignment.tools),
  }
  const isHidden = ({ id, server }: Tool) => has.many_tools && server !== null && !state.foundTools?.includes(id)
  const isOfUse = (tool: Tool) => (tool.needs === null || has[tool.needs]) && !isHidden(tool)
  return assignment.tools.every(isOfUse) ? assignment.tools : sharedList(assignment.tools.filter(isOfUse))
}

/** Whether the tools of servers would take more of a request than they may. A list that is offered is the same each time. */
function areMany(tools: readonly Tool[]): boolean {
  const known = MANY.get(tools)
  if (known !== undefined) return known
  const ofServers = tools.filter(({ server }) => server !== null)
  const tokens = ofServers.reduce((sum, tool) => sum + tokensOf(tool), 0)
  MANY.set(tools, tokens > LIMITS.mcp.schemaTokensMax)
  return tokens > LIMITS.mcp.schemaTokensMax
}

const MANY = new WeakMap<readonly Tool[], boolean>()

function tokensOf(tool: Tool): number {
  return estimateTokens(`${tool.id} ${tool.description.en} ${JSON.stringify(tool.inputSchema())}`)
}

/** A line of work reads on in its own results; the run's own in all of them. */
function hasCutResult(state: SessionState, scope: string | null): boolean {
  return scope === null ? state.hasCutResult : (state.run?.scopes[scope]?.hasCutResult ?? false)
}

function stateOf({ run }: SessionState, scope: string | null): Pick<ScopeState, 'toolTurns' | 'toolCalls'> {
  return run ? scopeOf(run, scope) : newScope()
}
