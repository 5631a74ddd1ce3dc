import { CLIENT_LIMITS } from '../domain/client-limits.ts'
import type { Sleep } from '../domain/ports.ts'
import type { ContinueInput, PendingInput, WrittenTask } from '../domain/session-input.ts'
import type { WhenBusy } from '../domain/run.ts'
import { offeredProtocols } from '../domain/socket.ts'
import { parseJson, memberOf } from '../lib/json.ts'
import type { StreamEvent } from './events.ts'
import { type Connection, sendForNothing, type Socket, type OpenSocket } from './http.ts'
import { ApiProblem, readProblem, Unreachable } from './problem.ts'

/** What is sent over a WebSocket: the fields of the POST of that name. */
export type SocketFrame =
  | ({ type: 'message'; when_busy?: WhenBusy } & Pick<
      WrittenTask,
      'content' | 'config' | 'output_schema' | 'client_tools' | 'inputs'
    >)
  | ({ type: 'decide'; pending_id: string } & PendingInput)
  | ({ type: 'continue' } & ContinueInput)
  | { type: 'cancel' }

/** What comes over a WebSocket: events, and why a frame could not be followed. */
export type SocketEvent = StreamEvent | { type: 'problem'; problem: ApiProblem }

export interface SocketOptions {
  /** Seq of the last event known. */
  after?: number | undefined
  signal?: AbortSignal | undefined
}

/** A WebSocket on a session. To iterate opens it, and opens it again where it breaks off: nothing is lost and nothing comes twice. */
export interface SessionSocket extends AsyncIterable<SocketEvent> {
  /** Sends a frame, or keeps it until the socket is open. One that was under way when the connection broke may be lost: its events tell. */
  send(frame: SocketFrame): void
  close(): void
}

interface Opening extends SocketOptions {
  connection: Connection
  sleep: Sleep
  /** Path of the session. */
  session: string
}

/** `readyState` of a socket that is open. */
const OPEN = 1

/** Throws where the runtime has no WebSockets. */
export function openSocket(opening: Opening): SessionSocket {
  const { webSocket } = opening.connection
  if (webSocket === undefined) throw new Error(NO_SOCKETS)
  const waiting: string[] = []
  const closing = new AbortController()
  const { signal } = opening
  const ended = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
  let open: Socket | null = null
  return {
    send: (frame) => {
      const text = JSON.stringify(frame)
      if (open?.readyState === OPEN) open.send(text)
      else if (waiting.push(text) > CLIENT_LIMITS.framesMax)
        throw new Error(`more than ${CLIENT_LIMITS.framesMax} frames wait`)
    },
    close: () => closing.abort(),
    async *[Symbol.asyncIterator]() {
      const opened = (socket: Socket) => {
        open = socket
        for (const text of waiting.splice(0)) socket.send(text)
      }
      yield* taken({ ...opening, webSocket }, ended, opened)
      signal?.throwIfAborted()
    },
  }
}

const NO_SOCKETS =
  'This runtime has no WebSocket (Node has one from version 22): give createClient one as `webSocket`, such as that of the package ws'

/** What comes, over as many connections as it takes, until the signal or the end of the session. */
async function* taken(
  { connection, webSocket, sleep, session, after = 0 }: Opening & { webSocket: OpenSocket },
  ended: AbortSignal,
  opened: (socket: Socket) => void,
): AsyncGenerator<SocketEvent, void, undefined> {
  let cursor = String(after)
  for (let failures = 0; !ended.aborted; failures++) {
    if (failures > CLIENT_LIMITS.resumesMax)
      throw new Unreachable(connection.server, new Error('the WebSocket broke off'))
    if (failures > 0) await paused(sleep, failures, ended)
    const address = `${connection.server.replace(/^http/, 'ws')}${session}/ws?after=${cursor}`
    const arrivals = arrivalsOf(webSocket(address, offeredProtocols(connection.key)), ended, opened)
    for await (const { id, event } of arrivals.events) {
      cursor = id ?? cursor
      failures = 0
      yield event
    }
    if (ended.aborted || arrivals.isOver()) return
    // A handshake that is refused says no reason to a page: the session says it.
    if (!arrivals.wasOpen()) await reasonOf(connection, session, cursor)
  }
}

