import { codecFor } from '../../agent/codec.ts'
import { type Decoded, type DecodedCall, noCall } from '../../agent/decode.ts'
import { answerText, endsInCall, findTextCalls } from '../../agent/text-calls.ts'
import { isNoCallWarning } from '../../agent/texts.ts'
import { contentText } from '../../domain/content.ts'
import { isCutReason } from '../../domain/cut-reason.ts'
import type { Problem } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import type { ModelReply } from '../../domain/model.ts'
import type { JsonSchema, Tool } from '../../domain/tool.ts'
import { withoutFenced } from '../../lib/fence.ts'
import { isObject, memberOf, parseJson } from '../../lib/json.ts'
import { textOf } from '../../lib/text.ts'
import { branchOf } from '../../log/branches.ts'
import { fitAnswer } from '../../skills/output-schema.ts'
import { finish } from '../../tools/control.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { endsByReplyOf } from '../../engine/settings.ts'
import { plainOutside, quotesCall, withoutQuoted } from '../provenance/quoted.ts'
import { answerTool } from './answer-tool.ts'
import { callable, type PreparedCall } from './model-call.ts'

type Read = Pick<PreparedCall, 'protocol' | 'scope' | 'tools' | 'endsByReply' | 'outputSchema' | 'mayBeEmpty'>

/** A reply by the rules of its protocol. JSON that is the answer as a whole calls nothing, whatever it looks like or holds, nor does what is
 *  quoted with the markers of text from outside. */
export function decodeReply(call: Read, reply: ModelReply, language: Language): Decoded {
  const isAnswer = reply.toolCalls.length === 0 && isAnswerOf(reply.content, call.outputSchema)
  if (isAnswer) return noCall(reply)
  const own = { ...reply, content: withoutFenced(reply.content) }
  return { ...codecFor(call.protocol).decode(own, readable(call), language), content: reply.content }
}

/** Whether a text is JSON that fits a schema, all of whose members the schema names: a schema that takes any object would take any call. */
function isAnswerOf(content: string, schema: JsonSchema | null): boolean {
  const fitted = schema && MAY_BE_JSON.test(content) ? fitAnswer(outputIn(content), schema) : null
  if (!fitted?.ok) return false
  const value = parseJson(fitted.json)
  const named = schema?.['properties']
  return (
    Array.isArray(value) || (isObject(value) && Object.keys(value).every((key) => memberOf(named, key) !== undefined))
  )
}

