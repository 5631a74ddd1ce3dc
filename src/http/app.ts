import type { Hono } from 'hono'
import type { Env } from '../objects/env.ts'
import { application, type Door, healthRoutes } from './application.ts'
import { TAKE_UP } from '../domain/take-up.ts'
import type { AppEnv } from './context.ts'

/** What an isolate starts with. */
const starting = application([['/healthz', healthRoutes]], null)

/** What `*` is asked as, which is no address: it means the server (RFC 9110 §7.1). */
const WHOLE_SERVER = 'http://localhost/*'

/** The HTTP surface as a Worker has it, with these doors beside our own API: an isolate loads routes with the first request of these, those that
 *  few requests need apart. */
export function appOf(doors: readonly Door[]) {
  let often: typeof import('./frequent.ts') | null = null
  let whole: Hono<AppEnv> | null = null

  return {
    async fetch(asked: Request, env: Env, context: ExecutionContext): Promise<Response> {
      const { method } = asked
      // `*`, and a host that is no host, are no addresses.
      const pathname = method === 'OPTIONS' ? undefined : URL.parse(asked.url)?.pathname
      if (pathname !== undefined) {
        if (pathname === '/healthz' && (method === 'GET' || method === 'HEAD'))
          return starting.fetch(asked, env, context)
        if ((pathname === TAKE_UP.path || pathname === TAKE_UP.settlePath) && env.YAA_TAKE_UP) {
          const { answerLauncher } = await import('../objects/take-up.ts')
          const answer = await answerLauncher(asked, env, pathname)
          if (answer) return answer
        }
        often ??= await import('./frequent.ts')
        if (often.answeredOn(pathname).includes(method)) return often.frequent.fetch(asked, env, context)
      }
      const request = URL.canParse(asked.url) ? asked : new Request(WHOLE_SERVER, asked)
      const door = doors.find((one) => one.owns(new URL(request.url).pathname))
      if (door) return (await (await import('./doors.ts')).openedDoor(door)).fetch(request, env, context)
      whole ??= (await import('./routes.ts')).wholeApplication([], doors)
      return whole.fetch(request, env, context)
    },
  }
}
