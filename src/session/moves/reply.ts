import { codecFor } from '../../agent/codec.ts'
import type { Decoded, DecodedCall } from '../../agent/codec-shapes.ts'
import { afterThoughts } from '../../agent/visible.ts'
import type { Problem } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import type { ModelReply } from '../../domain/model.ts'
import type { JsonSchema, Tool } from '../../domain/tool.ts'
import { textOf } from '../../lib/text-of.ts'
import { fitAnswer } from '../../skills/output-schema.ts'
import { finish } from '../../tools/control.ts'
import type { Turn } from './turn.ts'

type Read = Pick<Turn, 'protocol' | 'tools' | 'endsByReply' | 'outputSchema' | 'mayBeEmpty'>

/** What a reply is for its line of work: calls to run, its output, or a problem that the model is told of. */
export function readReply(turn: Read, reply: ModelReply, language: Language): Decoded {
  const decoded = turn.endsByReply ? withOutput(turn, reply, language) : decodedBy(turn, turn.tools, reply, language)
  return turn.outputSchema ? fitted(decoded, turn.outputSchema) : decoded
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

/** The output that a reply is: what is left of it without the thoughts before it. */
export function outputIn(content: string): string {
  return afterThoughts(content)
}

/** An output that does not fit its schema is a problem: of its call, or of the reply as a whole. */
function fitted(decoded: Decoded, schema: JsonSchema): Decoded {
  if (decoded.calls.length === 0)
    return decoded.problem ? decoded : { ...decoded, problem: misfit(outputIn(decoded.content), schema) }
  const calls = decoded.calls.map((call) =>
    isOutput(call) ? { ...call, problem: misfit(reasonOf(call), schema) } : call,
  )
  const [first] = calls
  const isRefused = decoded.form === 'text' && first?.problem?.code === 'bad_output'
  return isRefused ? { ...decoded, calls: [], problem: first.problem } : { ...decoded, calls }
}

function isOutput({ toolId, problem }: DecodedCall): boolean {
  return toolId === finish.id && problem === null
}

function reasonOf(call: DecodedCall): string {
  return textOf(call.arguments['reason'])
}

function misfit(text: string, schema: JsonSchema): Problem | null {
  const found = fitAnswer(text, schema)
  return found.ok ? null : { code: 'bad_output', errors: found.errors }
}
