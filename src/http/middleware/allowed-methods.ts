import type { Hono } from 'hono'
import type { AppEnv } from '../context.ts'

/** Which methods the routes of an app answer on a path: for `Allow`. Empty: there is no such path. */
export function allowedMethods(app: Hono<AppEnv>): (path: string) => string[] {
  let routes: { method: string; pattern: RegExp }[] | undefined
  return (path) => {
    // Not at the start of the Worker, which every request after an idle time may wait for.
    routes ??= app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path: pattern }) => ({ method, pattern: patternOf(pattern) }))
    const methods = new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
    if (methods.size === 0) return []
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods, 'OPTIONS'].toSorted()
  }
}

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) =>
      part.startsWith(':')
        ? part.endsWith('{.+}')
          ? '.+'
          : '[^/]+'
        : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
    )
  return new RegExp(`^${parts.join('/')}$`)
}
