import { MAIN, newScope, type RunState, type ScopeState, type SessionState } from '../domain/state.ts'
import { LIMITS } from '../domain/limits.ts'
import { NO_USAGE } from '../domain/usage.ts'

export function newState(now: number): SessionState {
  return {
    lastSeq: 0,
    updatedTime: now,
    status: 'idle',
    finishReason: null,
    lastUserSeq: 0,
    taskSeq: 0,
    promptSeq: 0,
    window: { tokens: 0, coveredSeq: 0, summarySeq: 0 },
    pending: [],
    queue: [],
    usage: { ...NO_USAGE },
    hasCutResult: false,
    run: null,
  }
}

/** The state of one line of work; an untouched one when nothing happened in it yet. */
export function scopeOf(run: RunState, scope: string | null): ScopeState {
  return run.scopes[scope ?? MAIN] ?? newScope()
}

/** True while moves are made or, after a crash, are to be made: the run neither rests nor is over. */
export function isActive(state: SessionState): boolean {
  return state.run?.phase === 'active'
}

/** True when the oldest queued message may start its run: nothing goes on before it, and nothing waits for a human. */
export function mayDequeue({ queue, run, status, pending }: SessionState): boolean {
  return queue.length > 0 && run?.phase !== 'active' && status !== 'interrupted' && pending.length === 0
}

/** False for a state that no log of ours has: one that grows with its log. */
export function isBounded({ queue, pending, run }: SessionState): boolean {
  const { queuedMessagesMax, scopesMax } = LIMITS.run
  const scopes = Object.keys(run?.scopes ?? {}).length
  return (
    queue.length <= queuedMessagesMax &&
    pending.length <= LIMITS.model.callsPerReplyMax * scopesMax &&
    scopes <= scopesMax
  )
}
