import * as z from 'zod'
import { OWN_TOOL } from '../plan.ts'
import { readFrames } from './frames.ts'
import { foundIn, Thread } from './thread.ts'

const call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})
const message = z.object({
  role: z.literal('assistant'),
  content: z.string().nullable(),
  tool_calls: z.array(call).optional(),
})
const completion = z.object({ choices: z.tuple([z.object({ message, finish_reason: z.string() })]) })
const chunk = z.object({
  error: z.unknown().optional(),
  choices: z
    .array(
      z.object({
        delta: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                index: z.int(),
                id: z.string().optional(),
                function: z.object({ name: z.string().optional(), arguments: z.string().optional() }),
              }),
            )
            .optional(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .optional(),
})
type Said = z.infer<typeof message>

/** A client of chat completions: it carries its history along, by which the server knows the session. Some name the session as soon as they know
 *  it. */
export class ChatThread extends Thread {
  readonly #history: object[] = []
  readonly #isNaming = this.random.chance(0.4)

  protected async ask(content: string): Promise<string | null> {
    this.#history.push({ role: 'user', content })
    for (;;) {
      const said = await this.#answer()
      if (said === null) return null
      const { content: text, tool_calls: calls = [] } = said
      const [, pending] = /(?:approve|批准) (pnd_\w+)/.exec(text ?? '') ?? []
      this.#history.push(said)
      if (calls.length > 0) this.#history.push(...calls.map(resultOf))
      else if (pending) this.#history.push({ role: 'user', content: `approve ${pending}` })
      else return text ?? ''
    }
  }

  /** The whole answer to the history, however often it has to be asked for. */
  async #answer(): Promise<Said | null> {
    for (let tries = 0; ; tries++) {
      const stream = this.random.chance(0.6)
      const tools = [{ type: 'function', function: OWN_TOOL }]
      const body = { model: 'yaa', messages: this.#history, tools, metadata: { thread: this.plan.id }, stream }
      const response = await this.send('/v1/chat/completions', body, tries, this.#name())
      if (response === null) continue
      if (stream && response.ok) {
        const told = await this.#streamed(response)
        if (told === 'over') return null
        if (told !== 'cut') return told
        continue
      }
      const answer = await this.world.answerOf(response)
      if (answer === null) continue
      if (response.ok) return completion.parse(answer.body).choices[0].message
      if ((await this.refused(answer)) === 'over') return null
    }
  }

  #name(): Record<string, string> {
    const [session] = this.sessions
    if (!this.#isNaming || session === undefined) return {}
    this.world.count('chats that named their session')
    return { 'x-yaa-session': session }
  }

  async #streamed(response: Response): Promise<Said | 'cut' | 'over'> {
    let left = this.patience()
    let text = ''
    let failure: unknown
    let isWhole = false
    const calls: { id: string; name: string; args: string }[] = []
    await readFrames(response, (data) => {
      this.world.begin()
      if (data === '[DONE]') isWhole = true
      if (data === '[DONE]') return true
      const { error, choices: [choice] = [] } = chunk.parse(JSON.parse(data))
      failure ??= error
      text += choice?.delta.content ?? ''
      for (const { index, id, function: made } of choice?.delta.tool_calls ?? []) {
        const known = (calls[index] ??= { id: '', name: '', args: '' })
        if (id !== undefined) Object.assign(known, { id, name: made.name })
        known.args += made.arguments ?? ''
      }
      return --left <= 0
    })
    if (failure !== undefined) {
      const next = await this.refused({ status: 200, replayed: false, location: null, body: failure })
      return next === 'over' ? next : 'cut'
    }
    if (!isWhole) return 'cut'
    const made = calls.map(({ id, name, args }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: args },
    }))
    return {
      role: 'assistant',
      content: text === '' && made.length > 0 ? null : text,
      ...(made.length > 0 ? { tool_calls: made } : {}),
    }
  }
}

const resultOf = ({ id, function: { arguments: args } }: z.infer<typeof call>) => ({
  role: 'tool',
  tool_call_id: id,
  content: foundIn(args),
})
