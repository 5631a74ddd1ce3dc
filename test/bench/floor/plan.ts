import * as z from 'zod'

/** What the floor does for one run: rows of one transaction, then a fetch or none, and so on. */
export interface FloorPlan {
  steps: { rows: string[]; fetch: { url: string; body: unknown } | null }[]
  answerBytes: number
}

/** An event as GET …/events lists it, as far as a plan is made of it. */
const event = z.looseObject({
  type: z.string(),
  tool: z.string().optional(),
  message: z.looseObject({ role: z.string() }).optional(),
  arguments: z.looseObject({ url: z.string().optional() }).optional(),
})
type Event = z.infer<typeof event>

export const events = z.object({ data: z.array(event) })

/** The plan of a run that did what these events tell: the same rows in the same transactions, the same fetches. */
export function planOf(
  log: readonly Event[],
  modelUrl: string,
  bodies: readonly number[],
  answerBytes: number,
): FloorPlan {
  const steps: FloorPlan['steps'] = []
  let asked = 0
  for (const [index, one] of log.entries()) {
    if (index === 0 || startsTransaction(one, log[index - 1])) steps.push({ rows: [], fetch: null })
    const step = steps.at(-1)
    step?.rows.push(dataOf(one))
    if (step && one.type === 'model-start') {
      step.fetch = { url: modelUrl, body: bodyOf(asked, bodies[asked] ?? 0, log) }
      asked++
    }
    const url = one.type === 'tool-start' ? one.arguments?.url : undefined
    if (step && url !== undefined) step.fetch = { url, body: null }
  }
  return { steps, answerBytes }
}

/** Whether an event is the first of its transaction: src/session writes what is decided at once in one. */
function startsTransaction({ type, message }: Event, before: Event | undefined): boolean {
  if (type === 'iteration-start') return before?.type !== 'iteration-end'
  if (type === 'message') return message?.role === 'system' || message?.role === 'assistant'
  return type === 'run-start' || type === 'tool-start' || type === 'tool-end' || type === 'iteration-end'
}

/** What the event's row holds as JSON: all but its other columns. */
function dataOf({ seq: _1, type: _2, run_id: _3, scope: _4, time: _5, ...data }: Event): string {
  return JSON.stringify(data)
}

/** A request to the model of the given length, with so many tool results in it. */
function bodyOf(results: number, bytes: number, log: readonly Event[]): unknown {
  const content = log.find(({ message }) => message?.role === 'user')?.message?.['content']
  const messages = [{ role: 'user', content }, ...Array.from({ length: results }, () => ({ role: 'tool' }))]
  const body = { model: 'bench', stream: true, messages, filler: '' }
  return { ...body, filler: 'x'.repeat(Math.max(0, bytes - JSON.stringify(body).length)) }
}