/** What begins as an object, a list, or thoughts or a fence before one. */
const MAY_BE_JSON = /^\s*[[{<`]/

/** Tools as a reply may call them. */
function readable(call: Read): readonly Tool[] {
  const { outputSchema } = call
  return outputSchema
    ? callable(call).map((tool) => (tool === finish ? answerTool(outputSchema) : tool))
    : callable(call)
}

/** The same, and what is written in another way read as it is meant. Nothing that a tool or a stranger wrote is read as a call. */
export async function decodeWeakReply(
  call: Read,
  reply: ModelReply,
  language: Language,
  { journal }: MoveContext,
): Promise<Decoded> {
  const strict = decodeReply(call, reply, language)
  if (strict.isForeign && isQuoted(strict, call, plainOutside(journal))) return noCall(reply)
  const isCut = isCutReason(reply.stopReason)
  const isNative = call.protocol === 'native' && mayWriteCall(strict, call, isCut)
  if (!isNative && !mayBeForgiven(strict, call)) return strict
  const { forgive } = await import('../../agent/forgiving.ts')
  const found = forgive(strict, reply, readable(call), call.protocol)
  if (found.form !== 'text' || found.calls.length === 0) {
    if (found.problem === null || !(isNative || isCut)) return found
    // As if it had stopped by itself, and as where both forms of call are read.
    const meant = forgive(found, { ...reply, stopReason: null }, readable(call), 'auto')
    return callsTool(meant, call) ? { ...found, writesCall: true } : found
  }
  const outside = plainOutside(journal)
  const own = withoutQuoted(reply.content, outside)
  const read =
    own === reply.content ? found : forgive(strict, { ...reply, content: own }, readable(call), call.protocol)
  return isQuoted({ ...read, content: reply.content }, call, outside) ? strict : { ...read, content: reply.content }
}

/** Whether a call of a reply stands outside as it is. */
function isQuoted({ calls, content }: Decoded, call: Read, outside: string): boolean {
  return calls.some(({ toolId, arguments: args }) => {
    const tool = readable(call).find(({ id }) => id === toolId)
    return tool !== undefined && quotesCall(content, { names: [tool.id, ...Object.values(tool.names)], args }, outside)
  })
}

/** Whether a reply has a fault that a second reading may mend: a call that is wrong, or none where one may be written in its text. An
 *  output that fits its schema has none. */
function mayBeForgiven({ form, calls, problem, content }: Decoded, call: Read): boolean {
  if (calls.length > 0) return form === 'native' && calls.some((one) => one.problem !== null)
  if (problem === null || call.protocol === 'native' || call.tools.length === 0) return false
  if (!MAY_CALL.test(content)) return false
  return call.outputSchema === null || !fitsOutput(outputIn(content), call.outputSchema)
}

/** Whether a reply where calls are made natively may write one all the same: it begins as one, or ends in one, and is no output that fits its
 *  schema. */
function mayWriteCall({ form, problem, content }: Decoded, call: Read, isCut: boolean): boolean {
  if (form !== 'none' || problem === null || call.tools.length === 0) return false
  return (
    (isCut ? MAY_CALL : MARKUP).test(content) &&
    (call.outputSchema === null || !fitsOutput(outputIn(content), call.outputSchema))
  )
}

const MARKUP = /^\s*[<{[`]/

/** Whether a reply means a call of a tool other than `finish`, whose text may be the answer, too. */
function callsTool({ form, calls, content }: Decoded, call: Read): boolean {
  if (form === 'text' && calls.length > 0) return calls.some(({ toolId }) => toolId !== finish.id)
  return endsInCall(
    content,
    readable(call).filter(({ id }) => id !== finish.id),
  )
}

/** What every call that is written in a text has, in whatever form: signs in it, a line of ReAct, or what the reply begins with. */
const MAY_CALL =
  /[<＜{(（]|(?:Action|Answer|行动|动作|最终(?:答案|回答|答复))[ *]*[:：]|^\s*(?:[[【`~]|[\p{L}_]{1,16}[ \t]*[:：])/iu

/** What a reply is for its branch: calls to run, its output, or a problem that the model is told of. The log ends before it. */
export function readReply(call: Read, decoded: Decoded, context: MoveContext): Decoded {
  const read = call.endsByReply ? withOutput(call, decoded) : withAnswer(call, decoded, context)
  return call.outputSchema ? fitted(read, call.outputSchema) : read
}

/** Whether a reply is the output: it calls nothing, and nothing is wrong with it. */
export function isOutput({ calls, problem }: Pick<Decoded, 'calls' | 'problem'>): boolean {
  return calls.length === 0 && problem === null
}

/** A reply that may be the output: only what calls an offered tool, or `finish`, is no such thing. */
function withOutput(call: Read, decoded: Decoded): Decoded {
  const calls = call.tools.length > 0 ? decoded.calls : decoded.calls.filter(({ toolId }) => toolId === finish.id)
  if (calls.length > 0) return { ...decoded, calls }
  if (call.tools.length > 0 && decoded.problem?.code === 'bad_parameters') return decoded
  const problem: Problem | null = outputIn(decoded.content) === '' && !call.mayBeEmpty ? { code: 'empty_answer' } : null
  return { content: decoded.content, form: 'none', calls: [], problem, dropped: 0 }
}

/** A reply of work that `finish` ends: one that says something and calls nothing may be the answer, too. What writes its call in its
 *  text, though calls are made natively, is none. */
function withAnswer(call: Read, decoded: Decoded, context: MoveContext): Decoded {
  const { content } = decoded
  const saysNothing = outputIn(content) === ''
  if (decoded.problem?.code !== 'no_tool_called' || saysNothing || !answersByReply(call, context)) return decoded
  const mayCall = call.protocol === 'native' && !isAnswerOf(content, call.outputSchema)
  const writesCall = decoded.writesCall || (mayCall && findTextCalls(content, call.tools).calls.length > 0)
  const isShown = finishesInFence(content) && !isWarned(context.journal, call.scope)
  return writesCall || isShown ? decoded : { ...decoded, problem: null }
}

/** Whether a reply ends in a fence that holds `finish` and nothing else: markup that no reader wants, so that its model is warned once. */
function finishesInFence(content: string): boolean {
  const said = content.trimEnd()
  const marks = /\n(`{3,}|~{3,})$/.exec(said.slice(-FENCE_CHARS_MAX))?.[1]
  if (marks === undefined) return false
  const before = said.slice(0, -marks.length - 1)
  const [, inside = ''] =
    /^[^\n`]*\n([^]*)$/.exec(before.slice(before.lastIndexOf(`\n${marks}`) + 1 + marks.length)) ?? []
  return ONE_ELEMENT.test(inside.trim()) && findTextCalls(inside, [finish]).calls.length === 1
}

const ONE_ELEMENT = /^<([^<>\s]+)>[^]*<\/\1>$/
/** Of the line that closes a fence. */
const FENCE_CHARS_MAX = 80

/** Whether a reply without a call is the answer here, or is warned of. */
function answersByReply({ protocol, scope }: Read, { engine, journal }: MoveContext): boolean {
  const rule = endsByReplyOf(engine, journal.record, protocol)
  return rule === 'always' || (rule === 'after_warning' && isWarned(journal, scope))
}

/** Whether the last thing that the model was told is that it called nothing, or that its answer does not fit. A summary may stand behind that. */
function isWarned({ log, state }: MoveContext['journal'], scope: string | null): boolean {
  const newest = log.messages({ scope, limit: 2, newestFirst: true }).find(({ kind }) => kind !== 'summary')
  const isAsked = state.run !== null && branchOf(state.run, scope).misfits > 0
  return newest?.kind === 'warning' && (isAsked || isNoCallWarning(contentText(newest.content, null)))
}

/** The output that a reply is: what is left of it without the thoughts before it, and without tags that say that it is the answer. */
function outputIn(content: string): string {
  return answerText(content, finish)
}

/** An output that does not fit its schema is a problem: of its call, or of the reply as a whole. */
function fitted(decoded: Decoded, schema: JsonSchema): Decoded {
  if (decoded.calls.length === 0)
    return decoded.problem ? decoded : { ...decoded, problem: misfit(outputIn(decoded.content), schema) }
  const said = outputIn(decoded.content)
  const calls = decoded.calls
    .map((call) => withReason(call, said, schema))
    .map((call) => (isFinish(call) ? { ...call, problem: misfit(reasonOf(call), schema) } : call))
  const [first] = calls
  const isRefused = decoded.form === 'text' && first?.problem?.code === 'bad_output'
  if (!isRefused) return { ...decoded, calls }
  // An answer that stands alone is no call that was written as text.
  const isBare = JSON.stringify(parseJson(said)) === reasonOf(first)
  return { ...decoded, form: isBare ? 'none' : 'text', calls: [], problem: first.problem }
}

/** A call of `finish` whose answer is JSON in the place of its text or in that of all its arguments, or, where it has none, beside it. */
function withReason(call: DecodedCall, said: string, schema: JsonSchema): DecodedCall {
  if (call.toolId !== finish.id) return call
  const { reason } = call.arguments
  const isText = typeof reason === 'string'
  if (isText && misfit(reason, schema) === null) return call
  const json = isText || reason === undefined ? [] : [JSON.stringify(reason)]
  const whole = wholeAnswer(call, said, schema)
  const fitting = [...json, ...whole].find((text) => misfit(text, schema) === null)
  const answer = fitting ?? json[0] ?? (isText || call.problem ? undefined : whole[0])
  return answer === undefined ? call : { ...call, arguments: { reason: answer }, problem: null }
}

/** All arguments as the answer, or, where none can be read, what is said beside them. A reason among them has to be the schema's own:
 *  one that takes any object would take any words. */
function wholeAnswer({ arguments: given }: DecodedCall, said: string, { properties }: JsonSchema): string[] {
  if (Object.keys(given).length === 0) return [said]
  const isOwn = isObject(properties) && Object.hasOwn(properties, 'reason')
  return 'reason' in given && !isOwn ? [] : [JSON.stringify(given)]
}

function isFinish({ toolId, problem }: DecodedCall): boolean {
  return toolId === finish.id && problem === null
}

function reasonOf(call: DecodedCall): string {
  return textOf(call.arguments['reason'])
}

/** Whether a text is what the output has to be; null: anything. */
export function fitsOutput(text: string, schema: JsonSchema | null): boolean {
  return schema === null || misfit(text, schema) === null
}

function misfit(text: string, schema: JsonSchema): Problem | null {
  const found = fitAnswer(text, schema)
  if (found.ok) return null
  return {
    code: 'bad_output',
    errors: found.errors,
    ...(found.example === undefined ? {} : { example: found.example }),
  }
}
