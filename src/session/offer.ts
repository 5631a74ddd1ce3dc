import type { Tool } from '../domain/tool.ts'
import { enabledTools } from '../tools/registry.ts'
import { settingsOf } from './engine.ts'
import type { MoveContext } from './moves/job.ts'

/** Tools that the model of a line of work is offered now. `_scope`: null for the run's own. */
export function offeredTools({ engine, journal }: MoveContext, _scope: string | null): Tool[] {
  const { record, state } = journal
  const has = { user: record.user !== null, cut_result: state.hasCutResult }
  return enabledTools(engine.tools, settingsOf(engine, record)).filter(({ needs }) => needs === null || has[needs])
}
