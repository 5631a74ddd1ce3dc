import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { OWN_TOOL } from '../plan.ts'
import { same } from '../world.ts'
import { readFrames } from './frames.ts'
import { foundIn, Thread } from './thread.ts'

const item = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  call_id: z.string().optional(),
  status: z.string().optional(),
  phase: z.string().optional(),
  arguments: z.string().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).optional(),
})
const response = z.looseObject({
  id: z.string(),
  status: z.string(),
  error: z.looseObject({}).nullable(),
  output: z.array(item),
})
const frame = z.looseObject({
  type: z.string(),
  sequence_number: z.number(),
  response: response.optional(),
  item_id: z.string().optional(),
  delta: z.string().optional(),
  item: item.optional(),
})
type Said = z.infer<typeof response>
type Frame = z.infer<typeof frame>

const POLL_MS = 25
const TOOL = { type: 'function', strict: null, ...OWN_TOOL }
const isGoing = ({ status }: Said) => status === 'in_progress' || status === 'queued'
const isLast = ({ type }: Frame) => /^response\.(completed|failed|incomplete)$/.test(type)

/** A client of Responses: it names the response that it continues, and comes back to streams behind the last event that it heard. */
export class ResponsesThread extends Thread {
  #previous: string | null = null

  protected async ask(content: string): Promise<string | null> {
    for (let input: unknown = content; ;) {
      const said = await this.#respond(input)
      if (said === null) return null
      this.#previous = said.id
      const replies = said.output.flatMap(replyTo)
      if (replies.length === 0) return textOf(said)
      input = replies
    }
  }

  /** The whole response to an input, however often it has to be asked for. */
  async #respond(input: unknown): Promise<Said | null> {
    const background = this.random.chance(0.3)
    const previous = this.#previous === null ? {} : { previous_response_id: this.#previous }
    const asked = { model: 'yaa', input, tools: [TOOL], metadata: { thread: this.plan.id }, background, ...previous }
    for (let tries = 0; ; tries++) {
      const stream = !background && this.random.chance(0.6)
      const answered = await this.send('/v1/responses', { ...asked, stream }, tries)
      if (answered === null) continue
      const told = stream && answered.ok ? await this.#streamed(answered) : await this.#whole(answered)
      if (told === 'over') return null
      if (told !== 'again') return this.#looked(told)
    }
  }

  async #whole(answered: Response): Promise<Said | 'again' | 'over'> {
    const answer = await this.world.answerOf(answered)
    if (answer === null) return 'again'
    if (!answered.ok) return this.refused(answer)
    const said = response.parse(answer.body)
    if (!isGoing(said)) return said
    return this.random.chance(0.5) ? this.#followed(said.id, []) : this.#polled(said.id)
  }

  async #polled(id: string): Promise<Said> {
    for (;;) {
      const said = response.parse(await this.world.read(`/v1/responses/${id}`))
      if (!isGoing(said)) return said
      await sleep(POLL_MS)
    }
  }

  async #streamed(answered: Response): Promise<Said | 'again'> {
    const heard: Frame[] = []
    await this.#hear(answered, heard)
    const id = heard[0]?.response?.id
    return id === undefined ? 'again' : this.#followed(id, heard)
  }

  /** Come back to a stream until it has its end. */
  async #followed(id: string, heard: Frame[]): Promise<Said> {
    for (;;) {
      const last = heard.at(-1)
      if (last && isLast(last) && last.response) return this.#checked(heard, last.response)
      const after = last ? `&starting_after=${last.sequence_number}` : ''
      this.story.tell(`GET ${id} behind ${last?.sequence_number ?? 'nothing'}`)
      const answered = await this.world.send('GET', `/v1/responses/${id}?stream=true${after}`)
      if (answered === null) continue
      if (last) this.world.count('streams of doors taken up')
      if (answered.ok) await this.#hear(answered, heard)
      else throw new Error(`GET ${id} answered ${answered.status}: ${await answered.text()}`)
    }
  }

  async #hear(answered: Response, heard: Frame[]): Promise<void> {
    let left = this.patience()
    await readFrames(answered, (data) => {
      this.world.begin()
      const told = frame.safeParse(data === '[DONE]' ? null : JSON.parse(data))
      if (told.success) heard.push(told.data)
      return --left <= 0
    })
  }

  /** Over all lines: numbers go up, and the pieces of each text are the text. */
  #checked(heard: readonly Frame[], said: Said): Said {
    const numbers = heard.map(({ sequence_number: number }) => number)
    const back = numbers.findIndex((number, index) => index > 0 && number <= (numbers[index - 1] ?? -1))
    if (back > 0) this.violate(`event ${numbers[back]} of ${said.id} follows ${numbers[back - 1]}`)
    for (const { item: ended } of heard.filter(({ type }) => type === 'response.output_item.done')) {
      const pieces = heard.flatMap((one) =>
        one.type === 'response.output_text.delta' && one.item_id === ended?.id ? [one.delta ?? ''] : [],
      )
      // Words that a crash took, and no later call said again, are forgotten.
      const isForgotten = said.status === 'failed' && ended?.status === 'incomplete' && wordsOf(ended) === ''
      if (ended?.type === 'message' && !isForgotten && pieces.join('') !== wordsOf(ended))
        this.violate(`the pieces of ${ended.id} are ${JSON.stringify(pieces)}, it is ${wordsOf(ended)}`)
    }
    return said
  }

  /** What is shown of a response later says the same. */
  async #looked(said: Said): Promise<Said | null> {
    const again = response.parse(await this.world.read(`/v1/responses/${said.id}`))
    this.world.count('responses read again')
    if (again.status !== said.status || textOf(again) !== textOf(said) || !same(waitingIn(again), waitingIn(said)))
      this.violate(`${said.id} was told as ${JSON.stringify(said)}, and is shown as ${JSON.stringify(again)}`)
    if (said.status === 'completed') return said
    await this.refused({ status: 200, replayed: false, location: null, body: said })
    return null
  }
}

const waitingIn = ({ output }: Said) => output.flatMap(replyTo)

/** What the client says to an item that waits for it. */
function replyTo({ type, id, call_id: call, arguments: args = '' }: z.infer<typeof item>): object[] {
  if (type === 'function_call') return [{ type: 'function_call_output', call_id: call, output: foundIn(args) }]
  if (type === 'mcp_approval_request')
    return [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }]
  return []
}

/** The answer: words beside a call are in streams alone. */
function textOf({ output }: Said): string {
  const message = output.find(({ type, phase }) => type === 'message' && phase !== 'commentary')
  return message ? wordsOf(message) : ''
}

const wordsOf = ({ content = [] }: z.infer<typeof item>) => content.map(({ text = '' }) => text).join('')
