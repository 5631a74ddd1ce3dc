import type { DeliveryEvent, NewsData, ToldPending } from '../domain/callback.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { cutText } from '../lib/cut-text.ts'
import { HEADLINES, LABELS, RISKS } from './chat-texts.ts'

/** A line of a message: a label of ours, and a text that others wrote. `isLong`: it may have many lines. */
export interface ChatField {
  label: string
  text: string
  isLong: boolean
}

/** A message for a chat, whatever the chat is. `main`: the button that is meant to be pressed. */
export interface ChatMessage {
  headline: string
  urgent: boolean
  fields: ChatField[]
  buttons: { text: string; url: string; main: boolean }[]
}

/** The message of a delivery, in bounded lines. */
export function chatMessage(
  event: DeliveryEvent,
  data: NewsData | { test: true },
  base: string,
  language: Language,
): ChatMessage {
  const headline = HEADLINES[event][language]
  if ('test' in data) return { headline, urgent: false, fields: [], buttons: [] }
  const [item] = data.pending ?? []
  const fields = [
    line(LABELS.session[language], data.title || data.session_id),
    ...(data.result ? [long(LABELS.result[language], data.result)] : []),
    ...(data.error ? [long(LABELS.error[language], data.error.detail)] : []),
    ...(item ? itemFields(item, language) : []),
  ]
  const open = { text: LABELS.open[language], url: `${base}/#/s/${data.session_id}`, main: item === undefined }
  const decide = item?.decide_url ? [{ text: LABELS.decide[language], url: item.decide_url, main: true }] : []
  return { headline, urgent: item !== undefined, fields, buttons: [...decide, open] }
}

function itemFields(item: ToldPending, language: Language): ChatField[] {
  if (item.type === 'question') return [long(LABELS.question[language], item.question ?? '')]
  const touched = [...(item.touches?.addresses ?? []), ...(item.touches?.paths ?? [])]
  const args = item.arguments_excerpt ?? JSON.stringify(item.arguments ?? {}, null, 1)
  return [
    line(LABELS.tool[language], item.tool ?? ''),
    ...(item.risk ? [line(LABELS.risk[language], RISKS[item.risk]?.[language] ?? item.risk)] : []),
    ...(item.reason ? [long(LABELS.why[language], item.reason)] : []),
    ...(touched.length > 0 ? [long(LABELS.touches[language], touched.join('\n'))] : []),
    long(LABELS.arguments[language], args),
  ]
}

function line(label: string, text: string): ChatField {
  const flat = text.replaceAll(/\s+/g, ' ')
  return { label, text: cutText(flat, LIMITS.callback.chatLineCharsMax), isLong: false }
}

function long(label: string, text: string): ChatField {
  return { label, text: cutText(text, LIMITS.callback.chatTextCharsMax), isLong: true }
}
