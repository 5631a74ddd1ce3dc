import { application, type Routes } from './application.ts'
import { authenticated } from './middleware/auth.ts'
import { countedRequests } from './middleware/counted.ts'
import { allowedMethods } from './middleware/headers.ts'
import { sessionRoutes } from './sessions.ts'

const ROUTES: Routes = [['/v1/sessions', sessionRoutes]]

/** What most requests ask for. */
export const frequent = application([], { routes: ROUTES, counted: countedRequests, authenticated })

/** What stands where ids of sessions do, and is none. */
const NO_SESSION = new Set(['/v1/sessions/cancel', '/v1/sessions/import'])

const methodsOn = allowedMethods(frequent)

/** The methods that it answers on a path. */
export const answeredOn = (path: string): string[] => (NO_SESSION.has(path) ? [] : methodsOn(path))
