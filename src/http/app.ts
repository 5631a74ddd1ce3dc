import type { Env } from '../objects/env.ts'
import { application, healthRoutes } from './application.ts'
import { allowedMethods } from './middleware/headers.ts'
import { sessionRoutes } from './sessions.ts'

/** What most requests ask for. */
export const frequent = application([['/healthz', healthRoutes]], [['/v1/sessions', sessionRoutes]])

const answeredOn = allowedMethods(frequent)

/** What `*` is asked as, which is no address: it means the server (RFC 9110 §7.1). */
const WHOLE_SERVER = 'http://localhost/*'

/** The HTTP surface as a Worker has it: an isolate loads the routes that few requests need with the first of these. */
export const app = {
  async fetch(asked: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const request = URL.canParse(asked.url) ? asked : new Request(WHOLE_SERVER, asked)
    const isFrequent =
      request.method !== 'OPTIONS' && answeredOn(new URL(request.url).pathname).includes(request.method)
    const routes = isFrequent ? frequent : (await import('./routes.ts')).whole
    return routes.fetch(request, env, context)
  },
}
