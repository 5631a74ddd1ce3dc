import { jsonObject } from '../../lib/json.ts'
import { excerpt, visible, type Colors } from '../view/text.ts'

const CHARS_MAX = 400
/** How workerd begins what it says to its own makers alone. */
const INNER_MARK = /^NOSENTRY\s+/
/** Where in its own code workerd was: addresses, which name nothing. */
const STACK = /\sstack: \/.*$/s
/** What stands elsewhere in a line that a person reads, or says nothing to one. */
const LEFT_OUT = ['level', 'event', 'time', 'timestamp', 'message', 'source', 'context_depth']

/** A line of the log as a person reads it: the time of day, then what happened. What is no JSON stays as it is. */
export function humanLine(line: string, colors: Colors): string {
  const fact = jsonObject(line)
  if (fact === null) return line
  const text = isRequest(fact) ? requestText(fact) : factText(fact)
  const shown = `${timeOfDay(fact['time'] ?? fact['timestamp'])} ${text}`
  const { level } = fact
  return level === 'error' ? colors.red(shown) : level === 'warn' ? colors.yellow(shown) : colors.dim(shown)
}

/** What a line says in words, without what a program wants of it. */
export function loggedWords(line: string): string {
  const message = jsonObject(line)?.['message']
  return typeof message === 'string' ? message.replace(INNER_MARK, '') : line
}

/** Whether a line is a note of workerd to its own makers, such as that a cache of its code is not for this machine. An error is none. */
export function isInnerNote(line: string): boolean {
  const { message, level } = jsonObject(line) ?? {}
  return typeof message === 'string' && INNER_MARK.test(message) && level !== 'error' && level !== 'fatal'
}

/** Whether a line is a question after health, as the launcher itself asks at the start. */
export function isHealthRequest(line: string): boolean {
  const fact = jsonObject(line)
  return fact !== null && isRequest(fact) && fact['route'] === '/healthz'
}

const isRequest = (fact: Record<string, unknown>) => fact['event'] === 'request'

function requestText({ method, route, status, ms }: Record<string, unknown>): string {
  return visible(`${wordOf(method)} ${wordOf(route)} ${wordOf(status)} ${wordOf(ms)} ms`)
}

function factText(fact: Record<string, unknown>): string {
  const { event, message } = fact
  const fields = Object.entries(fact).filter(([name]) => !LEFT_OUT.includes(name))
  const told = fields.map(([name, value]) => `${name}=${wordOf(value)}`)
  return excerpt([...[event, message].filter((part) => part !== undefined).map(wordOf), ...told].join(' '), CHARS_MAX)
}

const wordOf = (value: unknown) =>
  typeof value === 'string' ? value.replace(INNER_MARK, '').replace(STACK, '') : (JSON.stringify(value) ?? '')

/** Of an ISO time, or of milliseconds. */
function timeOfDay(time: unknown): string {
  const date = new Date(typeof time === 'string' && /^\d+$/.test(time) ? Number(time) : String(time))
  return Number.isNaN(date.getTime()) ? '' : date.toTimeString().slice(0, 8)
}
