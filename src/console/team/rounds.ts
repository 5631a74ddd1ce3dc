import type { Item, TeamItem } from '../timeline/item.ts'
import { isOfOwnTeam } from '../timeline/timeline.ts'

/** A round: who acts in it, and what was said. RoundItems 0 is what came from outside before the first. */
export interface RoundItems {
  key: string
  round: number
  roles: string[]
  said: TeamItem[]
}

/** What one sees of a session as the rounds of its own team. What was said between two rounds belongs to the one before. */
export function roundsOf(items: readonly Item[]): RoundItems[] {
  const rounds: RoundItems[] = []
  for (const item of items) {
    const last = rounds.at(-1)
    if (item.kind === 'note' && item.note.type === 'round' && item.scope === null)
      rounds.push({ key: item.key, round: item.note.round, roles: item.note.roles, said: [] })
    else if (item.kind === 'team' && isOfOwnTeam(item)) {
      if (last) last.said.push(item)
      else rounds.push({ key: item.key, round: 0, roles: [], said: [item] })
    }
  }
  return rounds
}
