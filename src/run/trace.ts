import { parseTraceparent, traceparentWithin } from '../telemetry/spans.ts'
import type { Engine } from '../engine/engine.ts'
import type { Journal } from '../log/journal.ts'

/** The W3C Trace Context of a request to a model service or an MCP server: the span of the message or call `of`, where spans of
 *  the session are sent; else what the run came with, unchanged. Null: neither. */
export async function traceparentOf(
  of: string,
  { journal, engine }: { journal: Journal; engine: Pick<Engine, 'config'> },
): Promise<string | null> {
  const { run } = journal.state
  const came = journal.runStart?.origin?.traceparent ?? null
  // The log may be another server's.
  const given = parseTraceparent(came) ? came : null
  const isRecorded = run !== null && (journal.isLasting || journal.isWatched) && engine.config.otel !== undefined
  return isRecorded ? traceparentWithin({ trace: run.id, of, traceparent: given }) : given
}
