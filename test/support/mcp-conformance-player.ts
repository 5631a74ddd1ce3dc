import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { playScenario, type Scenario } from './mcp-conformance-client.ts'

/** So many scenarios are played at a time. */
const PLAYED_MAX = 3

/** Plays the scenarios that callers of the conformance suite name, and tells each how it went. */
export async function startPlayer(): Promise<{ port: number; close(): void }> {
  const waiting: Socket[] = []
  let free = PLAYED_MAX
  const next = () => {
    for (; free > 0 && waiting.length > 0; free--) void play(waiting.shift()).finally(freed)
  }
  const freed = () => {
    free++
    next()
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    waiting.push(socket)
    next()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

async function play(caller: Socket | undefined): Promise<void> {
  if (caller === undefined) return
  const lines: string[] = []
  const failed = await text(caller)
    .then((told) => playScenario(JSON.parse(told) as Scenario, (line) => lines.push(line)))
    .then(
      () => false,
      (error: unknown) => lines.push(error instanceof Error ? (error.stack ?? error.message) : String(error)) > 0,
    )
  caller.end(JSON.stringify({ failed, said: lines.join('\n') }))
}
