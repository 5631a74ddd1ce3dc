import type { Journal } from '../../log/journal.ts'
import type { ThreadTurn } from '../call.ts'
import { eventsBehind } from '../../log/read-pages.ts'

/** What the user said in a thread, oldest first: the task of each run, what came while it went on or waited, and what was given; and what was given of
 *  the agent. */
export function threadTurnsOf(journal: Journal): ThreadTurn[] {
  const turns: ThreadTurn[] = []
  let begun: { seq: number; kept: ThreadTurn['kept'] } | null = null
  for (const event of eventsBehind(journal, 0, ['run-start', 'message'])) {
    const { run_id: run, seq } = event
    if (event.type === 'run-start') begun = { seq, kept: event.door ?? {} }
    if (event.type !== 'message' || event.scope !== null) continue
    const { role, kind, given = false, client_id: clientId = null } = event.message
    const task = kind === 'task' && !given ? begun : null
    const turn = { cutSeq: (task?.seq ?? seq) - 1, run, clientId, kept: task?.kept ?? {} }
    if (role === 'user' && (given || FROM_USER.includes(kind))) turns.push({ ...turn, role })
    else if (role === 'assistant' && given) turns.push({ ...turn, role })
  }
  return turns
}

const FROM_USER: readonly string[] = ['task', 'steer', 'answer', 'approval']
