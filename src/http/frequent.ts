import { application, type Routes } from './application.ts'
import { authenticated } from './middleware/auth.ts'
import { countedRequests } from './middleware/counted.ts'
import { allowedMethods } from './middleware/headers.ts'
import { sessionRoutes } from './sessions.ts'

const ROUTES: Routes = [['/v1/sessions', sessionRoutes]]

/** What most requests ask for. */
export const frequent = application([], { routes: ROUTES, counted: countedRequests, authenticated })

/** The methods that it answers on a path. */
export const answeredOn = allowedMethods(frequent)
