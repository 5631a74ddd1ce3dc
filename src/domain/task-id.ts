import { idParts, isId } from '../lib/id.ts'
import type { Status } from './run.ts'

/** Ids of tasks, as clients of A2A are given them: a run of a session, with a mark of the key or token that it was given to. */
export interface TaskPlace {
  session: string
  run: string
  owner: string
}

const FORM = /^task_([0-9a-z]{8})([0-9a-z]{26})_(.+)$/

export function taskIdOf({ session, run, owner }: TaskPlace): string {
  return `task_${owner}${without('run', run)}_${without('ses', session)}`
}

/** Null: no task has such an id. */
export function readTaskId(id: string): TaskPlace | null {
  const [, owner = '', run = '', session = ''] = FORM.exec(id) ?? []
  const place = { session: `ses_${session}`, run: `run_${run}`, owner }
  return isId('ses', place.session) && isId('run', place.run) ? place : null
}

function without(prefix: string, id: string): string {
  const { body, mark, ending } = idParts(id)
  return `${body}${mark}${ending}`.slice(prefix.length + 1)
}

/** How a task stands, as the list of its tenant has it. `owner`: the key or token that it was given to. `time`: RFC 3339. */
export interface ReportedTask {
  owner: string
  run: string
  /** The id that its client gave to the context, else that of the session. */
  context: string
  status: Status
  time: string
}
export type ListedTask = Omit<ReportedTask, 'owner'> & { session: string }

/** Null: whichever. `context`: as it was reported, or the session. `before`: the last one that is known. */
export interface TaskQuery {
  owner: string
  context: string | null
  statuses: readonly Status[] | null
  since: string | null
  before: { time: string; run: string } | null
  limit: number
}
