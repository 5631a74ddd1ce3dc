import { estimateTokens } from '../../lib/text.ts'
import { keySentences } from './digest.ts'
import type { Conversation } from './conversation.ts'
import { readPageText } from './page-text.ts'
import { TEXTS } from './texts.ts'
import type { Visit } from './visits.ts'
import { sentencesOf } from './words.ts'

/** A task longer than this many UTF-16 units is worth an extract of its own. */
const LONG_TASK_CHARS = 400
const POINTS_OF_TASK = 5
const POINTS_OF_PAGE = 6
/** Left for the words around the answer. */
const CALL_TOKENS = 64

/** What was found at the addresses of the task, as Markdown: a section a page, and plainly what could not be read; with
 *  as many points as `tokensMax` leaves room for, the call around it included. */
export function summaryText(talk: Conversation, leftOut: number, tokensMax: number): string {
  const room = Math.max(0, tokensMax - CALL_TOKENS)
  for (let count = POINTS_OF_PAGE; count > 1; count--) {
    const text = summaryWith(count, talk, leftOut)
    if (estimateTokens(text) <= room) return text
  }
  return Array.from(summaryWith(1, talk, leftOut))
    .slice(0, room)
    .join('')
}

function summaryWith(count: number, talk: Conversation, leftOut: number): string {
  const texts = TEXTS[talk.language]
  const sections = talk.visits.map((visit) => visitText(visit, talk, count))
  if (leftOut > 0) sections.push(texts.leftOut(leftOut))
  return [...sections, texts.byRule].join('\n\n')
}

/** What the built-in model is and how to get a better one, for a task that it can do nothing about. */
export function introductionText(talk: Conversation, hasAddresses: boolean): string {
  const texts = TEXTS[talk.language]
  const introduction = hasAddresses
    ? `${texts.cannotRead}${texts.introduction.slice(texts.introduction.indexOf('\n'))}`
    : texts.introduction
  if (talk.task.length <= LONG_TASK_CHARS) return introduction
  const sentences = talk.task.split('\n').flatMap((line) => sentencesOf(line))
  return `${introduction}\n\n${texts.extract}\n\n${list(keySentences(sentences, '', POINTS_OF_TASK))}`
}

function visitText({ address, result }: Visit, { language, task }: Conversation, count: number): string {
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
