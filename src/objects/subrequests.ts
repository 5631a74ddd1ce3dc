import { AsyncLocalStorage } from 'node:async_hooks'
import type { Fetch } from '../domain/ports.ts'
import { LIMITS } from '../domain/limits.ts'
import type { ServerConfig } from '../domain/server-config.ts'

/** Requests that an invocation has made, and how many it may make before it starts nothing new. */
interface Invocation {
  made: number
  max: number
}

/** The invocation that whatever runs belongs to: the platform counts so, and ends one that makes too many. */
const CURRENT = new AsyncLocalStorage<Invocation>()

/** A request goes out: to a service, a page or an object. */
export function countSubrequest(): void {
  const invocation = CURRENT.getStore()
  if (invocation) invocation.made += 1
}

export function countedFetch(fetch: Fetch): Fetch {
  return (url, init) => {
    countSubrequest()
    return fetch(url, init)
  }
}

/** Do `work` as one invocation. `isSpent`: it is to start nothing new. */
export function asInvocation<T>(max: number, work: (isSpent: () => boolean) => T): T {
  const invocation: Invocation = { made: 0, max }
  return CURRENT.run(invocation, () => work(() => invocation.made >= invocation.max))
}

/** How many an invocation may make before it starts nothing new: the rest is for what is under way. A machine of one's own has no bound. */
export function subrequestsMax(config: ServerConfig, isLocal: boolean): number {
  const { subrequestsMax: usual, subrequestsShare: share } = LIMITS.run
  const bound = config.subrequests_max ?? (isLocal ? Infinity : usual)
  return bound * share
}
