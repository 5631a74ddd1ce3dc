import { type Message, type Part, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'

/** The official client of A2A, unmodified. */

export const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const
export type Binding = (typeof BINDINGS)[number]

/** A client of a server, in one binding. `answers`: headers of its last answers are put there. */
export async function a2aClient(url: string, key: string, binding: Binding, answers?: Headers[]): Promise<Client> {
  const fetching: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    answers?.push(answer.headers)
    return answer
  }
  const fetchImpl = createAuthenticatingFetchWithRetry(fetching, {
    headers: async () => ({ authorization: `Bearer ${key}` }),
    shouldRetryWithHeaders: async () => undefined,
  })
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    preferredTransports: [binding],
  })
  return new ClientFactory(options).createFromUrl(url)
}

export const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
})

export const dataPart = (value: unknown): Part => ({ ...textPart(''), content: { $case: 'data', value } })

export const filePart = (bytes: string | Buffer, filename: string, mediaType: string): Part => ({
  ...textPart(''),
  content: { $case: 'raw', value: Buffer.from(bytes) },
  filename,
  mediaType,
})

export const urlPart = (value: string, filename: string, mediaType: string): Part => ({
  ...textPart(''),
  content: { $case: 'url', value },
  filename,
  mediaType,
})

let sentMessages = 0

/** A message of the user, as clients send it. */
export function sending(
  said: string | Part[],
  { configuration, metadata, ...about }: Partial<Message> & { configuration?: object } = {},
) {
  const message: Message = {
    messageId: `message-${++sentMessages}-${crypto.randomUUID()}`,
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: typeof said === 'string' ? [textPart(said)] : said,
    metadata,
    extensions: [],
    referenceTaskIds: [],
    ...about,
  }
  return {
    tenant: '',
    message,
    // What is left out the client fills in.
    configuration: configuration as never,
    metadata: undefined,
  }
}

export function taskOf(answer: Task | Message): Task {
  if (!('id' in answer)) throw new Error(`a message, no task: ${JSON.stringify(answer)}`)
  return answer
}

/** The text of the answer of a task. */
export function answerOf({ artifacts }: Pick<Task, 'artifacts'>): string {
  return textsIn(artifacts.find(({ artifactId }) => artifactId === 'answer')?.parts ?? [])
}

export function textsIn(parts: readonly Part[]): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('')
}

export function dataIn(parts: readonly Part[]): unknown[] {
  return parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []))
}

/** A task as a client puts it together of a stream: artifacts are replaced or added to. */
export class Followed {
  task: Task | null = null
  readonly states: TaskState[] = []
  /** The state of each status that was told behind the task. */
  readonly updates: TaskState[] = []
  readonly said: string[] = []
  readonly metadata: Record<string, unknown>[] = []

  take({ payload }: StreamResponse): void {
    if (payload?.$case === 'task') {
      this.task = payload.value
      this.#state(payload.value.status?.state)
    }
    if (payload?.$case === 'statusUpdate') {
      const { status, metadata } = payload.value
      this.#state(status?.state)
      if (status) this.updates.push(status.state)
      if (status?.message) this.said.push(textsIn(status.message.parts))
      if (metadata) this.metadata.push(metadata)
      if (this.task) this.task = { ...this.task, status }
    }
    if (payload?.$case === 'artifactUpdate') this.#artifact(payload.value)
  }

  #state(state: TaskState | undefined): void {
    if (state !== undefined && this.states.at(-1) !== state) this.states.push(state)
  }

  #artifact({ artifact, append }: Extract<StreamResponse['payload'], { $case: 'artifactUpdate' }>['value']): void {
    if (!this.task || !artifact) throw new Error('an artifact comes behind its task')
    const { artifacts } = this.task
    const known = artifacts.find(({ artifactId }) => artifactId === artifact.artifactId)
    const parts = append && known ? [...known.parts, ...artifact.parts] : artifact.parts
    const others = artifacts.filter((one) => one !== known)
    this.task = { ...this.task, artifacts: [...others, { ...artifact, parts }] }
  }
}

/** Follows a stream to its end, or until something is seen. */
export async function followed(
  stream: AsyncIterable<StreamResponse>,
  isEnough: (followed: Followed) => boolean = () => false,
): Promise<Followed> {
  const told = new Followed()
  for await (const event of stream) {
    told.take(event)
    if (isEnough(told)) break
  }
  return told
}
