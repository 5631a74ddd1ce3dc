import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What somebody was told. */
export interface Post {
  headers: IncomingHttpHeaders
  body: string
}

/** Somebody who is told, on loopback. */
export async function startListener() {
  const posts: Post[] = []
  let heard: () => void = () => {}
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      posts.push({ headers: request.headers, body })
      response.end()
      heard()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const next = async (count: number) => {
    while (posts.length < count) await new Promise<void>((resolve) => (heard = resolve))
    return posts[count - 1]
  }
  return { url: `http://${host}/told`, host, posts, next, close: () => server.close() }
}
