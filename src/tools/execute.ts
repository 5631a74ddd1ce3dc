import { abortable, timeLimit } from '../lib/wait.ts'
import type { Tool, ToolContext, ToolOutcome } from '../domain/tool.ts'

/** Run a tool within its time; whatever it throws is a failed result, never an exception. */
export async function execute(tool: Tool, args: Record<string, unknown>, context: ToolContext): Promise<ToolOutcome> {
  const parsed = tool.parse(args)
  if (!parsed.ok)
    return { ok: false, reason: parsed.errors.map(({ path, expected }) => `${path}: ${expected}`).join('; ') }
  const limit = timeLimit(tool.timeoutMs)
  const signal = AbortSignal.any([context.signal, limit.signal])
  try {
    return await abortable(tool.run(parsed.value, { ...context, signal }), signal)
  } catch (error) {
    return { ok: false, reason: reasonOf(error, tool, context) }
  } finally {
    limit.end()
  }
}

function reasonOf(error: unknown, tool: Tool, { language, signal }: ToolContext): string {
  if (signal.aborted) return language === 'zh-CN' ? '已取消' : 'cancelled'
  const timedOut = error instanceof Error && error.name === 'TimeoutError'
  if (timedOut)
    return language === 'zh-CN' ? `超过 ${tool.timeoutMs} 毫秒没有完成` : `not done within ${tool.timeoutMs} ms`
  return language === 'zh-CN' ? '工具内部出错' : 'the tool broke inside'
}
