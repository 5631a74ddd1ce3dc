import type { Language } from '../domain/language.ts'

interface Texts {
  /** Stands where the middle, or the end, of a text was. */
  gap(left: number): string
  cut(kept: number, total: number): string
  /** `units` of `of` were chosen by the words of the task. */
  chosen(kept: number, total: number, units: number, of: number): string
  readOn(callId: string, offset: number): string
}

export const OUTPUT_TEXTS: Record<Language, Texts> = {
  'zh-CN': {
    gap: (left) => `……（此处省略 ${left} 个字符）……`,
    cut: (kept, total) => `（内容过长：共 ${total} 个字符，给出了 ${kept} 个。`,
    chosen: (kept, total, units, of) =>
      `（内容过长：共 ${total} 个字符，按任务中的词选出 ${of} 节中的 ${units} 节，${kept} 个字符，略去处以 […] 标出。`,
    readOn: (callId, offset) =>
      `要读其余内容，请调用 读取结果（read_result），调用编号 ${callId}，偏移 ${offset}，或给出要搜索的词。`,
  },
  en: {
    gap: (left) => `… (${left} characters left out here) …`,
    cut: (kept, total) => `(Too long: ${kept} of ${total} characters are given.`,
    chosen: (kept, total, units, of) =>
      `(Too long: ${units} of ${of} sections, chosen by the words of the task, are given: ${kept} of ${total} characters, […] where some were left out.`,
    readOn: (callId, offset) =>
      ` For the rest call read_result with call_id ${callId} and offset ${offset}, or with words to search for.`,
  },
}

export const END_OF_NOTICE: Record<Language, string> = { 'zh-CN': '）', en: ')' }
