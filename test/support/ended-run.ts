import type { EndedRun } from '../../src/domain/memory.ts'

/** A run that ended well, one of many. */
export function endedRun(number: number, given: Partial<EndedRun> = {}): EndedRun {
  return {
    runId: `run_${number}`,
    sessionId: `ses_${number}`,
    task: `task ${number}`,
    result: `result ${number}`,
    status: 'completed',
    time: Date.UTC(2026, 0, 1) + number * 60_000,
    untrusted: false,
    ...given,
  }
}
