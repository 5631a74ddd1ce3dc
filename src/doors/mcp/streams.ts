import type { Context } from 'hono'
import type { AppError } from '../../domain/errors.ts'
import type { Pending } from '../../domain/pending.ts'
import type { ClientCall, McpPlace } from '../../domain/mcp-session.ts'
import { LIMITS } from '../../domain/limits.ts'
import { serviceOf } from '../../http/caller.ts'
import { type AppEnv, problem } from '../../http/context.ts'
import { eventStream } from '../../http/route.ts'
import { textStream } from '../../lib/streams.ts'
import { sleep } from '../../lib/wait.ts'
import { lacks } from '../../service/caller.ts'
import { openCounted } from '../../service/limits.ts'
import { shapeOfTool } from './call.ts'
import { requestErrors, rpcFault } from './errors.ts'
import { runResult } from './result.ts'
import { followedAgain, type RunClient } from './run.ts'
import { askRequest, END, type NamedSession, rpcRefusal } from './sessions.ts'

/** GET: the stream of a session, or that of a call behind the last event that its client has. */
export async function openedStream(c: Context<AppEnv>, session: NamedSession): Promise<Response> {
  const last = c.req.header('last-event-id')
  const [, n = '', seq = '', nth = ''] = /^(\d+)\.(?:end|(\d+)\.(\d+))$/.exec(last ?? '') ?? []
  if (last !== undefined && n === '') return rpcRefusal(400, -32_000, 'No stream of this session has such an event.')
  const call = last === undefined ? null : await session.object.find({ n: Number(n) })
  if (last !== undefined && !call) return rpcRefusal(404, -32_001, 'The call of this stream is not kept any more.')
  const opened = await openCounted(serviceOf(c), c.get('principal').tenant, { kind: 'stream', session: null })
  if (!opened.ok) return problem(c, opened.error)
  if (call) c.set('errors', requestErrors(call.rpc))
  if (call?.place) {
    c.header('x-yaa-session', call.place.session)
    c.header('x-yaa-run', call.place.run)
  }
  const texts =
    call === null
      ? silence()
      : last?.endsWith(END)
        ? nothing()
        : new Resumed(c, session, call, { seq: Number(seq), nth: Number(nth) }).texts()
  return eventStream(c, textStream(texts), { connection: opened.value })
}

/** Nothing happens in a session beside its calls: its stream only shows that it is there. */
async function* silence(): AsyncGenerator<string, void, void> {
  for (;;) {
    yield ': listening\n\n'
    await sleep(LIMITS.mcpDoor.beatMs)
  }
}

async function* nothing(): AsyncGenerator<string, void, void> {}

/** The stream of a call for a client that comes back, made of the log of its run. */
class Resumed {
  readonly #c: Context<AppEnv>
  readonly #session: NamedSession
  readonly #call: ClientCall
  readonly #after: { seq: number; nth: number }
  #frames: string[] = []
  #ring = () => {}

  constructor(c: Context<AppEnv>, session: NamedSession, call: ClientCall, after: { seq: number; nth: number }) {
    this.#c = c
    this.#session = session
    this.#call = call
    this.#after = after
  }

  async *texts(): AsyncGenerator<string, void, void> {
    const { place } = this.#call
    if (!place) return yield this.#frame(END, this.#fault(LOST))
    let isOver = false
    const ended = this.#follow(place).finally(() => {
      isOver = true
      this.#ring()
    })
    for (;;) {
      const heard = new Promise<void>((resolve) => (this.#ring = resolve))
      const frames = this.#frames.join('')
      this.#frames = []
      if (frames !== '') yield frames
      else if (isOver) break
      else if (await Promise.race([heard.then(() => false), sleep(LIMITS.mcpDoor.beatMs).then(() => true)]))
        yield ': working\n\n'
    }
    yield this.#frame(END, await ended)
  }

  async #follow(place: McpPlace): Promise<object> {
    const shape = await shapeOfTool(this.#c, this.#call.tool, this.#after.seq)
    const client: RunClient = {
      asks: this.#session.client.elicits && !lacks(this.#c.get('principal'), 'decide') ? 'by_request' : null,
      takesTasks: false,
      isPatient: false,
      view: { ...shape.view, isSilent: this.#call.token === null },
      begun: () => {},
      progress: async (seq, text) => this.#progress(seq, text),
      hasLeft: () => false,
      ask: async (seq, nth, pending) => this.#ask(seq, nth, pending),
      isPutOff: async () => (await this.#session.object.find({ n: this.#call.n }))?.isPutOff === true,
    }
    const answered = await followedAgain(this.#c, place, client)
    if (!answered.ok) return this.#fault(answered.error)
    if (answered.value.is !== 'rests') return this.#fault({ code: 'internal_error' })
    return { jsonrpc: '2.0', id: this.#call.rpc, result: runResult(answered.value.rest, place, shape) }
  }

  #progress(seq: number, text: string): void {
    const { token: progressToken } = this.#call
    if (progressToken === null) return
    const params = { progressToken, progress: seq, message: text }
    this.#put(`${seq}.0`, { jsonrpc: '2.0', method: 'notifications/progress', params })
  }

  /** What the client was asked before is not asked again. */
  #ask(seq: number, nth: number, pending: Pending): void {
    const { seq: lastSeq, nth: last } = this.#after
    if (seq < lastSeq || (seq === lastSeq && nth + 1 <= last)) return
    this.#put(`${seq}.${nth + 1}`, askRequest(this.#c, this.#call.n, pending))
  }

  #put(place: string, message: object): void {
    this.#frames.push(this.#frame(place, message))
    this.#ring()
  }

  #frame(place: string, message: object): string {
    return `id: ${this.#call.n}.${place}\nevent: message\ndata: ${JSON.stringify(message)}\n\n`
  }

  #fault(error: AppError): object {
    const fault =
      error === LOST
        ? { code: -32_000, message: 'The server stopped before the run of this call began. Call again.' }
        : rpcFault(error)
    return { jsonrpc: '2.0', id: this.#call.rpc, error: fault }
  }
}

const LOST: AppError = { code: 'unavailable' }
