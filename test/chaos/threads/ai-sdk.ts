import { isToolUIPart, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { OWN_TOOL } from '../plan.ts'
import { readFrames } from './frames.ts'
import { foundIn, Thread } from './thread.ts'

type Message = UIMessage<Record<string, unknown>>

/** What became of a request: the message of the agent, or that it is to be sent again, or that its run failed. */
type Told = Message | 'again' | 'over'

const CHAT = '/v1/ai-sdk/chat'
const { description, parameters: inputSchema } = OWN_TOOL
const TOOLS = { [OWN_TOOL.name]: { description, inputSchema } }

/** A chat of the AI SDK: it is known by its id, its messages are put together by the SDK, and it comes back to a stream as a page does that was loaded anew. */
export class AiSdkThread extends Thread {
  readonly #messages: Message[] = []
  #requests = 0

  protected async ask(content: string): Promise<string | null> {
    this.#messages.push({ id: `${this.plan.id}-u${this.#messages.length}`, role: 'user', parts: [textOf(content)] })
    for (let begun: Message | undefined; ;) {
      const message = await this.#answer(begun)
      if (message === null) return null
      const answered = answeredIn(message)
      if (begun) this.#messages.pop()
      this.#messages.push(answered ?? message)
      if (!answered) return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
      begun = answered
    }
  }

  /** The message that answers what was said, however often it has to be asked for. `begun`: of which it is the rest. */
  async #answer(begun: Message | undefined): Promise<Message | null> {
    const key = `${this.plan.id}-request-${++this.#requests}`
    const body = { id: this.plan.id, messages: this.#messages, tools: TOOLS, metadata: { thread: this.plan.id } }
    for (let tries = 0; ; tries++) {
      const isBack = tries > 0 && this.random.chance(0.4)
      const told = isBack ? await this.#comeBack() : await this.#sent(body, { begun, tries, key })
      if (told === 'over') return null
      if (told !== 'again') return told
    }
  }

  async #sent(
    body: object,
    { begun, tries, key }: { begun: Message | undefined; tries: number; key: string },
  ): Promise<Told> {
    const response = await this.send(CHAT, body, tries, { 'idempotency-key': key })
    if (response === null) return 'again'
    if (response.ok) return this.#told(response, begun)
    const answer = await this.world.answerOf(response)
    return answer === null ? 'again' : this.refused(answer)
  }

  /** The run that goes on, or waits, from its beginning: all of its message. */
  async #comeBack(): Promise<Told> {
    this.story.tell(`GET ${CHAT}/${this.plan.id}/stream`)
    const response = await this.world.send('GET', `${CHAT}/${this.plan.id}/stream`)
    if (response?.status !== 200) return 'again'
    this.world.count('streams of doors taken up')
    return this.#told(response, undefined)
  }

  async #told(response: Response, begun: Message | undefined): Promise<Told> {
    let left = this.patience()
    const chunks: UIMessageChunk[] = []
    let isWhole = false
    await readFrames(response, (data) => {
      this.world.begin()
      if (data === '[DONE]') isWhole = true
      else chunks.push(JSON.parse(data) as UIMessageChunk)
      return isWhole || --left <= 0
    })
    const failure = chunks.find(({ type }) => type === 'error')
    if (failure) return this.refused({ status: 200, replayed: false, location: null, body: failure })
    if (!isWhole) return 'again'
    return (await messageOf(chunks, begun)) ?? 'again'
  }
}

const textOf = (text: string) => ({ type: 'text' as const, text })

/** The message as the SDK puts it together. */
async function messageOf(chunks: readonly UIMessageChunk[], begun: Message | undefined): Promise<Message | null> {
  const stream = new ReadableStream<UIMessageChunk>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  let last: Message | null = null
  const told = readUIMessageStream<Message>({ stream, ...(begun ? { message: structuredClone(begun) } : {}) })
  for await (const message of told) last = message
  return last
}

/** The same with what its calls came to and with approvals; null: nothing in it waits. */
function answeredIn(message: Message): Message | null {
  let isAnswered = false
  const parts = message.parts.map((part): Message['parts'][number] => {
    if (!isToolUIPart(part)) return part
    if (part.state === 'approval-requested') {
      isAnswered = true
      return { ...part, state: 'approval-responded', approval: { id: part.approval.id, approved: true } }
    }
    if (part.state !== 'input-available' || part.providerExecuted) return part
    isAnswered = true
    return { ...part, state: 'output-available', output: foundIn(JSON.stringify(part.input)) }
  })
  return isAnswered ? { ...message, parts } : null
}
