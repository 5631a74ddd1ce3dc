import type { ScriptFunction } from '../../src/cli/mock-model/server.ts'
import type { StepInput } from '../../src/cli/mock-model/script.ts'
import { fingerprint } from '../../src/lib/hash.ts'
import { plannerReply } from './planner.ts'

interface WireMessage {
  role: string
  content: string
}

/** What the task of a conversation asks for, and how far it has come. */
interface Place {
  task: string
  english: boolean
  native: boolean
  step: string
  index: number
}

const TASK = /#task:(\S+) (en|zh-CN) (native|text) \[([^\]]*)\]/g
const DONE = /\(done (\S+) (\d+)\)/g

/** A model that reads its steps from the task and its progress from its own earlier words: the same conversation gets the
 *  same answer, however often it is sent. `pagesUrl`: where the pages of the steps are. */
export function chaosModel(pagesUrl: string): ScriptFunction {
  return ({ body }) => {
    const messages = messagesOf(body)
    const whole = messages.map(({ content }) => content).join('\n')
    const pace = Number.parseInt(fingerprint(whole), 36)
    const timing = { delay_ms: pace % 30, chunk_delay_ms: pace % 7, chunks: 5 }
    const planned = plannerReply(messages[0]?.content ?? '', messages.at(-1)?.content ?? '')
    if (planned !== null) return { ...timing, content: planned }
    if (isCompaction(messages)) return { ...timing, content: summaryOf(whole) }
    const place = placeOf(messages, whole)
    const heard = answerIn(messages)
    if (place === null && heard !== null) return { ...timing, content: `joined answer of ${heard}` }
    if (place === null) return { status: 400, body: { error: { message: 'no task in the conversation' } } }
    return { ...timing, ...replyTo(place, pagesUrl) }
  }
}

/** The id of the task that a request is about. */
export function taskOf(body: unknown): string | null {
  const messages = messagesOf(body)
  return placeOf(messages, messages.map(({ content }) => content).join('\n'))?.task ?? answerIn(messages)
}

/** The task that a role of a team heard the answer of. */
function answerIn(messages: WireMessage[]): string | null {
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  return [...said.join('\n').matchAll(/answer of (\S+)/g)].at(-1)?.[1] ?? null
}

function placeOf(messages: WireMessage[], whole: string): Place | null {
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const [, task = '', language, form, list = ''] = [...said.join('\n').matchAll(TASK)].at(-1) ?? []
  if (task === '') return null
  const done = [...whole.matchAll(DONE)].flatMap(([, of, index]) => (of === task ? [Number(index)] : []))
  const index = Math.max(-1, ...done) + 1
  const step = list.split(' ')[index] ?? 'finish'
  return { task, english: language === 'en', native: form === 'native', step, index }
}

/** A request to summarise has instructions of its own, not the prompt of a task. */
function isCompaction([first]: WireMessage[]): boolean {
  return first?.role === 'system' && !/<(user_task|用户任务)>/.test(first.content)
}

/** How far every task had come: what a later turn needs to know. */
function summaryOf(whole: string): string {
  const furthest = new Map<string, number>()
  for (const [, task = '', index] of whole.matchAll(DONE)) {
    furthest.set(task, Math.max(Number(index), furthest.get(task) ?? 0))
  }
  return `So far: ${[...furthest].map(([task, index]) => `(done ${task} ${index})`).join(' ')}.`
}

function replyTo({ task, english, native, step, index }: Place, pagesUrl: string): StepInput & object {
  const [kind = '', names = ''] = step.split(':')
  const given = givenCall({ task, index, english, native }, kind, names)
  if (given)
    return native
      ? { content: `(done ${task} ${index})`, tool_calls: [given] }
      : { content: `(done ${task} ${index})\n${inTags(given, english)}` }
  const said = `${english ? 'Next.' : '下一步。'} (done ${task} ${index})`
  const urls = names.split('+').map((name) => `${pagesUrl}/${kind}/${name}`)
  const call = callsOf(kind, { task, index, urls, names: names.split('+') })
  if (kind === 'fail') return { status: 500 }
  if (kind === 'say') return { content: `answer of ${task}` }
  if (call.length === 0) return { content: said }
  if (native) return { content: said, tool_calls: call }
  return { content: `${said}\n${call.map((one) => inTags(one, english)).join('\n')}` }
}

interface Call {
  name: string
  arguments: Record<string, string>
}

/** A call that gives a task away, looks at those that were, or waits for a time; null: the step is none of these. */
function givenCall({ task, index, english, native }: Omit<Place, 'step'>, kind: string, names: string): Call | null {
  if (kind === 'nap') return { name: 'wait', arguments: { seconds: '1' } }
  if (kind === 'status') return { name: 'task_status', arguments: { wait: 'true' } }
  if (kind !== 'give' && kind !== 'aside') return null
  const [page, end] = names.split(',')
  const line = `#task:${task}.g${index} ${english ? 'en' : 'zh-CN'} ${native ? 'native' : 'text'} [read:${page} ${end}]`
  return { name: 'delegate', arguments: { task: line, ...(kind === 'aside' ? { background: 'true' } : {}) } }
}

interface Asked {
  task: string
  index: number
  names: string[]
  urls: string[]
}

function callsOf(kind: string, { task, index, names, urls }: Asked): Call[] {
  if (kind === 'mute') return []
  if (kind === 'think') return [{ name: 'rethink', arguments: { reason: `about ${task} at ${index}` } }]
  if (kind === 'ask') return [{ name: 'ask', arguments: { question: `which way at ${index}?` } }]
  if (kind === 'unknown') return [{ name: 'nowhere', arguments: { x: String(index) } }]
  if (kind === 'finish') return [{ name: 'finish', arguments: { reason: `answer of ${task}` } }]
  if (kind === 'own') return names.map((page) => ({ name: 'look_up', arguments: { page } }))
  if (kind === 'post')
    return urls.map((url) => ({ name: 'http_request', arguments: { method: 'POST', url, body: task } }))
  return urls.map((url) => ({ name: 'web_access', arguments: { url } }))
}

const CHINESE: Record<string, string> = {
  web_access: '网页访问',
  http_request: '网络请求',
  method: '方法',
  body: '正文',
  url: '地址',
  rethink: '再度思考',
  finish: '完成会话',
  reason: '理由',
  ask: '提问',
  question: '问题',
  wait: '等待',
  seconds: '秒数',
  delegate: '委派任务',
  task: '任务',
  background: '后台',
  task_status: '任务状态',
}

function inTags({ name, arguments: args }: Call, english: boolean): string {
  const word = (id: string) => (english ? id : (CHINESE[id] ?? id))
  const inner = Object.entries(args).map(([key, value]) => `<${word(key)}>${value}</${word(key)}>`)
  return `<${word(name)}>\n${inner.join('\n')}\n</${word(name)}>`
}

function messagesOf(body: unknown): WireMessage[] {
  const messages: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'messages') : undefined
  if (!Array.isArray(messages)) return []
  return messages.map((message: { role?: unknown; content?: unknown }) => ({
    role: String(message.role),
    content: typeof message.content === 'string' ? message.content : '',
  }))
}
