import type { Language } from '../../domain/language.ts'
import { type ModelMessage, type ModelRequest, textIn, type RawToolCall } from '../../domain/model.ts'
import { scriptOf } from './digest.ts'
import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'

/** How the reply is to be written: as native calls, as text tags, or as plain words where no tool is asked for. */
export type Form = 'native' | 'tags' | 'plain'

/** What the built-in model understands of a request. */
export interface ReadConversation {
  language: Language
  form: Form
  /** Whether the tools `web_access` and `finish` are there; without the latter an answer is the reply itself. */
  canRead: boolean
  canFinish: boolean
  task: string
  visits: Visit[]
}

const TASK_SECTION: Readonly<Record<Language, RegExp>> = {
  'zh-CN': /<用户任务>([\s\S]*?)<\/用户任务>/,
  en: /<user_task>([\s\S]*?)<\/user_task>/,
}
const GUIDE = /<(工具调用指南|tool_guide)>([\s\S]*?)<\/\1>/
const NOT_A_TASK = /^\s*(\[[^\]\n]{1,200}\]|<(授权|批准|拒绝|approve|reject)>)/
const KEY_CHARS = 200

export function readConversation(request: ModelRequest): ReadConversation {
  const system = request.messages.find((message) => message.role === 'system')?.content ?? ''
  const section = sectionOf(system)
  const { task, after } = findTask(request.messages, section?.text ?? null)
  const guide = GUIDE.exec(system)?.[2] ?? system
  const form = formOf(request, section !== null && /完成会话|finish/.test(guide))
  const offered = new Set(request.tools?.map((tool) => tool.name))
  return {
    language: section?.language ?? (scriptOf(system || task) === 'zh' ? 'zh-CN' : 'en'),
    form,
    canRead: form === 'tags' ? /网页访问|web_access/.test(guide) : offered.has('web_access'),
    canFinish: form === 'tags' || offered.has('finish'),
    task,
    visits: visitsIn(after),
  }
}

function sectionOf(system: string): { language: Language; text: string } | null {
  const zh = TASK_SECTION['zh-CN'].exec(system)?.[1]
  if (zh !== undefined) return { language: 'zh-CN', text: unescape(zh) }
  const en = TASK_SECTION.en.exec(system)?.[1]
  return en === undefined ? null : { language: 'en', text: unescape(en) }
}

/** The newest user message that is what the prompt calls the task; without such a prompt the first one that is no result. */
function findTask(messages: readonly ModelMessage[], section: string | null): { task: string; after: ModelMessage[] } {
  const key = section === null ? '' : keyOf(section)
  const named = messages.findLastIndex(
    ({ role, content }) => role === 'user' && key !== '' && keyOf(textIn(content)) === key,
  )
  const first = messages.findIndex((message) => message.role === 'user' && !NOT_A_TASK.test(textIn(message.content)))
  const index = named >= 0 ? named : first
  const said = textIn(messages[index]?.content ?? '')
  return { task: named >= 0 ? said : (section ?? said), after: messages.slice(index + 1) }
}

function formOf(request: ModelRequest, namesTools: boolean): Form {
  if (request.tools?.length) return 'native'
  return namesTools ? 'tags' : 'plain'
}

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

/** Letters and digits alone, so that escapes and white space of the prompt make no difference. */
function keyOf(text: string): string {
  return unescape(text)
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .slice(0, KEY_CHARS)
}

/** An address that was asked for. `result` null: nothing came back. */
export interface Visit {
  address: string
  result: { ok: boolean; text: string } | null
}

const NAMES = ['网页访问', 'web_access']
const ADDRESS = /<(地址|url)>([^<]*)<\/\1>/
const RESULT = /^\[([^\]\n]{1,200})\](的内容[：:]| content:|执行失败[：:]| failed:|执行成功。?| done\.?)\s*/
const argumentsShape = z.object({ url: z.string() })

/** The calls of web_access in messages, in either protocol, each with its result. */
export function visitsIn(messages: readonly ModelMessage[]): Visit[] {
  const visits: Visit[] = []
  const byCallId = new Map<string, Visit>()
  let inText: Visit | null = null
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const { id, address } of callsOf(message.toolCalls ?? [])) byCallId.set(id, begin(visits, address))
      const address = ADDRESS.exec(callIn(message.content))?.[2]?.trim()
      inText = address === undefined ? null : begin(visits, address)
    } else if (message.role === 'tool') {
      fill(byCallId.get(message.callId), textIn(message.content))
    } else if (inText !== null && isResult(textIn(message.content))) {
      fill(inText, textIn(message.content))
      inText = null
    }
  }
  return visits
}

/** The inside of the first call in a text; empty: there is none. */
function callIn(text: string): string {
  for (const name of NAMES) {
    const start = text.indexOf(`<${name}>`)
    const end = start < 0 ? -1 : text.indexOf(`</${name}>`, start)
    if (end >= 0) return text.slice(start, end)
  }
  return ''
}

function begin(visits: Visit[], address: string): Visit {
  const visit: Visit = { address, result: null }
  visits.push(visit)
  return visit
}

function fill(visit: Visit | undefined, content: string): void {
  if (visit === undefined) return
  const match = RESULT.exec(content)
  const ok = match !== null && /内容|content|成功|done/.test(match[2] ?? '')
  visit.result = { ok, text: content.slice(match?.[0].length ?? 0).trim() }
}

function isResult(content: string): boolean {
  return NAMES.includes(RESULT.exec(content)?.[1] ?? '')
}

function callsOf(calls: readonly RawToolCall[]): { id: string; address: string }[] {
  return calls.flatMap(({ id, name, arguments: args }) => {
    const address = NAMES.includes(name) ? addressOf(args) : null
    return address === null ? [] : [{ id, address }]
  })
}

function addressOf(args: string): string | null {
  try {
    return argumentsShape.safeParse(JSON.parse(args)).data?.url ?? null
  } catch {
    return null
  }
}

/** Starts at the scheme, ends at white space, quotes, brackets of markup, or the first Chinese character or typographic mark. */
const IN_TEXT = /https?:\/\/[^\s<>"'`{}|\\^\u2000-\u206f\u2e80-\uffef]+/gi

/** The http and https addresses of a text, in order, each once. Trailing punctuation is the sentence's, not theirs. */
export function webAddressesIn(text: string): string[] {
  const found = new Map<string, string>()
  for (const [match] of text.matchAll(IN_TEXT)) {
    if (match.length > LIMITS.web.urlCharsMax) continue
    const address = trimEnd(match)
    const key = addressKey(address)
    if (key !== null && !found.has(key)) found.set(key, address)
  }
  return [...found.values()]
}

/** What makes two spellings the same address: all but the fragment. Null: no address. */
export function addressKey(address: string): string | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  url.hash = ''
  return url.href
}

function trimEnd(address: string): string {
  let end = address.length
  while (end > 0 && isTrailing(address.slice(0, end))) end--
  return address.slice(0, end)
}

/** A closing bracket belongs to the address when that opens it: `…/Tree_(graph)`. */
function isTrailing(address: string): boolean {
  const last = address.at(-1) ?? ''
  if (last === ')') return address.split(')').length > address.split('(').length
  if (last === ']') return address.split(']').length > address.split('[').length
  return '.,;:!?*_~'.includes(last)
}
