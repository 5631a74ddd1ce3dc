import { type CallerTools, callsOf, giveResult, isStale, madeResult } from '../caller-tools.ts'
import { sleep } from '../../lib/wait.ts'
import type { CallAnswer } from '../../domain/session-input.ts'
import type { Client } from '../client.ts'
import type { SessionSnapshot } from './session.ts'

/** A call that was made, or is being made. */
interface Taken {
  said: Promise<CallAnswer>
  /** Its result is on its way, or was given. */
  isGiven: boolean
}

/** Calls by the ids of their items, of each client whose sessions they are of. */
const taken = new WeakMap<Client, Map<string, Taken>>()
/** Of so many it is known that they were made; of those before the session does not wait any more. */
const TAKEN_MAX = 1_000

/** Makes the calls of these tools that a session waits for, and gives it their results: each once, however many look at the session. Rejects where a
 *  result could not be given; the next call of this gives it again. */
export async function makeCalls(client: Client, session: SessionSnapshot, tools: CallerTools): Promise<void> {
  const known = taken.get(client) ?? new Map<string, Taken>()
  taken.set(client, known)
  const { id } = session
  if (id === null) return
  const calls = callsOf(session.pending, tools).filter((item) => known.get(item.id)?.isGiven !== true)
  await Promise.all(
    calls.map(async (item) => {
      const call = known.get(item.id) ?? { said: madeResult(item, { session: id, tools }), isGiven: true }
      call.isGiven = true
      known.set(item.id, call)
      const [oldest] = known.keys()
      if (known.size > TAKEN_MAX && oldest !== undefined) known.delete(oldest)
      try {
        await giveResult(item, await call.said, { session: id, background: true }, { json: client.json, sleep })
      } catch (error) {
        if (isStale(error)) return
        call.isGiven = false
        throw error
      }
    }),
  )
}
