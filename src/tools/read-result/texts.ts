import type { Language } from '../../domain/language.ts'

const ZH = {
  part: (callId: string, start: number, end: number, total: number) =>
    `${callId} 的结果，共 ${total} 个字符，这里是 ${start} 至 ${end}。`,
  next: (offset: number) => `后面还有内容，要继续阅读，请用偏移 ${offset} 再次调用。`,
  last: '已到结尾。',
  found: (callId: string, shown: number, found: number, offsets: readonly number[], total: number) =>
    `在 ${callId} 的结果（共 ${total} 个字符）中找到 ${found} 处，这里是最相关的 ${shown} 处，偏移：${offsets.join('、')}。`,
  /** Before each passage. */
  at: (offset: number) => `【偏移 ${offset}】`,
  notFound: (search: string) => `结果中没有“${search}”。请换用其他词搜索，或用偏移阅读。`,
  unknown: (callId: string) =>
    `没有保存编号为“${callId}”的结果。请检查编号（在被截断的结果末尾给出）；如已不在，请重新调用原来的工具。`,
  beyond: (offset: number, total: number) =>
    `偏移 ${offset} 超出结尾：结果共 ${total} 个字符。请使用小于 ${total} 的偏移。`,
}

type Texts = typeof ZH

export const TEXTS: Readonly<Record<Language, Texts>> = {
  'zh-CN': ZH,
  en: {
    part: (callId, start, end, total) =>
      `The result of ${callId}, ${total} characters in all; these are ${start} to ${end}.`,
    next: (offset) => ` There is more: to read on, call again with offset ${offset}.`,
    last: ' This is its end.',
    found: (callId, shown, found, offsets, total) =>
      `${found} passages were found in the result of ${callId} (${total} characters); these are the best ${shown}, at offsets ${offsets.join(', ')}.`,
    at: (offset) => `[offset ${offset}]`,
    notFound: (search) => `Nothing in the result holds "${search}". Search for other words, or read by offset.`,
    unknown: (callId) =>
      `No result is stored for "${callId}". Check the id, which the end of a cut result gives; if it is gone, call the tool itself again.`,
    beyond: (offset, total) =>
      `Offset ${offset} is beyond the end: the result has ${total} characters. Use an offset below ${total}.`,
  },
}
