import { createServer } from 'node:http'
import { onLoopback, type OnLoopback } from './on-loopback.ts'

/** The key lists of issuers of tokens on loopback: `PUT /NAME` sets one, `GET /NAME` gives it; `/NAME/…` is the same list. */
export async function startIssuers(): Promise<OnLoopback> {
  const lists = new Map<string, string>()
  const server = createServer((request, response) => {
    const name = request.url?.split('/')[1] ?? ''
    if (request.method !== 'PUT') return void response.writeHead(lists.has(name) ? 200 : 404).end(lists.get(name))
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      lists.set(name, text)
      response.end('{}')
    })
  })
  return onLoopback(server)
}
