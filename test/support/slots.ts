import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** Lets so many processes do their work at a time. One that wants to connects, is told a byte when it may, and ends to make room. */
export async function startSlots(count: number): Promise<{ port: number; close(): void }> {
  const waiting: Socket[] = []
  let free = count
  const give = () => {
    for (; free > 0 && waiting.length > 0; free--) waiting.shift()?.once('close', taken).write('.')
  }
  const taken = () => {
    free++
    give()
  }
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy()).resume()
    waiting.push(socket)
    give()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, close: () => server.close() }
}
