import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import type { Now } from '../../domain/ports.ts'
import type { Tool, ToolAnswer, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { defineTool, type ToolDefinition } from '../define.ts'

/** How long a call waits at most. */
export const secondsInput = z.coerce
  .number('1, 2, 3 …')
  .int('1, 2, 3 …')
  .min(1, '1, 2, 3 …')
  .max(LIMITS.wait.msMax / 1_000)
  .optional()

export const SECONDS_NAMES = { 'zh-CN': '秒数', en: 'seconds' }

type Outcome = ToolOutcome | Promise<ToolOutcome>

interface Asking<Input extends z.ZodObject> extends Pick<
  ToolDefinition<Input>,
  'id' | 'names' | 'description' | 'input' | 'parameters'
> {
  /** Called first: what it waits for. */
  asked: (wish: z.infer<Input>, context: ToolContext, now: number) => Outcome
  /** Called again once that came, or the time is over. */
  answered: (wish: z.infer<Input>, answer: ToolAnswer, context: ToolContext, now: number) => Outcome
}

/** A tool that lets its run rest until somebody, or something, answers it. It is offered where a config or a skill names it. */
export function askingTool<Input extends z.ZodObject>(now: Now, { asked, answered, ...given }: Asking<Input>): Tool {
  return defineTool({
    ...given,
    needs: 'lasting',
    risk: 'read',
    idempotent: true,
    optIn: true,
    run: (wish, context) =>
      context.answer ? answered(wish, context.answer, context, now()) : asked(wish, context, now()),
  })
}
