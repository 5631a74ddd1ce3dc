import { LIMITS } from '../domain/limits.ts'
import type { TenantRules } from '../service/ports.ts'
import { directoryObject, type Env } from './env.ts'
import { report } from './report.ts'

type Signs = Pick<TenantRules, 'claimRunning' | 'release' | 'keepAnswer'>

/** What ends the signs of the calls of this isolate that hold a key, by tenant and key. */
const signing = new Map<string, () => Promise<void>>()

/** The keys of calls whose answers the tenant keeps. Who holds one says now and then that its call goes on: the tenant's object rests meanwhile, and
 *  knows of no call any more when it wakes. */
export function runningCalls(env: Env, tenant: string): Signs {
  const home = directoryObject(env, tenant)
  const nameOf = (key: string) => `${tenant}\n${key}`
  const ended = async (key: string) => {
    await signing.get(nameOf(key))?.()
    signing.delete(nameOf(key))
  }
  return {
    claimRunning: async (wanted) => {
      const claimed = await home.claimRunning(wanted)
      const begins = claimed?.outcome === 'first' || (claimed?.outcome === 'again' && claimed.answer === null)
      if (begins)
        signing.set(
          nameOf(wanted.key),
          signs(() => directoryObject(env, tenant).renewRunning(wanted.key)),
        )
      return claimed
    },
    release: async (key) => {
      await ended(key)
      await home.release(key)
    },
    keepAnswer: async (key, answer) => {
      await ended(key)
      await home.keepAnswer(key, answer)
    },
  }
}

/** Gives what ends them, once none is under way. They end with their request, too. */
function signs(renew: () => Promise<void>): () => Promise<void> {
  let renewed: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    renewed = renew().catch(report)
  }, LIMITS.idempotency.runningSignMs)
  return () => {
    clearInterval(timer)
    return renewed
  }
}
