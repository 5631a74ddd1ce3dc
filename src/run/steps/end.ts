import { tooManyFailuresText } from '../../agent/texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelFailure } from '../../domain/model.ts'
import { MAIN, type RunState } from '../../domain/state.ts'
import { closingEvents } from '../../engine/closing.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { outcomeOf } from '../../engine/orchestrator-of.ts'
import { languageFor } from '../../engine/settings.ts'
import { explained, failureText } from '../../engine/failures/failure-text.ts'
import type { MoveOf } from '../../engine/move.ts'
import { warning } from './rejected-call.ts'

/** The run rests: `wait` for a human or for its caller, `rest` at the bound of the request. */
export function pauseEvents(journal: MoveContext['journal'], why: 'wait' | 'rest'): NewEvent[] {
  const { run, pending } = journal.state
  if (!run) return []
  if (why === 'rest') return [{ type: 'run-pause', status: 'in_progress', finish_reason: null, usage: run.usage }]
  const asksMore = pending.some((item) => item.type !== 'question')
  return [
    {
      type: 'run-pause',
      status: 'interrupted',
      finish_reason: asksMore ? 'interrupted' : 'waiting_feedback',
      usage: run.usage,
    },
  ]
}

/** Why the model of the run failed, or that of a part of it, where that ended the run. */
function failureIn(run: RunState, code: string | null): ModelFailure | null {
  const failures = Object.values(run.scopes).map(({ failure }) => failure)
  return run.failure ?? failures.find((failure) => failure?.code === code) ?? null
}

/** Why a call of a part of it could not be made, where that ended the run. */
function refusalIn({ scopes }: RunState, code: string | null): string | undefined {
  return Object.values(scopes).find(({ refused }) => refused?.code === code)?.refused?.detail
}

/** Whether calls are among the faults in a row that ended the run. */
function hasBadCalls(run: RunState | null): boolean {
  return run?.scopes[MAIN]?.hasBadCalls === true
}

/** The run is over; with a reason when it failed, and with what there is of a result. */
export function endEvents(move: MoveOf<'end'>, { journal, engine }: MoveContext, detail?: string): NewEvent[] {
  const { run, record } = { run: journal.state.run, record: journal.record }
  const { status, finishReason } = move
  const language = languageFor(engine, record)
  const failure = run && failureIn(run, move.code)
  const { result, violations, endedBy, hint } = outcomeOf({ journal, engine }, null, move.code)
  const error =
    move.code === null
      ? null
      : explained(language, {
          code: move.code,
          ...(failure?.status ? { status: failure.status } : {}),
          ...(failure?.retryAfterMs ? { retry_after_ms: failure.retryAfterMs } : {}),
          ...(hint === undefined ? {} : { hint }),
          detail:
            detail ??
            failure?.detail ??
            violations ??
            (run && refusalIn(run, move.code)) ??
            failureText(language, move.code),
        })
  const stuck =
    move.code === 'stuck' ? [journal.messageEvent(warning(tooManyFailuresText(language, hasBadCalls(run)), null))] : []
  const known: NewEvent[] = error && !failure ? [{ type: 'error', code: error.code, detail: error.detail }] : []
  return [
    ...stuck,
    ...known,
    ...closingEvents(journal, engine, {
      status,
      finishReason,
      result,
      error,
      endedBy: status === 'completed' ? endedBy : null,
      ...(move.loop ? { loop: move.loop } : {}),
    }),
  ]
}
