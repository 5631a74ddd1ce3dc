import type { Hono } from 'hono'
import { application, type Door } from './application.ts'
import type { AppEnv } from './context.ts'
import { authenticated, servedToSome } from './middleware/auth.ts'
import { countedRequests } from './middleware/counted.ts'

const opened = new WeakMap<Door, Promise<Hono<AppEnv>>>()

/** A door with all that stands before its routes, made once. */
export function openedDoor(door: Door): Promise<Hono<AppEnv>> {
  const known = opened.get(door) ?? open(door)
  opened.set(door, known)
  return known
}

async function open(door: Door): Promise<Hono<AppEnv>> {
  const { open: openRoutes = [], keyed, errors } = await door.load()
  return application(openRoutes, {
    routes: keyed,
    counted: countedRequests,
    authenticated,
    opened: servedToSome,
    errors,
    under: ['*'],
  })
}
