import * as z from 'zod'
import type { Localized } from '../../domain/language.ts'
import { defineTool } from '../define.ts'

const NAMES = { 'zh-CN': '读取结果', en: 'read_result' } as const satisfies Localized

const DESCRIPTION: Localized = {
  'zh-CN': '继续阅读一次被截断的工具结果：从某个偏移处往后读，或在其中搜索。不会再次执行原来的工具。',
  en: 'Read on in a tool result that was cut: from an offset, or by searching in it. The tool itself is not run again.',
}

const PARAMETERS = {
  call_id: {
    names: { 'zh-CN': '调用编号', en: 'call_id' },
    description: {
      'zh-CN': '被截断的结果末尾给出的调用编号，以 call_ 开头',
      en: 'the id of the call, call_…, as the end of its cut result gives it',
    },
  },
  offset: {
    names: { 'zh-CN': '偏移', en: 'offset' },
    description: { 'zh-CN': '从第几个字符开始读，默认 0', en: 'the character to read from, 0 by default' },
  },
  search: {
    names: { 'zh-CN': '搜索', en: 'search' },
    description: { 'zh-CN': '要找的词；给出含有这些词的段落', en: 'words to find; gives the passages that hold them' },
  },
} as const

/** What a parameter has to be; short enough to be read in any language. */
const EXPECTED = { callId: 'call_…', offset: '0, 1, 2 …', search: '1–200' } as const

const SEARCH_CHARS_MAX = 200
const ID_CHARS_MAX = 100
const input = z.strictObject({
  call_id: z.string(EXPECTED.callId).trim().min(1, EXPECTED.callId).max(ID_CHARS_MAX, EXPECTED.callId),
  offset: z.coerce.number(EXPECTED.offset).int(EXPECTED.offset).min(0, EXPECTED.offset).optional(),
  search: z.string(EXPECTED.search).trim().min(1, EXPECTED.search).max(SEARCH_CHARS_MAX, EXPECTED.search).optional(),
})

/** Reads on in a result that was cut, a page or the passages of a search at a time. What was fenced stays fenced. */
export const readResult = defineTool({
  id: 'read_result',
  provenance: 'result',
  names: NAMES,
  description: DESCRIPTION,
  risk: 'read',
  idempotent: true,
  needs: 'cut_result',
  paginates: true,
  input,
  parameters: PARAMETERS,
  run: async (wanted, context) => (await import('./read-on.ts')).readOn(wanted, context),
})
