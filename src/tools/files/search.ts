import type { FileEntry } from '../../domain/file.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { decodedText } from '../../lib/content-type.ts'
import { TEXTS } from './answer-texts.ts'
import { compilePattern, type Match, type StepBudget } from './linear-match.ts'
import { filesIn } from './list.ts'
import type { PatternProblem } from './pattern.ts'
import { fileReport } from './shared.ts'
import { PATH_TEXTS } from './texts.ts'

const { searchCharsMax, searchStepsMax, hitsMax, hitCharsMax, lineCharsMax, patternCharsMax } = LIMITS.files
/** Beside the hits, for the heading. */
const HEADING_CHARS = 700

export interface LinesWanted {
  query: string
  /** The query is a regular expression. */
  regex?: boolean | undefined
  path?: string | undefined
}

/** Find the lines that hold a text, or fit a pattern. */
export async function findLines({ query, regex, path }: LinesWanted, context: ToolContext): Promise<ToolOutcome> {
  const texts = TEXTS[context.language]
  const compiled = regex === true ? compilePattern(query) : { ok: true as const, match: plainMatch(query) }
  if (!compiled.ok) return { ok: false, reason: texts.badPattern(PROBLEMS[context.language][compiled.problem]) }
  const chosen = filesIn(context.files, path)
  if (typeof chosen === 'string') return { ok: false, reason: PATH_TEXTS[context.language][chosen] }
  const found = searchAll(chosen, compiled.match, context)
  const remarks = [
    ...(found.searched < chosen.length && found.outOfSteps ? [texts.tooMuch(found.searched, chosen.length)] : []),
    ...(found.skipped > 0 ? [texts.skipped(found.skipped)] : []),
    ...(found.hasLongLines ? [texts.longLines] : []),
  ]
  const said = found.hits.length === 0 ? texts.noHits(found.searched) : texts.hits(found.hits.length, found.files.size)
  const heading = [...remarks, said].join('\n')
  if (found.hits.length === 0) return { ok: true, content: heading }
  const body = [...found.hits, ...(found.hasMore ? [texts.moreHits] : [])].join('\n')
  return fileReport({ heading, body, isUntrusted: found.isUntrusted }, context)
}

interface Found {
  hits: string[]
  /** Those that hold a hit. */
  files: Set<string>
  chars: number
  searched: number
  skipped: number
  hasMore: boolean
  hasLongLines: boolean
  isUntrusted: boolean
  outOfSteps: boolean
}

function searchAll(entries: readonly FileEntry[], match: Match, { files }: ToolContext): Found {
  const steps = { left: searchStepsMax }
  const found: Found = {
    hits: [],
    files: new Set(),
    chars: HEADING_CHARS,
    searched: 0,
    skipped: 0,
    hasMore: false,
    hasLongLines: false,
    isUntrusted: false,
    outOfSteps: false,
  }
  for (const entry of entries) {
    const bytes = files.read(entry.path)
    const text = bytes && decodedText(bytes)?.text
    if (typeof text === 'string') searchLines(entry, text, { match, steps, found })
    else found.skipped++
    found.outOfSteps = steps.left <= 0
    if (found.hasMore || found.outOfSteps) return found
    found.searched++
  }
  return found
}

function searchLines(
  entry: FileEntry,
  text: string,
  { match, steps, found }: { match: Match; steps: StepBudget; found: Found },
) {
  for (const [index, whole] of text.split(/\r\n?|\n/).entries()) {
    const line = whole.slice(0, lineCharsMax)
    if (line.length < whole.length) found.hasLongLines = true
    const end = match(line, steps)
    if (steps.left <= 0) return
    if (end === null) continue
    const hit = `${entry.path}:${index + 1}: ${around(line, end)}`
    found.hasMore = found.hits.length === hitsMax || found.chars + hit.length + 1 > searchCharsMax
    if (found.hasMore) return
    found.chars += hit.length + 1
    found.hits.push(hit)
    found.files.add(entry.path)
    found.isUntrusted ||= entry.untrusted
  }
}

/** The line, or what is around the end of the hit. */
function around(line: string, end: number): string {
  if (line.length <= hitCharsMax) return line
  const from = Math.max(0, Math.min(end - Math.floor(hitCharsMax / 2), line.length - hitCharsMax))
  const part = line.slice(from, from + hitCharsMax).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
  return `${from > 0 ? '…' : ''}${part}${from + hitCharsMax < line.length ? '…' : ''}`
}

/** Letter case aside. */
function plainMatch(query: string): Match {
  const wanted = query.toLowerCase()
  return (line, steps) => {
    steps.left -= 1
    const at = line.toLowerCase().indexOf(wanted)
    return at < 0 ? null : Math.min(line.length, at + query.length)
  }
}

const PROBLEMS: Readonly<Record<Language, Readonly<Record<PatternProblem, string>>>> = {
  'zh-CN': {
    lookaround: '环视（(?=、(?!、(?<=、(?<!）',
    backreference: '反向引用（\\1、\\k<名称>）',
    group: '括号不成对，或是不支持的分组写法',
    repeat: '重复符号（* + ? {n,m}）的位置或范围不对',
    escape: '不认识的转义',
    class: '字符集合 […] 写法有误',
    too_large: `式子过长，或展开后过大（最多 ${patternCharsMax} 个字符、${LIMITS.files.patternStatesMax} 个状态）`,
    too_deep: `括号层数过多（最多 ${LIMITS.files.patternDepthMax} 层）`,
  },
  en: {
    lookaround: 'lookaround ((?=, (?!, (?<=, (?<!)',
    backreference: 'backreferences (\\1, \\k<name>)',
    group: 'brackets that do not match, or a kind of group that is not known',
    repeat: 'a repetition (* + ? {n,m}) in a wrong place or with a wrong range',
    escape: 'an unknown escape',
    class: 'a set of characters […] that is not well written',
    too_large: `too long, or too large when written out (at most ${patternCharsMax} characters and ${LIMITS.files.patternStatesMax} states)`,
    too_deep: `too many brackets inside each other (at most ${LIMITS.files.patternDepthMax})`,
  },
}
