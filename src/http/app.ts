import type { Env } from '../objects/env.ts'
import { application, healthRoutes } from './application.ts'

/** What an isolate starts with. */
const starting = application([['/healthz', healthRoutes]], null)

/** What `*` is asked as, which is no address: it means the server (RFC 9110 §7.1). */
const WHOLE_SERVER = 'http://localhost/*'

let often: typeof import('./frequent.ts') | null = null

/** The HTTP surface as a Worker has it: an isolate loads routes with the first request of these, those that few requests need apart. */
export const app = {
  async fetch(asked: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const { method } = asked
    // `*`, and a host that is no host, are no addresses.
    const pathname = method === 'OPTIONS' ? undefined : URL.parse(asked.url)?.pathname
    if (pathname !== undefined) {
      if (pathname === '/healthz' && (method === 'GET' || method === 'HEAD')) return starting.fetch(asked, env, context)
      often ??= await import('./frequent.ts')
      if (often.answeredOn(pathname).includes(method)) return often.frequent.fetch(asked, env, context)
    }
    const request = URL.canParse(asked.url) ? asked : new Request(WHOLE_SERVER, asked)
    return (await import('./routes.ts')).whole.fetch(request, env, context)
  },
}
