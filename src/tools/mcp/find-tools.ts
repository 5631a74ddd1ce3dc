import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { defineTool } from '../define.ts'

/** Looks for tools of servers that are too many to be offered all at once; those that it finds are offered from then on. */
export const findTools = defineTool({
  id: 'find_tools',
  names: { 'zh-CN': '查找工具', en: 'find_tools' },
  description: {
    'zh-CN': '还有许多外部服务的工具没有列出。用关键词查找所需的工具，找到的随后就能调用。',
    en: 'Many more tools of outside services are not listed. Find the ones you need by keywords; then they can be called.',
  },
  risk: 'read',
  idempotent: true,
  needs: 'many_tools',
  input: z.strictObject({ query: z.string().trim().min(1).max(LIMITS.mcp.queryCharsMax) }),
  parameters: {
    query: {
      names: { 'zh-CN': '关键词', en: 'query' },
      description: { 'zh-CN': '要做的事，几个关键词', en: 'what is to be done, in a few keywords' },
    },
  },
  run: async ({ query }, context) => (await import('./found-tools.ts')).foundTools(query, context),
})
