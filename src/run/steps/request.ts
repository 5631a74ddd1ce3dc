import { contentText } from '../../domain/content.ts'
import { codecFor } from '../../agent/codec.ts'
import { picturesOf } from '../../agent/pictures.ts'
import { forProtocol } from '../../agent/prompt.ts'
import type { ModelRequest, ModelSpec, Protocol } from '../../domain/model.ts'
import type { TraceContext } from '../../domain/telemetry.ts'
import { seqsOf } from '../../log/branches.ts'
import type { Journal } from '../../log/journal.ts'
import { at, branchWindowOf, windowBudget, windowOf } from '../../log/window.ts'
import { estimateRequest } from '../../models/estimate.ts'
import { traceContextOf, traceparentWithin } from '../../telemetry/spans.ts'
import type { Engine, MoveContext } from '../../engine/engine.ts'
import { endsByReplyOf } from '../../engine/settings.ts'
import { mayLoadSkills, withoutSkills } from '../../engine/prompt/role.ts'
import type { Worker } from '../../engine/worker/worker.ts'

/** A model, and the protocol in which it is spoken to. */
interface Spoken {
  spec: ModelSpec
  protocol: Protocol
}

/** What the next turn of a branch is asked: its prompt, as much of its window as fits, and its tools. */
export function requestFor({ spec, protocol }: Spoken, worker: Worker, context: MoveContext): ModelRequest {
  const { journal } = context
  const { log, state } = journal
  const { scope, offered: tools, language, outputSchema } = worker
  const prompt = promptFor(protocol, worker, journal)
  const budget = messageBudget({ spec, protocol, prompt }, worker)
  const messages =
    scope === null ? windowOf(log, state, budget) : branchWindowOf(log, scope, seqsOf(state, scope).taskSeq, budget)
  const encoded = codecFor(protocol).encode({
    prompt,
    messages,
    tools,
    language,
    outputSchema,
    pictures: picturesOf(messages, spec, journal),
  })
  return outputSchema && mayHold({ spec, protocol }, worker, context) ? { ...encoded, outputSchema } : encoded
}

/** Whether all that a reply may say is the output: calls are made beside the text, or there is nothing to call. */
function mayHold({ protocol }: Spoken, { offered, endsByReply }: Worker, context: MoveContext): boolean {
  if (offered.length === 0) return endsByReply
  const { engine, journal } = context
  return protocol !== 'xml' && (endsByReply || endsByReplyOf(engine, journal.record, protocol) === 'always')
}

/** What a model with `auto` turned out to speak in this run, else as declared. */
export function protocolOf(spec: ModelSpec, { journal }: MoveContext): Protocol {
  if (spec.protocol !== 'auto') return spec.protocol
  return journal.state.run?.protocol === 'xml' ? 'xml' : 'auto'
}

/** The newest prompt, with the tool guide of this protocol, and the list of skills only where one can be loaded: what was offered when it
 *  was written need not be offered any more. */
export function promptFor(protocol: Protocol, worker: Worker, { log, state }: Journal): string | null {
  const [stored] = at(log, seqsOf(state, worker.scope).promptSeq)
  const { offered: tools, finish, language } = worker
  if (!stored) return null
  const prompt = contentText(stored.content, language)
  return forProtocol(mayLoadSkills(tools) ? prompt : withoutSkills(prompt), { tools, protocol, finish, language })
}

/** Tokens that messages may take in a call of this model here, beside the prompt and the tools. */
export function messageBudget(
  { spec, protocol, prompt }: Spoken & { prompt: string | null },
  { offered: tools, language }: Worker,
): number {
  return windowBudget(spec, estimateRequest(codecFor(protocol).encode({ prompt, messages: [], tools, language })))
}

/** The trace of a request to a model service or an MCP server: the span of the message or call `of`, where spans of the session are
 *  sent; else what the run came with. Its state goes on unchanged. Null: neither. */
export async function traceOf(
  of: string,
  { journal, engine }: { journal: Journal; engine: Pick<Engine, 'config'> },
): Promise<TraceContext | null> {
  const { run } = journal.state
  // The log may be another server's.
  const given = traceContextOf(journal.runStart?.origin ?? {})
  const isRecorded = run !== null && (journal.isLasting || journal.isWatched) && engine.config.otel !== undefined
  if (!isRecorded) return given
  return {
    ...given,
    traceparent: await traceparentWithin({ trace: run.id, of, traceparent: given?.traceparent ?? null }),
  }
}
