import { abortable } from './abortable.ts'
import { timeLimit } from './time-limit.ts'

/** The work's outcome; rejects with a TimeoutError when it takes longer than `ms`. The work itself is not stopped. */
export async function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const limit = timeLimit(ms)
  try {
    return await abortable(work, limit.signal)
  } finally {
    limit.end()
  }
}
