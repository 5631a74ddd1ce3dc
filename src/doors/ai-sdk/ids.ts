import { isId } from '../../lib/id.ts'

/** Ids of the messages of the agent. Each holds the run that it is of and the event that it begins with, so that nothing is looked up. */
export interface ReplyPlace {
  run: string
  seq: number
}

export function replyId({ run, seq }: ReplyPlace): string {
  return `msg_${run.slice('run_'.length)}_${seq.toString(36)}`
}

/** Null: no message of the agent has such an id. */
export function readReplyId(id: string): ReplyPlace | null {
  const [, run = '', seq = ''] = /^msg_([0-9a-z]+)_([0-9a-z]{1,10})$/.exec(id) ?? []
  const place = { run: `run_${run}`, seq: Number.parseInt(seq, 36) }
  return isId('run', place.run) ? place : null
}
