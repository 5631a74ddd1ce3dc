import { codecFor } from '../../agent/codec.ts'
import type { Decoded, DecodedCall } from '../../agent/codec-shapes.ts'
import { findTextCalls } from '../../agent/text-calls.ts'
import { isNoCallWarning } from '../../agent/texts.ts'
import { afterThoughts } from '../../agent/visible.ts'
import { contentText } from '../../domain/content.ts'
import type { Problem } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import type { ModelReply } from '../../domain/model.ts'
import type { JsonSchema, Tool } from '../../domain/tool.ts'
import { textOf } from '../../lib/text.ts'
import { fitAnswer } from '../../skills/output-schema.ts'
import { finish } from '../../tools/control.ts'
import { endsByReplyOf } from '../../engine/engine.ts'
import type { MoveContext } from '../../engine/job.ts'
import type { Turn } from './turn.ts'

type Read = Pick<Turn, 'protocol' | 'scope' | 'tools' | 'endsByReply' | 'outputSchema' | 'mayBeEmpty'>

/** What a reply is for its branch: calls to run, its output, or a problem that the model is told of. The log ends before it. */
export function readReply(turn: Read, reply: ModelReply, language: Language, context: MoveContext): Decoded {
  const decoded = turn.endsByReply ? withOutput(turn, reply, language) : withAnswer(turn, reply, language, context)
  return turn.outputSchema ? fitted(decoded, turn.outputSchema) : decoded
}

/** Whether a reply is the output: it calls nothing, and nothing is wrong with it. */
export function isOutput({ calls, problem }: Pick<Decoded, 'calls' | 'problem'>): boolean {
  return calls.length === 0 && problem === null
}

function decodedBy({ protocol }: Read, tools: Turn['tools'], reply: ModelReply, language: Language): Decoded {
  return codecFor(protocol).decode(reply, tools, language)
}

/** Tools that a reply may call: those offered, and `finish` wherever the reply may be the output. */
export function callable({ tools, endsByReply }: Pick<Turn, 'tools' | 'endsByReply'>): readonly Tool[] {
  return !endsByReply || tools.includes(finish) ? tools : [...tools, finish]
}

/** A reply that may be the output: only what calls an offered tool, or `finish`, is no such thing. */
function withOutput(turn: Read, reply: ModelReply, language: Language): Decoded {
  const decoded = decodedBy(turn, callable(turn), reply, language)
  const calls = turn.tools.length > 0 ? decoded.calls : decoded.calls.filter(({ toolId }) => toolId === finish.id)
  if (calls.length > 0) return { ...decoded, calls }
  if (turn.tools.length > 0 && decoded.problem?.code === 'bad_parameters') return decoded
  const problem: Problem | null = outputIn(reply.content) === '' && !turn.mayBeEmpty ? { code: 'empty_answer' } : null
  return { content: decoded.content, form: 'none', calls: [], problem, dropped: 0 }
}

/** A reply of work that `finish` ends: one that says something and calls nothing may be the answer, too. What writes its call in its
 *  text, though calls are made natively, is none. */
function withAnswer(turn: Read, reply: ModelReply, language: Language, context: MoveContext): Decoded {
  const decoded = decodedBy(turn, turn.tools, reply, language)
  const saysNothing = outputIn(reply.content) === ''
  if (decoded.problem?.code !== 'no_tool_called' || saysNothing || !answersByReply(turn, context)) return decoded
  const writesCall = turn.protocol === 'native' && findTextCalls(reply.content, turn.tools).calls.length > 0
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
