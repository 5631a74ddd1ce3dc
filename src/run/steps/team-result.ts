import { teamIn } from '../../domain/lineage.ts'
import { USER } from '../../domain/team.ts'
import { messagesAt } from './team-news.ts'
import type { MoveContext } from '../job.ts'

/** What a team has to show: what its roles said in this run, or at this sub-task (`owner`), that nobody heard, and what is not acted upon yet; null: nothing. */
export function teamResult({ journal }: MoveContext, owner: string | null): string | null {
  const team = teamIn(journal.state, owner)
  if (!team) return null
  const news = team.roles.flatMap(({ news: waiting, heard }) => [...heard, ...waiting])
  const seqs = [...new Set([...team.unheard, ...news])].toSorted((a, b) => a - b)
  const messages = messagesAt(journal, seqs).filter(({ sent_from: from }) => from !== USER)
  return messages.length === 0 ? null : messages.map(({ content }) => content).join('\n\n')
}
