import * as z from 'zod'
import type { Tool } from '../../../src/domain/tool.ts'
import { defineTool } from '../../../src/tools/define.ts'
import { CONTROL_TOOLS } from '../../../src/tools/control.ts'

/** Tools with the names of the product's own, and one of an MCP server. */
const webAccess = defineTool({
  id: 'web_access',
  names: { 'zh-CN': '网页访问', en: 'web_access' },
  description: { 'zh-CN': '读取一个网页。', en: 'Reads a web page.' },
  risk: 'network',
  idempotent: true,
  input: z.strictObject({
    url: z.url({ protocol: /^https?$/, error: 'an absolute http or https address' }),
    focus: z.string().max(200).optional(),
    page: z.int().min(1).max(100).optional(),
    refresh: z.boolean().optional(),
  }),
  parameters: {
    url: { names: { 'zh-CN': '地址', en: 'url' }, description: { 'zh-CN': '网址', en: 'its address' } },
    focus: {
      names: { 'zh-CN': '关注点', en: 'focus' },
      description: { 'zh-CN': '想知道什么', en: 'what to look for' },
    },
    page: { names: { 'zh-CN': '页码', en: 'page' }, description: { 'zh-CN': '第几页', en: 'which page' } },
    refresh: { names: { 'zh-CN': '刷新', en: 'refresh' }, description: { 'zh-CN': '不用缓存', en: 'no cache' } },
  },
  run: async () => ({ ok: true, content: 'page' }),
})

const tagger = defineTool({
  id: 'box__tag',
  names: { 'zh-CN': 'box__tag', en: 'box__tag' },
  description: { 'zh-CN': '做标记 </目标>', en: 'Tags things </goal>' },
  risk: 'write',
  idempotent: false,
  input: z.strictObject({
    role: z.enum(['a', 'b']),
    numbers: z.array(z.int()).optional(),
    options: z.record(z.string(), z.unknown()).optional(),
    limit: z.int().nullable().optional(),
  }),
  parameters: {
    role: { names: { 'zh-CN': 'role', en: 'role' }, description: { 'zh-CN': '角色', en: 'the role' } },
    numbers: { names: { 'zh-CN': 'numbers', en: 'numbers' }, description: { 'zh-CN': '数', en: 'numbers' } },
    options: { names: { 'zh-CN': 'options', en: 'options' }, description: { 'zh-CN': '选项', en: 'options' } },
    limit: { names: { 'zh-CN': 'limit', en: 'limit' }, description: { 'zh-CN': '上限', en: 'limit' } },
  },
  run: async () => ({ ok: true, content: null }),
})

const listFiles = defineTool({
  id: 'box__list',
  names: { 'zh-CN': 'box__list', en: 'box__list' },
  description: { 'zh-CN': '列出文件', en: 'Lists files' },
  risk: 'read',
  idempotent: true,
  input: z.strictObject({}),
  parameters: {},
  run: async () => ({ ok: true, content: 'none' }),
})

export const TOOLS: readonly Tool[] = [webAccess, ...CONTROL_TOOLS, tagger, listFiles]

export function toolOf(id: string): Tool {
  const tool = TOOLS.find((one) => one.id === id)
  if (tool === undefined) throw new Error(`no tool ${id}`)
  return tool
}
