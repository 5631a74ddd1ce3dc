import type { OpenCall } from '../../domain/state.ts'
import type { MoveContext } from '../../engine/engine.ts'
import type { Outcome } from '../../engine/job.ts'
import { argumentsOf } from '../../engine/open.ts'
import { languageFor, toolOf } from '../../engine/settings.ts'
import { settingsFor } from '../../engine/worker/assignment.ts'
import { clientOutcome, type GivenResult } from '../../tools/client/result.ts'
import { clientToolOf } from '../../tools/client/tool.ts'
import { configOf } from '../../tools/registry.ts'
import { loadCutter, shownLimits } from './tool-output.ts'
import { resultOf } from './tool-result.ts'

/** The end of a call that its caller made: its one result. */
export async function clientResult(open: OpenCall, scope: string | null, context: MoveContext): Promise<Outcome> {
  const { journal, engine } = context
  const { record, state, log } = journal
  const { seq, ms } = open.result ?? { seq: 0, ms: 0 }
  const { client: name = open.tool } = open
  // The caller may have brought other tools along since.
  const tool = toolOf(engine, open.tool) ?? clientToolOf(open.tool, { name, description: '', parameters: {} })
  const settings = settingsFor({ engine, record, state }, scope)
  const outcome = await clientOutcome(givenAt(seq, log), {
    name: tool.id,
    language: languageFor(engine, record),
    isTrusted: configOf(tool, settings).trusted === true,
    secret: `${record.id}\n${open.id}`,
  })
  const limits = shownLimits({ tool, scope }, outcome, context)
  const cutter = limits && (await loadCutter(tool, limits))
  const args = argumentsOf(context, scope, open)
  return resultOf({ tool, args, open, outcome, cutter, ms, scope }, context)
}

/** What the caller said, as the event of this seq holds it. */
function givenAt(seq: number, log: MoveContext['journal']['log']): GivenResult {
  const [event] = log.events(seq - 1, 1)
  if (event?.type !== 'pending-end') throw new Error(`event ${seq} is no result`)
  return event.error === undefined ? { result: event.result ?? null } : { error: event.error }
}
