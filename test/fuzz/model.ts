import * as z from 'zod'
import type { StepInput } from '../../src/cli/mock-model/script.ts'
import type { ScriptFunction } from '../../src/cli/mock-model/server.ts'
import { fingerprint } from '../../src/lib/hash.ts'

const asked = z.object({
  messages: z.array(z.looseObject({ role: z.string() })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
})

/** Calls of ours that a run waits for, or that end at once. */
const OURS: readonly StepInput[] = [
  { tool_calls: [{ name: 'web_access', arguments: { url: 'https://fuzz.invalid/' } }] },
  { tool_calls: [{ name: 'ask', arguments: { question: 'Which?', options: ['a', 'b'] } }] },
  { tool_calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] },
  { tool_calls: [{ name: 'rethink', arguments: { reason: 'why' } }] },
  { tool_calls: [{ name: 'http_request', arguments: { method: 'POST', url: 'https://fuzz.invalid/', body: 'x' } }] },
]
const CALLS_MAX = 4

/** A model that leaves runs waiting: for tools of the caller, for approvals, for an answer; slow at times, so that they are steered. Its words
 *  depend on the request alone. `own`: names of the server's tools. */
export function fuzzModel(own: ReadonlySet<string>): ScriptFunction {
  return ({ body }) => {
    const request = asked.safeParse(body)
    if (!request.success) return { content: 'done' }
    const { messages, tools = [] } = request.data
    const draw = Number.parseInt(fingerprint(JSON.stringify(messages.slice(-2))), 36)
    const called = messages.filter(({ role }) => role === 'tool').length
    const timing = { delay_ms: draw % 5 === 0 ? 300 : 0, chunks: 3 }
    const foreign = tools.map((tool) => tool.function.name).filter((name) => !own.has(name))
    if (called >= CALLS_MAX) return { ...timing, content: 'done' }
    if (foreign.length > 0 && draw % 3 > 0)
      return { ...timing, tool_calls: foreign.slice(0, 2).map((name) => ({ name, arguments: { place: 'x' } })) }
    const call = OURS[draw % (2 * OURS.length)]
    return typeof call === 'object' ? { ...timing, ...call } : { ...timing, content: `done ${called}` }
  }
}
