import {
  branchesOf,
  MAIN,
  newBranch,
  type OpenCall,
  type RunState,
  type BranchState,
  type SessionState,
} from '../domain/state.ts'
import { LIMITS } from '../domain/limits.ts'

/** The state of one branch; an untouched one when nothing happened in it yet. */
export function branchOf(run: RunState, scope: string | null): BranchState {
  return run.scopes[scope ?? MAIN] ?? newBranch()
}

/** Where the task and the newest prompt of a branch are in the log; 0: there is none. */
export function seqsOf(state: SessionState, scope: string | null): Pick<SessionState, 'taskSeq' | 'promptSeq'> {
  return scope === null || state.run === null ? state : branchOf(state.run, scope)
}

/** Why a branch could not go on, as it says itself, or else a part of it: its model failed, or was not to be called. */
export function causeIn(run: RunState, scope: string, code: string | null): Pick<BranchState, 'failure' | 'refused'> {
  const [own = newBranch(), ...parts] = branchesOf(run, scope).map((line) => branchOf(run, line))
  if (own.failure || own.refused) return own
  return parts.find(({ failure, refused }) => (failure ?? refused)?.code === code) ?? own
}

/** The branch that an open call belongs to. */
export function branchOfCall({ scopes }: RunState, { id }: OpenCall): string | null {
  const found = Object.entries(scopes).find(([, { calls }]) => calls.some((call) => call.id === id))
  return found?.[0] || null
}

/** True while moves are made or, after a crash, are to be made: the run neither rests nor is over. */
export function isActive(state: SessionState): boolean {
  return state.run?.phase === 'active'
}

/** Whether a run is still to rest: it is driven, or waits in the queue. */
export function isOpen({ run, queue }: SessionState, runId: string | null): boolean {
  return run?.id === runId ? run?.phase === 'active' : queue.some((queued) => queued.runId === runId)
}

/** True when the oldest queued message may start its run: nothing goes on before it, and nothing waits for a human. */
export function mayDequeue({ queue, run, status, pending }: SessionState): boolean {
  return queue.length > 0 && run?.phase !== 'active' && status !== 'interrupted' && pending.length === 0
}

/** False for a state that no log of ours has: one that grows with its log. */
export function isBounded({ queue, pending, run }: SessionState): boolean {
  const { queuedMessagesMax, scopesMax } = LIMITS.run
  const { callsPerReplyMax } = LIMITS.model
  const scopes = Object.values(run?.scopes ?? {})
  return (
    queue.length <= queuedMessagesMax &&
    pending.length <= callsPerReplyMax * scopesMax &&
    scopes.length <= scopesMax &&
    scopes.every(({ calls }) => calls.length <= callsPerReplyMax) &&
    (run?.charged.costs.length ?? 0) <= LIMITS.usage.currenciesMax
  )
}
