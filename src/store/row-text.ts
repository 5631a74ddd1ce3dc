// What rows of `events` say is JSON, and most of it the same names, words and ids. In a row they are control characters, which JSON has
// in no place: U+0005 to U+001F and U+0003 with one character behind it are names of members, U+0004 with one is a word, U+0001 is before
// a text that may come again, and `U+0002 N;` is the text N of the row, counted from 0.
//
// Rows of any age are read by these lists: they only grow, at their ends, and what is added is written a release after it is read. Types of
// events are not added to the words: rows are searched by what they have been written as.

const listed = (words: string) => words.trim().split(/\s+/)

const NAMES = listed(`
  type seq scope move attempt id role content key message model cost kind prompt_tokens completion_tokens cached_tokens
  reasoning_tokens message_id iteration tool_calls usage total_tokens model_calls iterations ok call_id name
`)

const RARER_NAMES = listed(`
  status unpriced_models ends round reserved_tokens reserved_cost error result problem code from to spent protocol call_problems
  dropped_calls purpose arguments callId description worker started_time ended_time finish_reason action step mode tool in_flight
  url orchestrator resumed tool_call_id tool_name ended_by origin request_id task cause_by sent_from send_to timestamp heard_by
  finishReason ms digest is_output reason detail roles owner plan path tasks untrusted response_id time run_id created_time pending
  decision arguments_hash expires_time risk by words input output title
`)

const WORDS = listed(`
  message completed call-model call-tool model-start model-end iteration-start iteration-end model: user assistant role-state usage
  reply native text prompt task tool system finish request background run-start run-end tool_result summary team-message failed end
  tool-start tool-end running pending pending-end run-pause run-resume tool_calls stop step-start step-end task-start task-end
  round-start round-end agent llm_tool call-planner web_access HAS_NEWS HAS_TODO EXECUTING IDLE warning approval answer interrupted
  cancelled
`)

const [TEXT, AGAIN, RARER, WORD, FIRST_NAME] = ['\u0001', '\u0002', '\u0003', '\u0004', 5]
const FIRST_CHARACTER = 0x30
/** A shorter text is no shorter by its number. */
const TEXT_CHARS_MIN = 20
/** A longer one has no number: `CODES` overflows at one with millions of escapes. */
const TEXT_CHARS_MAX = 256 * 1_024
/** What lies deeper is not looked into. */
const DEPTH_MAX = 32

const behind = (mark: string, index: number) => mark + String.fromCharCode(FIRST_CHARACTER + index)
const codeOfName = new Map([
  ...NAMES.map((name, index) => [name, String.fromCharCode(FIRST_NAME + index)] as const),
  ...RARER_NAMES.map((name, index) => [name, behind(RARER, index)] as const),
])
const codeOfWord = new Map(WORDS.map((word, index) => [word, behind(WORD, index)]))
const jsonOf = new Map([
  ...[...codeOfName].map(([name, code]) => [code, `"${name}":`] as const),
  ...[...codeOfWord].map(([word, code]) => [code, `"${word}"`] as const),
])

const CODES = new RegExp(
  String.raw`${TEXT}("[^"\\]*(?:\\.[^"\\]*)*")|${AGAIN}(\d+);|[${RARER}${WORD}][^]|[\x05-\x1f]`,
  'g',
)

/** Writes values of one row as its text has them, one call after the other. Values are those of JSON; an undefined member is none. */
export function rowWriter(): (value: unknown) => string {
  const texts = new Map<string, number>()
  return (value) => written(value, texts, 0)
}

function written(value: unknown, texts: Map<string, number>, depth: number): string {
  if (typeof value === 'string') return writtenText(value, texts)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value !== 'object' || value === null) return 'null'
  if (depth > DEPTH_MAX) return JSON.stringify(value)
  let all = ''
  if (Array.isArray(value)) {
    for (const item of value) all += (all === '' ? '' : ',') + written(item, texts, depth + 1)
    return `[${all}]`
  }
  for (const name of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[name]
    if (member === undefined) continue
    const code = codeOfName.get(name) ?? `${JSON.stringify(name)}:`
    all += (all === '' ? '' : ',') + code + written(member, texts, depth + 1)
  }
  return `{${all}}`
}

function writtenText(text: string, texts: Map<string, number>): string {
  if (text.length < TEXT_CHARS_MIN) return codeOfWord.get(text) ?? JSON.stringify(text)
  if (text.length > TEXT_CHARS_MAX) return JSON.stringify(text)
  const number = texts.get(text)
  if (number !== undefined) return `${AGAIN}${number};`
  texts.set(text, texts.size)
  return TEXT + JSON.stringify(text)
}

/** The JSON of what a row of any release says. Throws where a later one wrote what is unknown here. */
export function rowJson(text: string): string {
  const texts: string[] = []
  return text.replace(CODES, (code, first: string | undefined, number: string | undefined) => {
    if (first !== undefined) texts.push(first)
    const json = first ?? (number === undefined ? jsonOf.get(code) : texts[Number(number)])
    if (json === undefined) throw new Error('a row holds what only a later release can read')
    return json
  })
}
