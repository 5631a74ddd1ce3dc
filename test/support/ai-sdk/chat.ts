import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  type DynamicToolUIPart,
  isToolUIPart,
  type UIMessage,
} from 'ai'

type Message = UIMessage<Record<string, unknown>>

class State implements ChatState<Message> {
  error: Error | undefined = undefined
  #messages: Message[]
  #status: ChatStatus = 'ready'
  readonly #changed: () => void

  constructor(messages: Message[], changed: () => void) {
    this.#messages = messages
    this.#changed = changed
  }

  get messages(): Message[] {
    return this.#messages
  }
  set messages(messages: Message[]) {
    this.#messages = messages
    this.#changed()
  }
  get status(): ChatStatus {
    return this.#status
  }
  set status(status: ChatStatus) {
    this.#status = status
    this.#changed()
  }

  pushMessage = (message: Message): void => {
    this.messages = [...this.messages, message]
  }
  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1)
  }
  replaceMessage = (index: number, message: Message): void => {
    this.messages = this.messages.with(index, structuredClone(message))
  }
  snapshot = <T>(thing: T): T => structuredClone(thing)
}

/** The chat of the AI SDK as its hooks use it, without a framework. */
export class NodeChat extends AbstractChat<Message> {
  /** Of the newest answers: headers of the requests that were made. */
  readonly answers: Response[]
  readonly #changes: EventTarget

  constructor(
    { url, key }: { url: string; key: string },
    { messages = [], body, ...init }: ChatInit<Message> & { body?: object } = {},
  ) {
    const answers: Response[] = []
    const transport = new DefaultChatTransport<Message>({
      api: `${url}/v1/ai-sdk/chat`,
      headers: { authorization: `Bearer ${key}` },
      ...(body ? { body } : {}),
      fetch: async (input, options) => {
        const answer = await fetch(input, options)
        answers.push(answer)
        return answer
      },
    })
    const changes = new EventTarget()
    super({ transport, ...init, state: new State(messages, () => changes.dispatchEvent(new Event('change'))) })
    this.answers = answers
    this.#changes = changes
  }

  /** When the chat is so: looked at with each change. */
  async when(isSo: (chat: this) => boolean): Promise<void> {
    while (!isSo(this))
      await new Promise((resolve) => this.#changes.addEventListener('change', resolve, { once: true }))
  }

  get session(): string {
    return this.answers.at(-1)?.headers.get('x-yaa-session') ?? ''
  }

  /** The words of each message. */
  get texts(): string[] {
    return this.messages.map(textOf)
  }

  get last(): Message {
    const message = this.messages.at(-1)
    if (!message) throw new Error('the chat has no message')
    return message
  }

  get tools() {
    return this.last.parts.filter(isToolUIPart)
  }

  get approvals(): DynamicToolUIPart[] {
    return this.tools.filter((part): part is DynamicToolUIPart => part.state === 'approval-requested')
  }
}

export function textOf({ parts }: UIMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|')
}
