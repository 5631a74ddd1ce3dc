import { estimateTokens } from '../../lib/text.ts'
import type { ScriptStep } from './script.ts'

const CHUNKS = 4
const ARGUMENT_CHUNKS = 2

/** What every part of one answer shares. */
export interface CompletionHead {
  id: string
  model: string
  created: number
  /** The text that the request's prompt tokens are estimated from. */
  prompt: string
}

/** The JSON of a chat completion. */
export function completionOf(step: ScriptStep, head: CompletionHead): Record<string, unknown> {
  const calls = callsOf(step, head)
  return {
    ...envelope('chat.completion', head),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: contentOf(step),
          ...(step.reasoning !== undefined && { reasoning_content: step.reasoning }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: finishReason(step),
      },
    ],
    ...(step.usage !== null && { usage: usageOf(step, head) }),
  }
}

/** The data of each event of a streamed chat completion, `[DONE]` at its end. */
export function completionChunks(step: ScriptStep, head: CompletionHead, withUsage: boolean): string[] {
  const chunk = (delta: Record<string, unknown>, finish: string | null = null) =>
    JSON.stringify({
      ...envelope('chat.completion.chunk', head),
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(step.reasoning ? [chunk({ reasoning_content: step.reasoning })] : []),
    ...piecesOf(step).map((content) => chunk({ content })),
    ...callsOf(step, head).flatMap((call, index) =>
      callDeltas(call, index, step.tool_calls?.[index]?.chunks).map((delta) => chunk({ tool_calls: [delta] })),
    ),
    chunk({}, finishReason(step)),
    ...(withUsage && step.usage !== null
      ? [JSON.stringify({ ...envelope('chat.completion.chunk', head), choices: [], usage: usageOf(step, head) })]
      : []),
    '[DONE]',
  ]
}

function envelope(object: string, { id, model, created }: CompletionHead): Record<string, unknown> {
  return { id, object, created, model }
}

function finishReason(step: ScriptStep): string | null {
  if (step.finish_reason !== undefined) return step.finish_reason
  return step.tool_calls?.length ? 'tool_calls' : 'stop'
}

interface WireCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

function callsOf(step: ScriptStep, { id }: CompletionHead): WireCall[] {
  return (step.tool_calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${id.replace('chatcmpl-', '')}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call) },
  }))
}

function argumentsText({ arguments: given, chunks }: NonNullable<ScriptStep['tool_calls']>[number]): string {
  if (given === undefined && Array.isArray(chunks)) return chunks.join('')
  return typeof given === 'string' ? given : JSON.stringify(given ?? {})
}

/** A call in deltas, as services send them: its name, then its arguments in parts. */
function callDeltas(
  { id, type, function: { name, arguments: args } }: WireCall,
  index: number,
  chunks: number | string[] = ARGUMENT_CHUNKS,
): Record<string, unknown>[] {
  return [
    { index, id, type, function: { name, arguments: '' } },
    ...cut(args, chunks).map((part) => ({ index, function: { arguments: part } })),
  ]
}

function contentOf({ content, chunks }: ScriptStep): string | null {
  return content ?? (Array.isArray(chunks) ? chunks.join('') : null)
}

function piecesOf({ content, chunks = CHUNKS }: ScriptStep): string[] {
  return cut(content ?? '', chunks)
}

function cut(text: string, chunks: number | string[]): string[] {
  if (typeof chunks !== 'number') return chunks
  const chars = Array.from(text)
  const size = Math.max(1, Math.ceil(chars.length / chunks))
  return Array.from({ length: Math.ceil(chars.length / size) }, (_, i) =>
    chars.slice(i * size, (i + 1) * size).join(''),
  )
}

function usageOf(step: ScriptStep, { prompt }: CompletionHead): Record<string, unknown> {
  const said = [contentOf(step), step.reasoning, ...(step.tool_calls ?? []).map((call) => JSON.stringify(call))]
  const promptTokens = step.usage?.prompt_tokens ?? estimateTokens(prompt)
  const completionTokens = step.usage?.completion_tokens ?? estimateTokens(said.join(''))
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...step.usage,
  }
}
