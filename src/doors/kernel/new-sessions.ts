import type { Context } from 'hono'
import { newSessionId } from '../../access/marks.ts'
import type { AppEnv } from '../../http/context.ts'
import { serviceOf } from '../../http/caller.ts'
import { type ThreadOwner, threadSession } from './thread.ts'

/** Sessions that the same request begins, one after the other: it joins the newest while that runs. In an isolate the newest is known;
 *  elsewhere it is looked for among so many. */
const TRIES = 4
const REMEMBERED_MAX = 500
const newest = new Map<string, number>()

/** The sessions in which a request may begin a thread, the likeliest first. `hash`: of all that it asks, and of who asks. */
export async function* newSessions(
  c: Context<AppEnv>,
  owner: ThreadOwner,
  hash: string,
): AsyncGenerator<string, void, void> {
  const key = `${c.get('principal').tenant}\n${owner.door}\n${hash}`
  const first = newest.get(key) ?? 0
  for (let n = first; n < first + TRIES; n++) {
    newest.delete(key)
    newest.set(key, n)
    if (newest.size > REMEMBERED_MAX) newest.delete([...newest.keys()][0] ?? '')
    yield threadSession(c, owner, `request\n${hash}\n${n}`)
  }
  const service = serviceOf(c)
  const within = service.place?.jurisdiction
  yield newSessionId(await service.secret(), c.get('principal').tenant, { now: service.now(), within })
}
