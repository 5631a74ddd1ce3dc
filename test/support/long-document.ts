/** An exported session of so many messages, the newest ten of which are sent as they are and the rest as a summary. */
export function longDocument(messages: number, config: object): unknown {
  const time = '2026-01-01T00:00:00.000Z'
  const place = (seq: number) => ({ seq, run_id: null, scope: null, time })
  const message = (seq: number, role: string, kind: string, content: string) => ({
    ...place(seq),
    type: 'message',
    message: { role, kind, content, id: `msg_${seq}`, seq, created_time: time, scope: null },
  })
  const said = (seq: number) =>
    seq % 2 === 1
      ? message(seq, 'user', 'task', `Question ${seq}: what does lighthouse ${seq} look like from the sea at night?`)
      : message(
          seq,
          'assistant',
          'reply',
          `Answer ${seq}: white, with a red lantern, about ${seq} metres high, on a rock.`,
        )
  const covered = messages - KEPT
  const events = Array.from({ length: messages }, (_, index) => said(index + 1))
  const summary = {
    ...message(messages + 1, 'system', 'summary', SUMMARY),
    covers: { seq: covered, kept_tokens: KEPT * 30 },
  }
  return { session: { config }, events: covered > 0 ? [...events, summary] : events }
}

const KEPT = 10
const SUMMARY =
  'A summary of the conversation so far; the original is left out:\n\nLighthouses, many of them, were described.'
