import { ApiProblem } from '../../client/client.ts'
import type { Fetch } from '../../domain/ports.ts'
import { jsonObject } from '../../lib/json.ts'
import { excerpt } from '../view/text.ts'

/** The id that every yaa gives a request. A proxy on the way may leave it out, or write its own. */
const REQUEST_ID = /^req_[0-9a-z]{26}$/
const PROBE_TIMEOUT_MS = 5_000
const START_CHARS = 60

/** A fetch for the server at an address that somebody named: a good answer of what is no yaa is refused, with what came in the words of the problem. */
export function fetchOfYaa(server: string): Fetch {
  let isKnown = false
  return async (url, init) => {
    const response = await fetch(url, init)
    isKnown ||= REQUEST_ID.test(response.headers.get('x-request-id') ?? '')
    if (isKnown || !response.ok) return response
    isKnown = await isHealthyYaa(server)
    if (isKnown) return response
    throw new ApiProblem(response.status, { ...UNKNOWN, detail: await cameIn(response) })
  }
}

const UNKNOWN = { title: '', code: 'unknown', request_id: null, errors: [] }

async function isHealthyYaa(server: string): Promise<boolean> {
  try {
    const response = await fetch(`${server}/healthz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    const told = jsonObject(await response.text())
    return response.ok && typeof told?.['version'] === 'string' && 'default_model' in told
  } catch {
    return false
  }
}

/** The type and the start of an answer, of which no more is read than comes first. */
async function cameIn(response: Response): Promise<string> {
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const reader = response.body?.getReader()
  const first = await reader?.read().catch(() => undefined)
  await reader?.cancel().catch(() => undefined)
  const start = excerpt(new TextDecoder().decode(first?.value), START_CHARS)
  return [type, start].filter((part) => part !== '').join(': ')
}
