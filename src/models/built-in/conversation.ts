import type { Language } from '../../domain/language.ts'
import { type ModelMessage, type ModelRequest, textIn } from '../../domain/model.ts'
import { scriptOf } from './words.ts'
import { type Visit, visitsIn } from './visits.ts'

/** How the reply is to be written: as native calls, as text tags, or as plain words where no tool is asked for. */
export type Form = 'native' | 'tags' | 'plain'

/** What the built-in model understands of a request. */
export interface Conversation {
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

export function readConversation(request: ModelRequest): Conversation {
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
