import type { SessionEvent } from '../../domain/event.ts'
import { errorSentences } from '../../domain/run.ts'
import type { Usage } from '../../domain/usage.ts'

export type RestEvent = Extract<SessionEvent, { type: 'run-end' | 'run-pause' }>

/** How a run rests, in the words of the AI SDK and in ours. */
export interface UiRest {
  run: string | null
  status: RestEvent['status']
  reason: RestEvent['finish_reason']
  usage: Usage
  finishReason: 'stop' | 'length' | 'tool-calls' | 'other'
  /** Why there is no answer; null: there is one, or something waits. */
  error: { code: string; text: string } | null
}

/** `asksOnly`: what waits are questions, which are words of the message. */
export function restOf(event: RestEvent, { isCut, asksOnly }: { isCut: boolean; asksOnly: boolean }): UiRest {
  const { run_id: run, status, finish_reason: reason, usage } = event
  const rest = { run, status, reason, usage, error: null }
  if (status === 'interrupted') return { ...rest, finishReason: asksOnly ? 'stop' : 'tool-calls' }
  if (status === 'completed') return { ...rest, finishReason: isCut ? 'length' : 'stop' }
  if (status === 'cancelled' || event.type === 'run-pause') return { ...rest, finishReason: 'other' }
  const { error, result } = event
  const isBounded = error === null || error.code === reason
  if (isBounded && result !== null && result !== '') return { ...rest, finishReason: 'length' }
  const code = error?.code ?? reason ?? status
  return { ...rest, finishReason: 'other', error: { code, text: error ? errorSentences(error) : code } }
}
