import { LooseJson, type LooseValue } from '../lib/loose-json.ts'
import type { LooseCall, Read } from './loose-names.ts'
import { endsLine, isCommented, isIndented } from './loose-places.ts'
import { writtenArguments } from './loose-python.ts'
import { VisibleText } from './thinking.ts'

/** The words of ReAct (Yao et al. 2022) before a call, its input, what follows it, and the answer. */
const ACTION = /(?<![^\n])[ \t*]*(?:Action|行动|动作)[ \t*]*[:：][ \t*`]*([^\s`*([]{1,128})[ \t*`]*$/gimu
/** The same with its input in brackets, on one line. */
const ACTION_CALL =
  /(?<![^\n])[ \t*]*(?:Action|行动|动作)[ \t*]*[:：][ \t*`]*([^\s`*([]{1,128})(?:\[(.*)\]|(\())[^\n]*$/gimu
/** A footnote, which looks like an input in brackets. */
const FOOTNOTE = /^\^[^\s\]]{1,64}$/
const ACTION_INPUT = /^[ \t*]*(?:Action[ _]Input|行动输入|动作输入)[ \t*]*[:：][ \t*]*/imu
/** An object in code. */
const IN_CODE = /^(`{1,3})(?:json\b)?\s{0,8}(\{[^`]*\})\s{0,8}\1$/
const BEHIND_INPUT = /^[ \t*]*(?:Observation|Thought|观察|思考)[ \t*]*[:：]/imu
const FINAL = /^(?:\**(?:Thought|思考)\**[:：][^\n]*\n\s*)*\**(?:Final Answer|最终(?:答案|回答|答复))\**[:：]\**/iu
const FINAL_NAME = /^(?:Final[ _]?Answer|最终(?:答案|回答|答复))$/i

/** `Action: NAME`, and its input as JSON or as a text. */
export function actionCall(reply: string, { tools, isCut }: Read): LooseCall | null {
  const action = firstSaid(reply, ACTION)
  const tool = action ? tools.find(action[1] ?? '') : undefined
  if (!action || !tool) return null
  const behind = reply.slice(action.index + action[0].length)
  const input = ACTION_INPUT.exec(behind)
  if (!input || behind.slice(0, input.index).trim() !== '') return null
  const rest = behind.slice(input.index + input[0].length)
  const written = rest.slice(0, BEHIND_INPUT.exec(rest)?.index ?? rest.length).trim()
  const text = IN_CODE.exec(written)?.[2] ?? written
  const found = inputIn(text)
  if (isCut && (found?.isCut ?? true)) return null
  const args = tools.fit(tool, found ? found.value : text)
  return args && { tool, arguments: args, dropped: 0 }
}

/** `Action: NAME[TEXT]`, as ReAct has it, or `Action: NAME(key="value")`. */
export function actionInBrackets(reply: string, { tools, isCut }: Read): LooseCall | null {
  const action = firstSaid(reply, ACTION_CALL)
  const [line = '', name = '', text, bracket] = action ?? []
  const tool = action ? tools.find(name) : undefined
  if (!action || !tool) return null
  if (text !== undefined) {
    const isWhole = !isCut || (isBalanced(text) && reply[action.index + line.length] === '\n')
    const isInput = /\][ \t*`]*$/.test(line) && !FOOTNOTE.test(text)
    const args = isInput && isWhole ? tools.fit(tool, text) : null
    return args && { tool, arguments: args, dropped: 0 }
  }
  const from = action.index + line.indexOf(bracket ?? '(') + 1
  const found = new LooseJson(reply, from).readArguments()
  if (!found || (isCut && found.isCut) || !endsLine(reply, found.end)) return null
  const args = writtenArguments(found.value, tool, tools)
  return args && { tool, arguments: args, dropped: 0 }
}

/** The input of an action that is an object, or one text in quotes; null: it is a text as it stands. */
function inputIn(text: string): LooseValue | null {
  const found = /^["{]/.test(text) ? new LooseJson(text, 0).read() : null
  return typeof found?.value === 'string' && found.end < text.length ? null : found
}

/** The first match outside of thoughts, code and comments: examples of calls stand there. */
function firstSaid(reply: string, pattern: RegExp): RegExpExecArray | null {
  const visible = new VisibleText(reply)
  for (const found of reply.matchAll(pattern)) {
    const at = found.index + (/\S/.exec(found[0])?.index ?? 0)
    if (!isIndented(reply, found) && visible.isVisible(at)) return isCommented(reply, at) ? null : found
  }
  return null
}

function isBalanced(text: string): boolean {
  return text.split('[').length === text.split(']').length
}

/** `Final Answer: …` at the head of a reply, or behind thoughts. */
export function finalAnswer(reply: string, { tools }: Read): LooseCall | null {
  const tool = tools.tools.find(({ id }) => id === 'finish')
  const head = FINAL.exec(reply.trim())
  const args = tool && head ? tools.fit(tool, reply.trim().slice(head[0].length)) : null
  return tool && args ? { tool, arguments: args, dropped: 0 } : null
}

/** Whether an action of ReAct has the name of the answer. */
export function isFinalAnswer(name: string): boolean {
  return FINAL_NAME.test(name)
}
