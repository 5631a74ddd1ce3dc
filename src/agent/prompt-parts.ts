import type { Language } from '../domain/language.ts'
import { steadyOffsetMs } from '../lib/steady-zone.ts'

/** The sections of the generated prompt, in their order. */
export const SECTIONS = {
  'zh-CN': ['用户任务', '角色', '工具调用指南', '目标', '环境信息', '自定义指示'],
  en: ['user_task', 'role', 'tool_guide', 'goal', 'environment', 'custom_instructions'],
} as const satisfies Record<Language, readonly string[]>

/** Places in `SECTIONS`. */
export const TOOL_GUIDE = 2
export const ENVIRONMENT = 4

const NAMES = Object.values(SECTIONS).flat().join('|')
const SECTION_TAG = new RegExp(`<(?=\\s*(?:/\\s*)?(?:${NAMES})(?![\\p{L}\\p{N}_-]))`, 'giu')

/** Text that can neither open nor close a section of a prompt, in either language: the `<` of such tags becomes `&lt;`,
 *  everything else stays as it is. */
export function escapeSections(text: string): string {
  return text.replaceAll(SECTION_TAG, '&lt;')
}

/** A section, its text on lines of its own. */
export function section(name: string, text: string): string {
  return inlineSection(name, `\n${text.trim()}\n`)
}

export function inlineSection(name: string, text: string): string {
  return `<${name}>${text}</${name}>`
}

/** The same text with the inside of the first section of this name replaced; null if it has no such section. */
export function replaceSection(text: string, name: string, inside: string): string | null {
  const start = text.indexOf(`<${name}>`)
  const end = text.indexOf(`</${name}>`, start)
  if (start < 0 || end < 0) return null
  return text.slice(0, start) + section(name, inside) + text.slice(end + name.length + 3)
}

/** A template with its `{{name}}`s replaced once: what is put in is not looked at again. A name without a value stays. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template
    .trim()
    .replaceAll(/\{\{(\w{1,64})\}\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
    )
}

/** A time as `2025-03-29 13:35:04 (Asia/Shanghai, UTC+8:00)`, or without the seconds. `now` in Unix milliseconds, `timezone` an IANA name. */
export function promptTime(now: number, timezone: string, to: 'minute' | 'second' = 'second'): string {
  if (to === 'second') return writtenTime(now, timezone, to)
  const minute = Math.floor(now / MINUTE_MS)
  if (lastTime?.minute !== minute || lastTime.timezone !== timezone)
    lastTime = { minute, timezone, text: writtenTime(now, timezone, to) }
  return lastTime.text
}

const MINUTE_MS = 60_000
let lastTime: { minute: number; timezone: string; text: string } | undefined

function writtenTime(now: number, timezone: string, to: 'minute' | 'second'): string {
  const { time, offset } = steadyClock(now, timezone) ?? clockOf(now, timezone)
  return `${to === 'second' ? time : time.slice(0, -':00'.length)} (${timezone}, ${offset})`
}

/** What a clock shows, as `2025-03-29 13:35:04`, and how far it is ahead, as `UTC+8:00`. */
interface Clock {
  time: string
  offset: string
}

/** Null: the zone's clock is moved now and then. */
function steadyClock(now: number, timezone: string): Clock | null {
  const offsetMs = steadyOffsetMs(timezone, now)
  if (offsetMs === null) return null
  const [date = '', time = ''] = new Date(now + offsetMs).toISOString().split(/[T.]/)
  const minutes = offsetMs / MINUTE_MS
  return {
    time: `${date} ${time}`,
    offset: `UTC+${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`,
  }
}

function clockOf(now: number, timezone: string): Clock {
  const parts = formatFor(timezone).formatToParts(now)
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((one) => one.type === type)?.value ?? ''
  const date = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
  return {
    time: `${date} ${part('hour')}:${part('minute')}:${part('second')}`,
    offset: offsetIn(part('timeZoneName')),
  }
}

let last: { timezone: string; format: Intl.DateTimeFormat } | undefined

/** The format of a zone; the last one is kept, since making it takes longer than using it. */
function formatFor(timezone: string): Intl.DateTimeFormat {
  if (last?.timezone === timezone) return last.format
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  })
  last = { timezone, format }
  return format
}

let lastName: { tag: string; language: Language; name: string } | undefined

/** The name of a language, written in `language`: `zh-CN` is 简体中文 in Chinese, `en` is English in English. An unknown tag is its own
 *  name. The last name is kept, as the last format is. */
export function languageName(tag: string, language: Language): string {
  if (lastName?.tag !== tag || lastName.language !== language) lastName = { tag, language, name: nameOf(tag, language) }
  return lastName.name
}

/** Of the languages that prompts are written in, which `Intl` need not be asked for (see `steadyOffsetMs`). */
const NAMED: Readonly<Record<Language, Readonly<Record<Language, string>>>> = {
  'zh-CN': { 'zh-CN': '简体中文', en: '英语' },
  en: { 'zh-CN': 'Simplified Chinese', en: 'English' },
}

function nameOf(tag: string, language: Language): string {
  if (tag === 'zh-CN' || tag === 'en') return NAMED[language][tag]
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(scripted(tag)) ?? tag
  } catch {
    return tag
  }
}

/** Chinese is told apart by its script, which is what is read, and not by the region. */
function scripted(tag: string): string {
  if (!/^zh\b/i.test(tag)) return tag
  return `zh-${new Intl.Locale(tag).maximize().script ?? 'Hans'}`
}

function offsetIn(name: string): string {
  const [, sign = '+', hours = '0', minutes = '00'] = /^GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? []
  return `UTC${sign}${Number(hours)}:${minutes}`
}
