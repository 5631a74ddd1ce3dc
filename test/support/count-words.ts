import * as z from 'zod'
import { defineTool } from '../../src/tools/define.ts'

/** A tool as somebody adds it: all that is said of it stands here. */
export const countWords = defineTool({
  id: 'count_words',
  names: { 'zh-CN': '数词', en: 'count_words' },
  description: { 'zh-CN': '数一数文本里有多少个词。', en: 'Counts the words of a text.' },
  risk: 'write',
  idempotent: true,
  input: z.strictObject({ text: z.string().min(1) }),
  parameters: {
    text: { names: { 'zh-CN': '文本', en: 'text' }, description: { 'zh-CN': '要数的文本', en: 'what is counted' } },
  },
  run: async ({ text }) => ({ ok: true, content: `${text.split(/\s+/).length} words` }),
})
