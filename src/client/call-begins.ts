import { withoutTurnMarks } from '../lib/turn-marks.ts'
import type { Beginning, CarefulReading } from './reply-filter.ts'

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

/** Looks at heads of lines for calls of tools by these names. */
function callBeginnings(names: readonly string[]): (line: string) => Beginning {
  const all = names.map((name) => name.replaceAll(/[^\p{L}\p{N}_]/gu, '\\$&')).join('|')
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
    if (called.test(rest) || ANSWER.test(rest)) return 'call'
    const word = rest.toLowerCase().replace(/[ \t*=(:：]+$/, '')
    const mayGrow =
      ACTION_BEGUN.test(rest) || words.some((one) => one.startsWith(word) || (word.startsWith(one) && WORD.test(word)))
    return mayGrow && rest.length < WORD_CHARS_MAX ? 'unclear' : 'none'
  }

  return (line) => {
    const indent = HEAD.exec(line)?.[0].length ?? 0
    const rest = line.slice(indent, indent + LOOKED_AT)
    if (rest === '') return indent < INDENT_CHARS_MAX ? 'unclear' : 'none'
    if (!CODE.test(rest)) return ofWord(rest)
    if (named.test(rest)) return 'call'
    return rest.length < LOOKED_AT ? 'unclear' : 'none'
  }
}

/** For streams whose words cannot be taken back. */
export const callsInAnyForm: CarefulReading = { begins: callBeginnings, clean: withoutTurnMarks }
