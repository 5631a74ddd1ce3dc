import { estimateTokens } from '../../lib/text.ts'
import { keySentences, sentencesOf } from './digest.ts'
import type { ReadConversation, Visit } from './conversation.ts'
import { TEXTS } from './texts.ts'

/** A task longer than this many UTF-16 units is worth an extract of its own. */
const LONG_TASK_CHARS = 400
const POINTS_OF_TASK = 5
const POINTS_OF_PAGE = 6
/** Left for the words around the answer. */
const CALL_TOKENS = 64

/** What was found at the addresses of the task, as Markdown: one section a page, which also says plainly what could not be read. It has as
 *  many points as `tokensMax` leaves room for, counting the call around it. */
export function summaryText(talk: ReadConversation, leftOut: number, tokensMax: number): string {
  const room = Math.max(0, tokensMax - CALL_TOKENS)
  for (let count = POINTS_OF_PAGE; count > 1; count--) {
    const text = summaryWith(count, talk, leftOut)
    if (estimateTokens(text) <= room) return text
  }
  return Array.from(summaryWith(1, talk, leftOut))
    .slice(0, room)
    .join('')
}

function summaryWith(count: number, talk: ReadConversation, leftOut: number): string {
  const texts = TEXTS[talk.language]
  const sections = talk.visits.map((visit) => visitText(visit, talk, count))
  if (leftOut > 0) sections.push(texts.leftOut(leftOut))
  return [...sections, texts.byRule].join('\n\n')
}

/** What the built-in model is and how to get a better one, for a task that it can do nothing about. */
export function introductionText(talk: ReadConversation, hasAddresses: boolean): string {
  const texts = TEXTS[talk.language]
  const introduction = hasAddresses
    ? `${texts.cannotRead}${texts.introduction.slice(texts.introduction.indexOf('\n'))}`
    : texts.introduction
  if (talk.task.length <= LONG_TASK_CHARS) return introduction
  const sentences = talk.task.split('\n').flatMap((line) => sentencesOf(line))
  return `${introduction}\n\n${texts.extract}\n\n${list(keySentences(sentences, '', POINTS_OF_TASK))}`
}

function visitText({ address, result }: Visit, { language, task }: ReadConversation, count: number): string {
  const texts = TEXTS[language]
  if (result === null) return texts.noResult(address)
  if (!result.ok) return texts.failed(address, oneLine(result.text))
  const page = readPageText(result.text)
  const points = keySentences(page.sentences, task, count)
  const body = points.length > 0 ? list(points) : texts.nothingThere
  return `## ${page.title ?? address}\n\n${texts.source(address)}\n\n${body}`
}

function list(points: string[]): string {
  return points.map((point) => `- ${point}`).join('\n')
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 500)
}

/** What is looked at of one page. */
const PAGE_CHARS_MAX = 200_000
const TITLE_CHARS_MAX = 120

export interface PageText {
  title: string | null
  sentences: string[]
}

const METADATA =
  /^[*_\s]*(title|url|address|source|site|author|by|date|published|updated|language|status|type|description|page|pages|words|标题|题目|网址|地址|链接|来源|站点|网站|作者|日期|时间|发布时间|更新时间|语言|状态|类型|描述|摘要|页码|页|字数)[*_\s]*[:：]\s*(.*)$/i
const TITLE_KEY = /^(title|标题|题目)$/i
const BEGIN = /^\[(?:网页内容开始|BEGIN PAGE CONTENT) (\w+)\]$/
const UNTRUSTED = /untrusted|不可信|不受信任|外部内容|external content/i
const MARKER_CHARS_MAX = 300

/** The title and the sentences of a page as `web_access` gives it, without metadata, marker lines, code and tables. */
function readPageText(text: string): PageText {
  const trimmed = text
    .slice(0, PAGE_CHARS_MAX)
    .split('\n')
    .map((line) => line.trim())
  const lines = withoutFences(betweenMarks(trimmed)).filter((line) => !isMarker(line))
  const header = headerLength(lines)
  const body = lines.slice(header)
  const title = titleOf(lines.slice(0, header)) ?? headingOf(body)
  const sentences = body.flatMap((line) => (isHeading(line) || isTable(line) ? [] : sentencesOf(plain(line))))
  return { title, sentences: sentences.filter((sentence) => sentence !== title && /[\p{L}\p{N}]/u.test(sentence)) }
}

/** What stands between the marks that web_access puts around a page; without them all but what says that it is foreign. */
function betweenMarks(lines: string[]): string[] {
  const begin = lines.findIndex((line) => BEGIN.test(line))
  if (begin < 0) return lines.filter((line) => line.length > MARKER_CHARS_MAX || !UNTRUSTED.test(line))
  const mark = BEGIN.exec(lines[begin] ?? '')?.[1] ?? ''
  const end = lines.findIndex((line, index) => index > begin && line.startsWith('[') && line.endsWith(` ${mark}]`))
  return lines.slice(begin + 1, end < 0 ? undefined : end)
}

/** Lines that are not the page's words: what was left out, rules, lone tags. */
function isMarker(line: string): boolean {
  if (line === '' || !/[\p{L}\p{N}]/u.test(line)) return true
  return line.length <= MARKER_CHARS_MAX && /^(\[[^\]]*\]|【[^】]*】|<[^>]*>|[…（(]+[^()（）]*[)）…]+)$/.test(line)
}

/** Lines of metadata at the start; a page of nothing else is read as text. */
function headerLength(lines: string[]): number {
  const end = lines.findIndex((line) => !METADATA.test(line))
  return Math.max(0, end)
}

function titleOf(header: string[]): string | null {
  for (const line of header) {
    const [, key = '', value = ''] = METADATA.exec(line) ?? []
    if (TITLE_KEY.test(key) && value !== '') return value.slice(0, TITLE_CHARS_MAX)
  }
  return null
}

/** The first line, if it is a heading or as short as one. */
function headingOf(lines: string[]): string | null {
  const first = lines.find(isHeading) ?? lines[0] ?? ''
  const title = plain(first)
  const isTitle =
    title !== '' && title.length <= TITLE_CHARS_MAX && (isHeading(first) || !/[。.!?！？；;：:，,]$/.test(title))
  return isTitle ? title : null
}

function isHeading(line: string): boolean {
  return /^#{1,6}\s/.test(line)
}

function isTable(line: string): boolean {
  return line.startsWith('|')
}

function withoutFences(lines: string[]): string[] {
  let fenced = false
  return lines.filter((line) => {
    const isFence = /^(```|~~~)/.test(line)
    if (isFence) fenced = !fenced
    return !isFence && !fenced
  })
}

/** A line of Markdown as its words: marks, pictures and the targets of links taken out. */
function plain(line: string): string {
  return line
    .replace(/^(#{1,6}|[-*+>]|\d{1,3}[.)、])\s+/, '')
    .replace(/!\[[^[\]]*\]\([^()\s]*\)/g, '')
    .replace(/\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .trim()
}
