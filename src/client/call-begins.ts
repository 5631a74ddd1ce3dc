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
const WORD = /^[\p{L}_.]{0,64}$/u
const ACTION = '(?:Action|行动|动作)[ \\t*]*[:：][ \\t*`]*'
const ACTION_BEGUN = new RegExp(`^${ACTION}[^\\s]*$`, 'i')
const ANSWER = /^(?:(?:Final Answer|最终(?:答案|回答|答复))[ \t*]*[:：]|to=functions\.)/i
const REACT_WORDS = ['action', '行动', '动作', 'final answer', '最终答案', '最终回答', '最终答复', 'to=functions.']

type Beginning = 'doubt' | 'unclear' | 'text'

/** Looks at heads of lines for calls of tools by these names: JSON, marks of chat templates, `name(…)`, ReAct. */
function callBeginnings(names: readonly string[]): (line: string) => Beginning {
  const all = names.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')
  const ways = [
    `(?:["'=[【]|[<＜][/／]?|[|｜]>|functions?\\.)\\s{0,8}(?:${all})(?=["'\\s<>＞】\\]/({=:])`,
    `>\\s{0,8}(?:${all})\\s{0,8}[<({]`,
    `(?:\\n|print\\()\\s{0,8}(?:${all})[ \\t]*[({[]`,
  ]
  const named = new RegExp(ways.join('|'), 'iu')
  const called = new RegExp(
    `^(?:(?:print\\(|functions?\\.)?(?:${all})[ \\t]*(?:[({]|:\\d)|${ACTION}(?:${all})(?![\\p{L}\\p{N}_]))`,
    'iu',
  )
  const words = [...names.map((name) => name.toLowerCase()), ...REACT_WORDS, 'print', 'functions.']

  function ofWord(rest: string): Beginning {
    if (called.test(rest) || ANSWER.test(rest)) return 'doubt'
    const word = rest.toLowerCase().replace(/[ \t*=(:：]+$/, '')
    const mayGrow =
      ACTION_BEGUN.test(rest) || words.some((one) => one.startsWith(word) || (word.startsWith(one) && WORD.test(word)))
    return mayGrow && rest.length < WORD_CHARS_MAX ? 'unclear' : 'text'
  }

  return (line) => {
    const indent = HEAD.exec(line)?.[0].length ?? 0
    const rest = line.slice(indent, indent + LOOKED_AT)
    if (rest === '') return indent < INDENT_CHARS_MAX ? 'unclear' : 'text'
    if (!CODE.test(rest)) return ofWord(rest)
    if (named.test(rest)) return 'doubt'
    return rest.length < LOOKED_AT ? 'unclear' : 'text'
  }
}

/** For streams whose words cannot be taken back. */
export function callsInAnyForm(toolNames: readonly string[]): CarefulReading {
  let beginning: ((line: string) => Beginning) | null = null
  /** Words struck out by `<s>`, and open. */
  let struck = 0

  function look(held: string, { isHead, isFirst }: { isHead: boolean; isFirst: boolean }): Beginning | number {
    if (struck > 0 && held.startsWith(STRUCK_END)) {
      struck--
      return STRUCK_END.length
    }
    if (MARK.test(held)) return 'doubt'
    // At the head of a reply it may be of a template.
    if (held.startsWith(STRUCK) && !isFirst) struck++
    if (!isHead) return 'text'
    beginning ??= callBeginnings(toolNames)
    return beginning(held)
  }

  const clean = (held: string, before: string) => withoutTurnMarks(before + held).slice(before.length)
  return { look, clean }
}
