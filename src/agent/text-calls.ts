import type { Tool } from '../domain/tool.ts'
import { toArguments } from './arguments.ts'
import { type FoundCalls, parseForeignCalls } from './foreign-calls.ts'
import { parseTextCalls } from './text-protocol.ts'

/** The calls that a reply writes in its text: as tags, or, if there are none, in a form of the model's own. */
export function findTextCalls(reply: string, tools: readonly Tool[]): FoundCalls {
  const tags = parseTextCalls(reply, tools)
  if (tags.calls.length > 0) {
    const calls = tags.calls.map(({ tool, params }) => ({ tool, arguments: toArguments(params, tool) }))
    return { calls, unknown: null }
  }
  const foreign = parseForeignCalls(reply, tools)
  return { calls: foreign.calls, unknown: foreign.calls.length > 0 ? null : (tags.unknown ?? foreign.unknown) }
}
