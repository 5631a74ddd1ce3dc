import { LIMITS } from '../domain/limits.ts'

/** Whether the newest turns are the same turn, or the same cycle of turns, gone through `timesMax` times without a break.
 *  `trail`: a fingerprint of each turn's calls and results, oldest first. `timesMax` 0: never. */
export function isLoop(trail: readonly string[], timesMax: number): boolean {
  if (timesMax === 0) return false
  for (let period = 1; period <= LIMITS.run.cycleTurnsMax; period++) {
    const length = period * timesMax
    if (length <= trail.length && isPeriodic(trail.slice(-length), period)) return true
  }
  return false
}

function isPeriodic(turns: readonly string[], period: number): boolean {
  return turns.every((turn, index) => index < period || turn === turns[index - period])
}
