import { answerRequest, type CallerTools, callsOf, isStale, madeResult } from '../caller-tools.ts'
import type { Client } from '../client.ts'
import type { SessionSnapshot } from './session.ts'

/** Calls that are being made or were, by the client whose sessions they are of. */
const taken = new WeakMap<Client, Set<string>>()
/** Of so many it is known that they were made; of those before the session does not wait any more. */
const TAKEN_MAX = 1_000

/** Makes the calls of these tools that a session waits for, and gives it their results: each once, however many look at the session. Rejects where a
 *  result could not be given; it is tried again by the next call of this. */
export async function makeCalls(client: Client, session: SessionSnapshot, tools: CallerTools): Promise<void> {
  const known = taken.get(client) ?? new Set<string>()
  taken.set(client, known)
  const { id } = session
  if (id === null) return
  const calls = callsOf(session.pending, tools).filter((item) => !known.has(item.id))
  for (const item of calls) known.add(item.id)
  for (const old of known) if (known.size > TAKEN_MAX) known.delete(old)
  await Promise.all(
    calls.map(async (item) => {
      const request = answerRequest({ session: id }, item, await madeResult(item, { session: id, tools }))
      try {
        await client.json({ ...request, headers: { ...request.headers, prefer: 'respond-async' } })
      } catch (error) {
        if (isStale(error)) return
        known.delete(item.id)
        throw error
      }
    }),
  )
}
