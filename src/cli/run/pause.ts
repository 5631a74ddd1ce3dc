import { setTimeout as wait } from 'node:timers/promises'
import type { Sleep } from '../../domain/ports.ts'

/** `sleep` of this process. */
export const pause: Sleep = async (ms, signal) => {
  await wait(ms, undefined, signal === undefined ? {} : { signal })
}