async function paused(sleep: Sleep, failures: number, ended: AbortSignal): Promise<void> {
  const ms = CLIENT_LIMITS.resumeDelayMs * 2 ** Math.min(failures - 1, 4)
  await sleep(ms, ended).catch((error: unknown) => {
    if (!ended.aborted) throw error
  })
}

/** Throws what the session cannot be read for behind the cursor, unless that may pass. */
async function reasonOf(connection: Connection, session: string, after: string): Promise<void> {
  try {
    await sendForNothing(connection, {
      path: `${session}/events`,
      query: { after: Math.trunc(Number(after)), limit: 1 },
    })
  } catch (error) {
    if (error instanceof ApiProblem && error.status < 500 && error.status !== 429) throw error
  }
}

interface Arrival {
  /** Behind which the next connection goes on; undefined: it has none. */
  id: string | undefined
  event: SocketEvent
}

interface Arrivals {
  events: AsyncIterable<Arrival>
  wasOpen: () => boolean
  /** The server closed it and will not open it again: the session is gone. */
  isOver: () => boolean
}

/** What one connection brings, until it closes, however it does. */
function arrivalsOf(socket: Socket, ended: AbortSignal, opened: (socket: Socket) => void): Arrivals {
  const queue: Arrival[] = []
  let wake = () => {}
  let isClosed = false
  let wasOpen = false
  let code = 0
  const quiet = heartbeat(socket)
  const close = () => {
    isClosed = true
    quiet.stop()
    ended.removeEventListener('abort', stop)
    wake()
  }
  const stop = () => {
    socket.close()
    close()
  }
  socket.addEventListener('open', () => {
    wasOpen = true
    opened(socket)
  })
  socket.addEventListener('message', (event) => {
    const { data } = event
    quiet.heard()
    const arrival = typeof data === 'string' ? readArrival(data) : null
    if (arrival) queue.push(arrival)
    wake()
  })
  socket.addEventListener('error', close)
  socket.addEventListener('close', (event) => {
    code = event.code
    close()
  })
  if (ended.aborted) stop()
  else ended.addEventListener('abort', stop, { once: true })
  async function* events(): AsyncGenerator<Arrival, void, undefined> {
    try {
      while (!ended.aborted) {
        yield* queue.splice(0)
        if (isClosed && queue.length === 0) return
        if (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      socket.close()
    }
  }
  return { events: events(), wasOpen: () => wasOpen, isOver: () => code === SESSION_DELETED }
}

/** The code by which the server closes the sockets of a session that was deleted. */
const SESSION_DELETED = 1_000

function readArrival(text: string): Arrival | null {
  const frame = parseJson(text)
  const problem = memberOf(frame, 'problem')
  if (memberOf(frame, 'type') === 'problem') {
    const status = Number(memberOf(problem, 'status')) || 0
    return { id: undefined, event: { type: 'problem', problem: new ApiProblem(status, readProblem(problem)) } }
  }
  const id = memberOf(frame, 'event_id')
  return typeof id === 'string' ? { id, event: frame as StreamEvent } : null
}

/** Asks a silent connection for a sign, and gives it up where none comes. */
function heartbeat(socket: Socket): { heard: () => void; stop: () => void } {
  let last = Date.now()
  const timer = setInterval(() => {
    if (Date.now() - last > CLIENT_LIMITS.silenceMsMax) socket.close()
    else if (socket.readyState === OPEN) socket.send('ping')
  }, CLIENT_LIMITS.pingMs)
  return { heard: () => (last = Date.now()), stop: () => clearInterval(timer) }
}
