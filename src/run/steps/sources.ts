import { failureText } from '../../agent/texts.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Message } from '../../domain/message.ts'
import type { PlanTask } from '../../domain/plan.ts'
import { languageFor, toolOf } from '../engine.ts'
import type { MoveContext } from '../job.ts'

/** Addresses that sub-tasks read, each once, in the order of the tasks: what a summary can name as its sources. Bounded. */
export function sourcesOf(tasks: readonly PlanTask[], context: MoveContext): string[] {
  const { sourcesMax, sourceMessagesMax } = LIMITS.plan
  const read = new Set<string>()
  for (const { id } of tasks) {
    const newest = context.journal.log.messages({ scope: id, limit: sourceMessagesMax, newestFirst: true })
    for (const address of addressesIn(newest.toReversed(), context)) read.add(address)
    if (read.size >= sourcesMax) break
  }
  return [...read].slice(0, sourcesMax)
}

/** What calls of these messages read, where their result is no failure. */
function addressesIn(messages: readonly Message[], context: MoveContext): string[] {
  const results = new Map(
    messages.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])),
  )
  return messages
    .flatMap((message) => message.tool_calls ?? [])
    .flatMap(({ id, name, arguments: args }) => {
      const tool = toolOf(context.engine, name)
      const result = results.get(id)
      if (!tool || !result || tool.riskOf(args) !== 'network') return []
      const language = languageFor(context.engine, context.journal.record)
      const failed = failureText(tool.names[language], '', language)
      return result.content.startsWith(failed) ? [] : tool.effects(args).addresses
    })
}
