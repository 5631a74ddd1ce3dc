import type { Alarm, Now, Random } from '../domain/ports.ts'
import type { SessionStarts } from '../domain/start.ts'
import type { Database } from '../store/database.ts'

/** What triggers need of the world. */
export interface TriggerPorts {
  db: Database
  now: Now
  random: Random
  alarm: Alarm
  sessions: (tenant: string) => SessionStarts
  /** The tag of the language that texts are in where a trigger's config names none. */
  language: string
  /** The time zone of crons that name none. */
  timezone: string
  report: (error: unknown) => void
}
