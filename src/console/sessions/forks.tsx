import type { SessionData, SessionSummary } from '../../domain/session.ts'
import { client, sendOnce } from '../api.ts'
import { texts } from '../language.ts'
import { Icon } from '../ui/marks.tsx'

/** In `metadata` of a session: the one that it was forked from. */
export const FORKED_FROM = 'forked_from'
/** The same: how a message was said anew in it. */
const FORK_WORDS = 'fork_words'
const FORK_WORDS_MAX = 120

/** The id of a copy of a session, up to `seq` where there is one. `words`: what is said there instead, by which it is told from others. */
export async function forked(from: string, seq?: number, words = ''): Promise<string> {
  const { json, sessions } = client.value
  const path = `/v1/sessions/${encodeURIComponent(from)}/fork`
  const body = seq === undefined ? {} : { at_seq: seq }
  const { id, metadata } = await sendOnce((key) =>
    json<SessionData>({ method: 'POST', path, body, headers: { 'idempotency-key': key } }),
  )
  const said = words.trim().slice(0, FORK_WORDS_MAX)
  const fields = { metadata: { ...metadata, [FORKED_FROM]: from, [FORK_WORDS]: said || null } }
  await sendOnce(() => sessions.patch(id, fields))
  return id
}

/** Of a fork, which has the title of where it comes from: what is said in it instead. */
export function ForkLine({ session: { metadata } }: { session: SessionSummary }) {
  if (typeof metadata[FORKED_FROM] !== 'string') return null
  const { [FORK_WORDS]: words } = metadata
  return (
    <span class="entry-fork">
      <Icon name="fork" /> {typeof words === 'string' ? words : texts().chat.forkAll}
    </span>
  )
}
