import { Agent, request as httpRequest } from 'node:http'
import { WITH_KEY } from '../../support/admin-key.ts'

/** As many as ask at once keep a connection each. */
const agent = new Agent({ keepAlive: true })

export interface Asked {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  accept?: string
  headers?: Record<string, string>
}

export interface Answered {
  text: string
  /** From the request's start to the end of the body, and to the first text that matches `mark`; NaN: that was not measured. */
  wallMs: number
  markMs: number
}

/** One request on a kept connection, with the admin key of tests. Rejects when the status is not 2xx, or `mark` never came. `first`: when `mark` came is
 *  measured; without, it is looked for at the end, so that no answer costs its client more for the number of its pieces. */
export function ask(
  url: string,
  { method = 'POST', body, accept = 'application/json', headers: more = {} }: Asked,
  mark: RegExp | null = null,
  { first = false }: { first?: boolean } = {},
): Promise<Answered> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept, ...WITH_KEY, ...more }
    const sent = httpRequest(url, { method, agent, headers }, (response) => {
      let text = ''
      let markMs = NaN
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (first && Number.isNaN(markMs) && mark?.test(text)) markMs = performance.now() - started
      })
      response.on('error', reject)
      response.on('end', () => {
        const wallMs = performance.now() - started
        const status = response.statusCode ?? 0
        if (status >= 300) reject(new Error(`${method} ${url}: ${status} ${text.slice(0, 300)}`))
        else if (mark && !mark.test(text)) reject(new Error(`${url}: no ${mark} in ${text.slice(0, 300)}`))
        else resolve({ text, wallMs, markMs })
      })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
