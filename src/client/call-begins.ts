import { LooseJson } from '../lib/loose-json.ts'
import { withoutTurnMarks } from '../lib/turn-marks.ts'
import type { CarefulReading } from './reply-filter.ts'

/** What chat templates write; `</s>` ends words struck out, too. */
const MARK = /^<(?:\/s>|[|｜][\p{L}▁]|end_of_turn>)/u
const STRUCK = '<s>'
const STRUCK_END = '</s>'
/** Of what begins like code the name of a tool is looked for so far. */
const LOOKED_AT = 160
/** White space and marks of emphasis before it. */
const INDENT_CHARS_MAX = 80
const HEAD = /^[ \t*]*/
const CODE = /^[{[<＜【~]|^`(?:`(?:`|$)|$)/
const WORD_CHARS_MAX = 48
const ACTION = '(?:Action|行动|动作)[ \\t*]*[:：][ \\t*`]*'
const ACTION_BEGUN = new RegExp(`^${ACTION}([^\\s\`*([]*)[ \\t*\`]*$`, 'i')
const ANSWER = /^(?:Final Answer|最终(?:答案|回答|答复))[ \t*]*[:：]/i
const ADDRESSED = /^to=functions\./i
/** A line of thoughts, or an empty one. */
const THOUGHT = /^[ \t*]*(?:(?:Thought|思考)\**[:：]|\n)/i
const REACT_WORDS = ['action', '行动', '动作', 'thought', '思考', 'to=functions.']
const ANSWER_WORDS = ['final answer', '最终答案', '最终回答', '最终答复']
/** What stands before the name where Python calls, and words that may. */
const PYTHON = '`?(?:(?:return|await)[ \\t]{1,8})?(?:print\\()?(?:functions?\\.|default_api\\.)?'
const PYTHON_HEAD = new RegExp(`^${PYTHON}`, 'i')
const PYTHON_WORDS = ['return', 'await', 'print(', 'function.', 'functions.', 'defaultapi.']
/** What stands before the name in a reply that is a call as YAML. */
const YAML_WORDS = ['tool', 'name', 'function', 'action', 'tool[-_]?name', '工具', '工具名称', '调用工具', '函数']
const YAML = `(?:${YAML_WORDS.join('|')})[ \\t]*[:：][ \\t]*["']?`
const YAML_BEGUN = new RegExp(`^${YAML}([^\\s"']*)["']?[ \\t]*$`, 'i')
const YAML_KEYS = YAML_WORDS.map((word) => word.replace('[-_]?', ''))
/** What templates write between a name and the object of its arguments, as far as it is there. */
const BEFORE_OBJECT = '(?::\\d{0,6})?:?\\s{0,8}(?:j(?:s(?:on?)?)?\\s{0,8})?(?:`{1,3}(?:j(?:s(?:on?)?)?)?\\s{0,8})?'
/** What may stand on the line of a call behind it. */
const LINE_END = /^[)\]]?[ \t;`*]*(?:\n|$)/

/** What may begin here. `call`: a call, if nothing more comes. */
type Beginning = 'doubt' | 'call' | 'unclear' | 'text'

interface Place {
  isFirst: boolean
  /** Nothing but thoughts of ReAct stands before it. */
  mayAnswer: boolean
}

/** Looks at heads of lines for calls of tools by these names: JSON, marks of chat templates, `name(…)`, ReAct, YAML. */
function callBeginnings(names: readonly string[]): (line: string, place: Place) => Beginning {
  const all = names
    .map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll(/[-_]/g, '[-_]?'))
    .join('|')
  const ways = [
    `(?:["'=[【]|[<＜][/／]?|[|｜]>|functions?\\.)\\s{0,8}(?:${all})(?=["'\\s<>＞】\\]/({=:])`,
    `>\\s{0,8}(?:${all})\\s{0,8}[<({]`,
    `(?:\\n|print\\()\\s{0,8}(?:${all})[ \\t]*[({[]`,
  ]
  const named = new RegExp(ways.join('|'), 'iu')
  const acts = new RegExp(`^${ACTION}(?:${all})(?:[[(]|[ \\t*\`]*\\n)`, 'iu')
  const python = new RegExp(`^${PYTHON}(?:${all})[(（]`, 'iu')
  const json = new RegExp(`^(?:functions?\\.)?(?:${all})${BEFORE_OBJECT}(?:\\{|$)`, 'iu')
  const yaml = new RegExp(`^${YAML}(?:${all})["']?[ \\t]*\\n`, 'iu')
  const keys = names.map(keyOf)
  const words = [...keys, ...REACT_WORDS, ...PYTHON_WORDS]

  function mayGrow(rest: string, { isFirst, mayAnswer }: Place): boolean {
    const named = ACTION_BEGUN.exec(rest) ?? (isFirst ? YAML_BEGUN.exec(rest) : null)
    if (named && begins(keys, keyOf(named[1] ?? ''))) return true
    const word = keyOf(rest.replace(PYTHON_HEAD, '').replace(/[ \t*:：]+$/, ''))
    return begins(words, word) || (isFirst && begins(YAML_KEYS, word)) || (mayAnswer && begins(ANSWER_WORDS, word))
  }

  function ofWord(rest: string, place: Place): Beginning {
    if (acts.test(rest) || ADDRESSED.test(rest) || (place.mayAnswer && ANSWER.test(rest))) return 'doubt'
    if (place.isFirst && yaml.test(rest)) return 'doubt'
    const [begun = ''] = python.exec(rest) ?? json.exec(rest) ?? []
    if (/[({（]$/.test(begun)) return written(rest, begun.length)
    return rest.length < WORD_CHARS_MAX && (begun !== '' || mayGrow(rest, place)) ? 'unclear' : 'text'
  }

  return (line, place) => {
    const indent = HEAD.exec(line)?.[0].length ?? 0
    const rest = line.slice(indent, indent + LOOKED_AT)
    if (rest === '') return indent < INDENT_CHARS_MAX ? 'unclear' : 'text'
    if (rest.startsWith('\n')) return 'text'
    if (!CODE.test(rest)) return ofWord(rest, place)
    if (named.test(rest)) return 'doubt'
    return rest.length < LOOKED_AT ? 'unclear' : 'text'
  }
}

/** What is read as arguments from here on is a call if it ends its line. */
function written(rest: string, from: number): Beginning {
  if (rest.length >= LOOKED_AT) return 'doubt'
  const isObject = rest[from - 1] === '{'
  const json = new LooseJson(rest, isObject ? from - 1 : from)
  const found = isObject ? json.read() : json.readArguments()
  if (!found) return /\S/.test(rest.slice(json.at)) ? 'text' : 'call'
  if (found.isCut) return 'call'
  const end = LINE_END.exec(rest.slice(found.end))?.[0]
  if (end === undefined) return 'text'
  return end.endsWith('\n') ? 'doubt' : 'call'
}

const keyOf = (name: string) => name.replaceAll(/[-_]/g, '').toLowerCase()
const begins = (keys: readonly string[], word: string) => keys.some((key) => key.startsWith(word))

/** For streams whose words cannot be taken back. */
export function callsInAnyForm(toolNames: readonly string[]): CarefulReading {
  let beginning: ReturnType<typeof callBeginnings> | null = null
  /** Words struck out by `<s>`, and open. */
  let struck = 0
  let mayAnswer = true

  const look: CarefulReading['look'] = (held, { isHead, isFirst }) => {
    if (struck > 0 && held.startsWith(STRUCK_END)) {
      struck--
      return STRUCK_END.length
    }
    if (MARK.test(held)) return 'doubt'
    // At the head of a reply it may be of a template.
    if (held.startsWith(STRUCK) && !isFirst) struck++
    if (!isHead) return 'text'
    beginning ??= callBeginnings(toolNames)
    const found = beginning(held, { isFirst, mayAnswer })
    if (found === 'text') mayAnswer &&= THOUGHT.test(held)
    return found
  }

  const clean = (held: string, before: string) => withoutTurnMarks(before + held).slice(before.length)
  return { look, clean }
}
