import type { AgentResponseData, SessionRecord, SkillResult } from '../../domain/session.ts'
import { CONTROL_TOOLS } from '../../tools/control.ts'

const CONTROL: ReadonlySet<string> = new Set(CONTROL_TOOLS.map(({ id }) => id))

/** How a run of a skill went, as the caller of a function would ask; nothing for a session without a skill. */
export function skillResultOf(
  { skill }: Pick<SessionRecord, 'skill'>,
  { status, result, error, usage }: Pick<AgentResponseData, 'status' | 'result' | 'error' | 'usage'>,
  toolsUsed: readonly string[],
): { skill_result?: SkillResult } {
  if (!skill) return {}
  return {
    skill_result: {
      success: status === 'completed',
      content: result,
      error: error?.detail ?? null,
      tools_used: toolsUsed.filter((tool) => !CONTROL.has(tool)),
      tokens_used: usage.total_tokens,
      cost: usage.cost,
    },
  }
}
