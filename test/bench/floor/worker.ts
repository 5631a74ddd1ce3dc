import { DurableObject } from 'cloudflare:workers'

interface Env {
  RUNS: DurableObjectNamespace<FloorObject>
  NETWORK: Fetcher
  /** Where the model answers. */
  MODEL_URL: string
}

interface Call {
  id: string
  function: { name: string; arguments: string }
}

interface Message {
  role: string
  content?: string
  tool_calls?: Call[]
  tool_call_id?: string
}

interface Chunk {
  choices: { delta: { content?: string; tool_calls?: { id?: string; function: Partial<Call['function']> }[] } }[]
}

type Tell = (text: string) => Promise<void>

const TABLE = 'CREATE TABLE IF NOT EXISTS messages (seq INTEGER PRIMARY KEY, role TEXT NOT NULL, text TEXT NOT NULL)'
const ROW = 'INSERT INTO messages (role, text) VALUES (?, ?)'

/** About 1,200 tokens with the tool: what the prompt of a one-line task may be. Fixed, whatever ours is. */
const PROMPT = 'You do what the user asks for, with the tools that you have, and answer in words. '.repeat(56)
const TOOLS = JSON.stringify([
  {
    type: 'function',
    function: {
      name: 'list_files',
      description: 'List the files of a folder.',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
])

const encoder = new TextEncoder()

/** The fixed floor: the least that a run of an agent takes on the platform. An object a session, a row a message, the model by
 *  `fetch`, the text as the answer. It keeps no events, can take up nothing, knows no keys. What the product does beyond that is
 *  to be seen as cost, so nothing is added here when the product does more. */
export class FloorObject extends DurableObject<Env> {
  /** The messages of the request to the model, as JSON. */
  #messages = JSON.stringify({ role: 'system', content: PROMPT })

  override async fetch(request: Request): Promise<Response> {
    this.ctx.storage.sql.exec(TABLE)
    const { task } = await request.json<{ task: string }>()
    this.#add({ role: 'user', content: task })
    if (request.headers.get('accept') !== 'text/event-stream') return new Response(await this.#run(null))
    const { readable, writable } = new IdentityTransformStream()
    const writer = writable.getWriter()
    this.ctx.waitUntil(this.#run((text) => writer.write(encoder.encode(text))).then(() => writer.close()))
    return new Response(readable)
  }

  async #run(tell: Tell | null): Promise<string> {
    for (;;) {
      const response = await this.#ask(tell !== null)
      const reply = tell && response.body ? await readStream(response.body, tell) : await readJson(response)
      this.#add(reply)
      if (!reply.tool_calls) return reply.content ?? ''
      for (const call of reply.tool_calls) this.#add({ role: 'tool', tool_call_id: call.id, content: listFiles(call) })
    }
  }

  #add(message: Message): void {
    const text = JSON.stringify(message)
    this.ctx.storage.sql.exec(ROW, message.role, text)
    this.#messages += `,${text}`
  }

  #ask(stream: boolean): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    const body = `{"model":"bench","messages":[${this.#messages}],"tools":${TOOLS},"stream":${stream}}`
    return this.env.NETWORK.fetch(this.env.MODEL_URL, { method: 'POST', headers, body })
  }
}

async function readJson(response: Response): Promise<Message> {
  const { choices } = await response.json<{ choices: [{ message: Message }] }>()
  return choices[0].message
}

/** Tells the text as it comes. */
async function readStream(body: ReadableStream, tell: Tell): Promise<Message> {
  const decoder = new TextDecoder()
  const reply: Message = { role: 'assistant' }
  let rest = ''
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    const before = reply.content?.length ?? 0
    for (const line of lines) if (line.startsWith('data: {')) take(reply, JSON.parse(line.slice(6)))
    const more = reply.content?.slice(before)
    if (more) await tell(more)
  }
  return reply
}

function take(reply: Message, { choices }: Chunk): void {
  const delta = choices[0]?.delta
  if (delta?.content) reply.content = (reply.content ?? '') + delta.content
  for (const { id = '', function: part } of delta?.tool_calls ?? []) {
    reply.tool_calls ??= [{ id, function: { name: '', arguments: '' } }]
    const call = reply.tool_calls[0]
    if (call)
      call.function = {
        name: part.name ?? call.function.name,
        arguments: call.function.arguments + (part.arguments ?? ''),
      }
  }
}

function listFiles(call: Call): string {
  const { path }: { path: string } = JSON.parse(call.function.arguments)
  return `There are no files in ${path}.`
}

/** `POST /NAME {task}`: a session of that name. */
export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    env.RUNS.getByName(new URL(request.url).pathname).fetch(request),
}
