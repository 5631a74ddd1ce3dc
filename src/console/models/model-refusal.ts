import { ApiProblem } from '../../client/client.ts'

/** What of the model is meant where its connection is refused, or its key in a test. */
const OF_CONNECTION: Readonly<Record<string, string>> = { origin: 'api_url', secret: 'key', api_key: 'key' }

/** Errors that name the fields of a model: the server names them within the settings, a task's config, or the connection of the key. */
export function withoutPrefix(error: unknown, prefix: string): unknown {
  if (!(error instanceof ApiProblem)) return error
  const errors = error.errors.map(({ path, message }) => {
    const inner = path.startsWith(prefix) ? path.slice(prefix.length) : path
    return { path: OF_CONNECTION[inner] ?? inner, message }
  })
  return Object.assign(error, { errors })
}
