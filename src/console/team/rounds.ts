import { isDelta, type StreamEvent } from '../../client/client.ts'
import type { TeamMessage } from '../../domain/team.ts'

/** A message of the bus and who has it as news. */
export interface Said {
  message: TeamMessage
  heardBy: string[]
}

/** A round: who acts in it, and what was said. Round 0 is what came from outside before the first. */
export interface Round {
  key: number
  round: number
  roles: string[]
  said: Said[]
  isOpen: boolean
}

/** The events of a session as the rounds of its team. What was said between two rounds belongs to the one before. */
export function roundsOf(events: Iterable<StreamEvent>): Round[] {
  const rounds: Round[] = []
  for (const event of events) {
    if (isDelta(event)) continue
    const last = rounds.at(-1)
    if (event.type === 'round-start')
      rounds.push({ key: event.seq, round: event.round, roles: event.roles, said: [], isOpen: true })
    else if (event.type === 'round-end' && last) last.isOpen = false
    else if (event.type === 'team-message') {
      const said = { message: event.message, heardBy: event.heard_by }
      if (last) last.said.push(said)
      else rounds.push({ key: event.seq, round: 0, roles: [], said: [said], isOpen: false })
    }
  }
  return rounds
}
