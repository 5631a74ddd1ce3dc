import type { MissingServer } from '../domain/mcp.ts'
import { serverPrefix } from '../mcp/servers.ts'
import type { Engine } from './engine.ts'
import type { Worker } from './worker/worker.ts'
import { LIMITS } from '../domain/limits.ts'

const TEXTS = {
  'zh-CN': {
    title: '暂缺的工具',
    text: '任务开始时，以下 MCP 服务的工具没能载入；除非工具列表里已经有了，否则不能调用。任务需要它们时请如实告诉用户，不要编造它们的结果。',
    more: (count: number) => `- 另有 ${count} 个`,
  },
  en: {
    title: 'Tools that are missing',
    text: 'When this task began, the tools of these MCP servers could not be loaded; they cannot be called unless they are offered by now. Where the task needs them, tell the user so, and do not make up what they would say.',
    more: (count: number) => `- and ${count} more`,
  },
}

/** Servers whose tools a branch would be given and is not, for its prompt. */
export function missingToolsPart(
  { toolNames, language }: Worker,
  { missing }: Pick<Engine, 'missing'>,
): { title: string; text: string }[] {
  const servers = missing.filter((server) => toolNames === null || toolNames.some((name) => isOf(name, server)))
  if (servers.length === 0) return []
  const { title, text, more } = TEXTS[language]
  const shown = servers.slice(0, LIMITS.mcp.missingShownMax).map(({ name, reason }) => `- ${name}: ${reason[language]}`)
  const rest = servers.length - shown.length
  return [{ title, text: [text, '', ...shown, ...(rest > 0 ? [more(rest)] : [])].join('\n') }]
}

function isOf(name: string, server: MissingServer): boolean {
  return name === '*' || name.startsWith(serverPrefix(server.name))
}
