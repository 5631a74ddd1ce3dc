import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Remembered, RememberedTask, Round } from '../domain/memory.ts'
import { cutText, estimateTokens } from '../lib/text.ts'
import { MEMORY_TEXTS } from './prompt-texts.ts'

/** What a prompt tells of the user; empty: nothing. `record` is data from earlier sessions, to be fenced by whoever shows it. */
export interface PromptMemory {
  preferences: string
  record: string
}

/** A text that is cut shorter than this says too little to be told. */
const TOKENS_MIN = 100

/** What is remembered as text, within about `tokensMax` tokens: preferences first, then tasks, then the newest rounds. */
export function toldMemory(
  { preferences, tasks, rounds }: Remembered,
  language: Language,
  tokensMax: number,
): PromptMemory {
  const texts = MEMORY_TEXTS[language]
  const room = new Room(tokensMax)
  const preferenceLines = preferences.flatMap(({ key, value }) => room.take(`- ${oneLine(key)}: ${oneLine(value)}`))
  const taskLines = tasks.flatMap((task) => room.take(taskText(task, language)))
  const roundTexts = rounds.flatMap((round) => room.take(roundText(round, language)))
  const record = [
    ...(taskLines.length === 0 ? [] : [[texts.tasks, ...taskLines].join('\n')]),
    ...roundTexts.toReversed(),
    ...(room.isOver ? [texts.leftOut] : []),
  ]
  return { preferences: preferenceLines.join('\n'), record: record.join('\n\n') }
}

/** Gives what fits; the first text that does not is cut to the room that is left, and nothing follows it. */
class Room {
  isOver = false
  #left: number

  constructor(tokensMax: number) {
    this.#left = tokensMax
  }

  take(text: string): string[] {
    if (this.isOver) return []
    const left = this.#left
    this.#left -= estimateTokens(text)
    if (this.#left >= 0) return [text]
    this.isOver = true
    return left < TOKENS_MIN ? [] : [cutText(text, left)]
  }
}

function taskText({ task_data: { task, result, status } }: RememberedTask, language: Language): string {
  const texts = MEMORY_TEXTS[language]
  const short = (text: string) => oneLine(cutText(text.trim(), LIMITS.memory.loadedTaskChars))
  const line = texts.task(short(task), texts.status[status])
  return result === null ? line : `${line}\n${texts.result(short(result))}`
}

function roundText({ user_message: said, ai_response: answer, timestamp }: Round, language: Language): string {
  const texts = MEMORY_TEXTS[language]
  return [texts.round(timestamp), texts.user(said.trim()), texts.answer(answer.trim())].join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
