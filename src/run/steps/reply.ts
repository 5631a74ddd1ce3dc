import { codecFor } from '../../agent/codec.ts'
import type { Decoded, DecodedCall } from '../../agent/decode.ts'
import { findTextCalls } from '../../agent/text-calls.ts'
import { isNoCallWarning } from '../../agent/texts.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import { contentText } from '../../domain/content.ts'
import type { Problem } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import type { ModelReply } from '../../domain/model.ts'
import type { JsonSchema, Tool } from '../../domain/tool.ts'
import { textOf } from '../../lib/text.ts'
import { fitAnswer } from '../../skills/output-schema.ts'
import { finish } from '../../tools/control.ts'
import { endsByReplyOf, type MoveContext } from '../../engine/engine.ts'
import { callable, type PreparedCall } from './model-call.ts'

type Read = Pick<PreparedCall, 'protocol' | 'scope' | 'tools' | 'endsByReply' | 'outputSchema' | 'mayBeEmpty'>

/** What a reply is for its branch: calls to run, its output, or a problem that the model is told of. The log ends before it. */
export function readReply(call: Read, reply: ModelReply, language: Language, context: MoveContext): Decoded {
  const decoded = call.endsByReply ? withOutput(call, reply, language) : withAnswer(call, reply, language, context)
  return call.outputSchema ? fitted(decoded, call.outputSchema) : decoded
}

/** Whether a reply is the output: it calls nothing, and nothing is wrong with it. */
export function isOutput({ calls, problem }: Pick<Decoded, 'calls' | 'problem'>): boolean {
  return calls.length === 0 && problem === null
}

function decodedBy({ protocol }: Read, tools: readonly Tool[], reply: ModelReply, language: Language): Decoded {
  return codecFor(protocol).decode(reply, tools, language)
}

/** A reply that may be the output: only what calls an offered tool, or `finish`, is no such thing. */
function withOutput(call: Read, reply: ModelReply, language: Language): Decoded {
  const decoded = decodedBy(call, callable(call), reply, language)
  const calls = call.tools.length > 0 ? decoded.calls : decoded.calls.filter(({ toolId }) => toolId === finish.id)
  if (calls.length > 0) return { ...decoded, calls }
  if (call.tools.length > 0 && decoded.problem?.code === 'bad_parameters') return decoded
  const problem: Problem | null = outputIn(reply.content) === '' && !call.mayBeEmpty ? { code: 'empty_answer' } : null
  return { content: decoded.content, form: 'none', calls: [], problem, dropped: 0 }
}

/** A reply of work that `finish` ends: one that says something and calls nothing may be the answer, too. What writes its call in its
 *  text, though calls are made natively, is none. */
function withAnswer(call: Read, reply: ModelReply, language: Language, context: MoveContext): Decoded {
  const decoded = decodedBy(call, call.tools, reply, language)
  const saysNothing = outputIn(reply.content) === ''
  if (decoded.problem?.code !== 'no_tool_called' || saysNothing || !answersByReply(call, context)) return decoded
  const writesCall = call.protocol === 'native' && findTextCalls(reply.content, call.tools).calls.length > 0
  return writesCall ? decoded : { ...decoded, problem: null }
}

/** Whether a reply without a call is the answer here, or is warned of. */
function answersByReply({ protocol, scope }: Read, { engine, journal }: MoveContext): boolean {
  const rule = endsByReplyOf(engine, journal.record, protocol)
  return rule === 'always' || (rule === 'after_warning' && isWarned(journal, scope))
}

/** Whether the last thing that the model was told is that it called nothing. A summary may stand behind that. */
function isWarned({ log }: MoveContext['journal'], scope: string | null): boolean {
  const newest = log.messages({ scope, limit: 2, newestFirst: true }).find(({ kind }) => kind !== 'summary')
  return newest?.kind === 'warning' && isNoCallWarning(contentText(newest.content, null))
}

/** The output that a reply is: what is left of it without the thoughts before it. */
export function outputIn(content: string): string {
  return afterThoughts(content)
}

/** An output that does not fit its schema is a problem: of its call, or of the reply as a whole. */
function fitted(decoded: Decoded, schema: JsonSchema): Decoded {
  if (decoded.calls.length === 0)
    return decoded.problem ? decoded : { ...decoded, problem: misfit(outputIn(decoded.content), schema) }
  const calls = decoded.calls.map((call) =>
    isFinish(call) ? { ...call, problem: misfit(reasonOf(call), schema) } : call,
  )
  const [first] = calls
  const isRefused = decoded.form === 'text' && first?.problem?.code === 'bad_output'
  return isRefused ? { ...decoded, calls: [], problem: first.problem } : { ...decoded, calls }
}

function isFinish({ toolId, problem }: DecodedCall): boolean {
  return toolId === finish.id && problem === null
}

function reasonOf(call: DecodedCall): string {
  return textOf(call.arguments['reason'])
}

function misfit(text: string, schema: JsonSchema): Problem | null {
  const found = fitAnswer(text, schema)
  return found.ok ? null : { code: 'bad_output', errors: found.errors }
}
