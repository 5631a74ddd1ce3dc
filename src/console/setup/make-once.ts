import { ApiProblem } from '../../client/client.ts'
import { randomKey } from '../../lib/random-key.ts'
import { SECRET_MASK } from '../../lib/text.ts'
import { client } from '../api.ts'

type Entry = Record<string, unknown>

/** What was sent and has no answer, by its path. The same is sent again under the same key, and makes nothing more. */
const unanswered = new Map<string, { text: string; key: string }>()

/** Makes an entry, with the secret that is shown once: also where the answer that had it was lost, and it is saved again. */
export async function makeOnce(path: string, body: Entry): Promise<Entry> {
  const made = await sent(path, body)
  const entry = lacksSecret(path, body, made) ? await withAnother(path, body, made) : made
  unanswered.delete(path)
  return entry
}

/** An entry is gone: what is sent as it was is another one. */
export function forgetSent(path: string): void {
  unanswered.delete(path)
}

function sent(path: string, body: Entry): Promise<Entry> {
  const text = JSON.stringify(body)
  const before = unanswered.get(path)
  const key = before?.text === text ? before.key : randomKey()
  unanswered.set(path, { text, key })
  return client.value.json<Entry>({ method: 'POST', path, body, headers: { 'idempotency-key': key } })
}

const KEYS = '/v1/keys'
const ROTATED = ['/v1/webhooks', '/v1/callbacks']

/** Whether a secret was made that no answer will tell again. */
function lacksSecret(path: string, body: Entry, made: Entry): boolean {
  if (path === KEYS) return typeof made['key'] !== 'string'
  return ROTATED.includes(path) && body['secret'] === undefined && made['secret'] === SECRET_MASK
}

/** Nobody has the secret that was lost. A key is another one then, anything else gets another secret. */
async function withAnother(path: string, body: Entry, { id }: Entry): Promise<Entry> {
  const one = `${path}/${encodeURIComponent(String(id))}`
  if (path !== KEYS) return client.value.json<Entry>({ method: 'POST', path: `${one}/rotate`, body: {} })
  await client.value.send({ method: 'DELETE', path: one }).catch(unlessGone)
  unanswered.delete(path)
  return sent(path, body)
}

/** What is to be deleted may be gone already. */
export function unlessGone(error: unknown): void {
  if (!(error instanceof ApiProblem && error.status === 404)) throw error
}
