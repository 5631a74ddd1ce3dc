import type { FinishReason } from '../domain/run.ts'
import type { BranchState } from '../domain/state.ts'
import type { MoveOf } from '../engine/move.ts'

export type End = MoveOf<'end'>

export function failed(finishReason: FinishReason, code: string = finishReason): End {
  return { type: 'end', status: 'failed', finishReason, code }
}

/** Why a branch beside the run's own cannot go on: its model failed, or a call of it was not to be made. */
export function failureOf({ failure, refused }: Pick<BranchState, 'failure' | 'refused'>): End | null {
  if (failure) return failed('failed', failure.code)
  if (!refused) return null
  const { code } = refused
  return failed(code === 'no_money' || code === 'budget_exhausted' ? code : 'failed', code)
}
