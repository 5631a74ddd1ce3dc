import type { Language } from '../domain/language.ts'

/** A time as `2025-03-29 13:35:04 (Asia/Shanghai, UTC+8:00)`. `now` in Unix milliseconds, `timezone` an IANA name. */
export function promptTime(now: number, timezone: string): string {
  const parts = formatFor(timezone).formatToParts(now)
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((one) => one.type === type)?.value ?? ''
  const date = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
  const time = `${part('hour')}:${part('minute')}:${part('second')}`
  return `${date} ${time} (${timezone}, ${offset(part('timeZoneName'))})`
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

/** How a language is called in one of the product's languages: `zh-CN` is 简体中文, `en` English. An unknown tag is its name. The last one
 *  is kept, as the format is. */
export function languageName(tag: string, language: Language): string {
  if (lastName?.tag !== tag || lastName.language !== language) lastName = { tag, language, name: nameOf(tag, language) }
  return lastName.name
}

function nameOf(tag: string, language: Language): string {
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

function offset(name: string): string {
  const [, sign = '+', hours = '0', minutes = '00'] = /^GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? []
  return `UTC${sign}${Number(hours)}:${minutes}`
}
