import * as z from 'zod'
import { OWN_TOOL } from '../plan.ts'
import { readFrames } from './frames.ts'
import { foundIn, Thread } from './thread.ts'

const event = z.looseObject({
  type: z.string(),
  delta: z.unknown().optional(),
  toolCallId: z.string().optional(),
  outcome: z
    .object({
      type: z.enum(['success', 'interrupt', 'cancelled']),
      interrupts: z.array(z.looseObject({ id: z.string() })).default([]),
      pendingToolCallIds: z.array(z.string()).default([]),
    })
    .optional(),
})
type Outcome = z.infer<typeof event>['outcome']

/** What the stream of one request told. */
interface Heard {
  text: string
  /** Arguments of calls as JSON, by their ids. */
  calls: Map<string, string>
  /** Absent: it was cut. */
  outcome: Outcome
  /** The event that says why the run failed; absent: it did not. */
  failure?: unknown
}

/** A client of AG-UI: it names its thread, brings along what was said, and answers interrupts by `resume`. */
export class AgUiThread extends Thread {
  readonly #messages: object[] = []
  #runs = 0

  protected async ask(content: string): Promise<string | null> {
    this.#say({ role: 'user', content })
    let resume: object[] = []
    for (;;) {
      const heard = await this.#run(resume)
      if (heard === null) return null
      const { text, calls, outcome } = heard
      const { interrupts = [], pendingToolCallIds: pending = [] } = outcome ?? {}
      const made = pending.map((id) => ({ id, name: OWN_TOOL.name, arguments: calls.get(id) ?? '{}' }))
      const toolCalls = made.map(({ id, ...called }) => ({ id, type: 'function', function: called }))
      this.#say({ role: 'assistant', content: text, ...(made.length > 0 ? { toolCalls } : {}) })
      for (const { id, arguments: args } of made) this.#say({ role: 'tool', toolCallId: id, content: foundIn(args) })
      resume = interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: { approved: true } }))
      if (interrupts.length + made.length === 0) return text
    }
  }

  #say(message: object): void {
    this.#messages.push({ id: `${this.plan.id}-${this.#messages.length}`, ...message })
  }

  /** One run to its end, however often it has to be asked for. */
  async #run(resume: object[]): Promise<Heard | null> {
    for (let tries = 0; ; tries++) {
      const body = {
        threadId: this.plan.id,
        runId: `${this.plan.id}-run-${++this.#runs}`,
        messages: this.#messages,
        tools: [OWN_TOOL],
        context: [],
        state: {},
        forwardedProps: { metadata: { thread: this.plan.id } },
        ...(resume.length > 0 ? { resume } : {}),
      }
      const response = await this.send('/v1/ag-ui', body, tries)
      if (response === null) continue
      const refusal = response.ok ? null : await this.world.answerOf(response)
      if (!response.ok && refusal === null) continue
      const heard = response.ok ? await this.#heard(response) : null
      if (heard?.outcome) return heard
      if (heard && heard.failure === undefined) continue
      const answer = refusal ?? { status: 200, replayed: false, location: null, body: heard?.failure }
      if ((await this.refused(answer)) === 'over') return null
    }
  }

  async #heard(response: Response): Promise<Heard> {
    let left = this.patience()
    const heard: Heard = { text: '', calls: new Map(), outcome: undefined }
    await readFrames(response, (data) => {
      this.world.begin()
      const { type, delta, toolCallId = '', outcome, ...more } = event.parse(JSON.parse(data))
      const piece = typeof delta === 'string' ? delta : ''
      if (type === 'TEXT_MESSAGE_CONTENT') heard.text += piece
      if (type === 'TOOL_CALL_START') heard.calls.set(toolCallId, '')
      if (type === 'TOOL_CALL_ARGS') heard.calls.set(toolCallId, `${heard.calls.get(toolCallId) ?? ''}${piece}`)
      if (type === 'RUN_ERROR') heard.failure = { type, ...more }
      if (type === 'RUN_FINISHED') heard.outcome = outcome
      return type === 'RUN_FINISHED' || --left <= 0
    })
    return heard
  }
}
