import type { Env } from '../objects/env.ts'
import { application, healthRoutes } from './application.ts'
import { allowedMethods } from './middleware/headers.ts'
import { sessionRoutes } from './sessions.ts'

/** What most requests ask for. */
export const frequent = application([['/healthz', healthRoutes]], [['/v1/sessions', sessionRoutes]])

const answeredOn = allowedMethods(frequent)

/** The HTTP surface as a Worker has it: an isolate loads the routes that few requests need with the first of these. */
export const app = {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const isFrequent =
      request.method !== 'OPTIONS' && answeredOn(new URL(request.url).pathname).includes(request.method)
    const routes = isFrequent ? frequent : (await import('./routes.ts')).whole
    return routes.fetch(request, env, context)
  },
}
