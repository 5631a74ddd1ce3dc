import { batch, computed, signal } from '@preact/signals'
import type { Language } from '../domain/language.ts'
import type { Money } from '../domain/usage.ts'
import * as said from '../lib/in-language.ts'
import type { ConsoleTexts } from './texts/en.ts'
import type { ViewTexts } from './texts/views-en.ts'

const STORED = 'yaa.language'
const PACKS: Record<Language, () => Promise<ConsoleTexts>> = {
  en: async () => (await import('./texts/en.ts')).EN,
  'zh-CN': async () => (await import('./texts/zh-cn.ts')).ZH,
}

const VIEW_PACKS: Record<Language, () => Promise<ViewTexts>> = {
  en: async () => (await import('./texts/views-en.ts')).VIEWS_EN,
  'zh-CN': async () => (await import('./texts/views-zh-cn.ts')).VIEWS_ZH,
}

const pack = signal<ConsoleTexts | null>(null)
const viewPack = signal<ViewTexts | null>(null)
const wished = localStorage.getItem(STORED) ?? navigator.language
export const language = signal<Language>(/^zh\b/i.test(wished) ? 'zh-CN' : 'en')

/** The texts of the page's language. It is loaded before anything is shown. */
export function texts(): ConsoleTexts {
  if (pack.value === null) throw new Error('no language is loaded')
  return pack.value
}

/** The same of views that are loaded when they are first shown: `Later` loads these with them. */
export function viewTexts(): ViewTexts {
  if (viewPack.value === null) throw new Error('the texts of views are not loaded')
  return viewPack.value
}

/** The same where they are loaded already. */
export const loadedViewTexts = (): ViewTexts | null => viewPack.value

export async function loadViewTexts(): Promise<void> {
  viewPack.value ??= await VIEW_PACKS[language.peek()]()
}

/** Loads a language and shows the page in it. */
export async function speak(wanted: Language): Promise<void> {
  const [texts, views] = await Promise.all([PACKS[wanted](), viewPack.peek() && VIEW_PACKS[wanted]()])
  batch(() => {
    pack.value = texts
    viewPack.value = views
    language.value = wanted
  })
  document.documentElement.lang = wanted
}

export async function switchLanguage(): Promise<void> {
  const wanted = language.value === 'en' ? 'zh-CN' : 'en'
  localStorage.setItem(STORED, wanted)
  await speak(wanted)
}

/** As in the whole date: in Chinese with two digits. */
const hourIn = (tag: Language) => (tag === 'en' ? 'numeric' : '2-digit')

const formats = computed(() => ({
  number: new Intl.NumberFormat(language.value),
  moment: new Intl.DateTimeFormat(language.value, {
    month: 'short',
    day: 'numeric',
    hour: hourIn(language.value),
    minute: '2-digit',
  }),
  whole: new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }),
  month: new Intl.DateTimeFormat(language.value, { month: 'long', year: 'numeric' }),
  clock: new Intl.DateTimeFormat(language.value, { hour: hourIn(language.value), minute: '2-digit' }),
  relative: new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }),
}))

export const numberText = (value: number) => formats.value.number.format(value)

/** A time of day when it is today, else with its date. */
export function timeText(time: string): string {
  const date = new Date(time)
  const isToday = date.toDateString() === new Date().toDateString()
  return (isToday ? formats.value.clock : formats.value.moment).format(date)
}

export const monthText = (time: string): string => formats.value.month.format(new Date(time))

/** A date and a time of day, in the reader's format and zone. */
export function momentText(time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : formats.value.whole.format(date)
}

/** How far away a time is, such as `in 6 days`. */
export function distanceText(time: string): string {
  const minutes = (Date.parse(time) - Date.now()) / 60_000
  const units = [
    ['day', 1_440],
    ['hour', 60],
    ['minute', 1],
  ] as const
  const [unit, size] = units.find(([, length]) => Math.abs(minutes) >= length) ?? units[2]
  // A number stands apart from the Chinese beside it, as everywhere on the page.
  return formats.value.relative.format(Math.round(minutes / size), unit).replace(/(\d)(?=\p{Script=Han})/u, '$1 ')
}

/** A duration in ms: `340 ms`, `2.4 s`, `3 min`. */
export const durationText = (ms: number): string => said.durationIn(language.value, ms)
/** What has gone by, in whole seconds. */
export const secondsText = (seconds: number): string => said.secondsIn(language.value, seconds)
export const moneyText = (money: Money): string => said.moneyIn(language.value, money)

/** Names in a row, clauses in a row, and words about a thing behind it, as the language joins them. */
export const listText = (names: readonly string[]): string => said.listIn(language.value, names)
export const clausesText = (clauses: readonly string[]): string => said.clausesIn(language.value, clauses)
export const labelledText = (what: string, words: string): string => said.toldIn(language.value, what, words)
