import { ApiProblem } from '../../client/client.ts'
import { entries } from '../../client/http.ts'
import type { ConnectionInfo } from '../../domain/connection.ts'
import type { SettingsInfo } from '../../domain/settings.ts'
import { client } from '../api.ts'

/** A model as it is written down. `model`: what `/v1/settings` takes of it. `key`: empty where none was typed. */
export interface TypedModel {
  alias: string
  model: Record<string, unknown>
  key: string
  apiUrl: string
  isDefault: boolean
}

const LISTED_MAX = 100

/** Under which the key of a model is kept. */
export const keyConnection = (alias: string): string =>
  `model-${alias.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').slice(0, 50)}`

/** Keeps a model, its key first: encrypted, for the address of the service alone. A key that was kept for a model that is refused is taken
 *  away again. */
export async function saveModel({ alias, model, key, apiUrl, isDefault }: TypedModel): Promise<SettingsInfo> {
  const connection = keyConnection(alias)
  const isNew = key !== '' && (await keepKey(connection, apiUrl, key))
  const written = key === '' ? model : { ...model, connection }
  try {
    return await client.value.settings.patch({
      models: { [alias]: written },
      ...(isDefault ? { default_model: alias } : {}),
    })
  } catch (error) {
    if (isNew) await client.value.connections.delete(connection).catch(() => {})
    throw error
  }
}

/** Whether it is a new one. One of the same name that is for another address is replaced. */
async function keepKey(name: string, origin: string, secret: string): Promise<boolean> {
  const { connections } = client.value
  const found = await keptConnection(name)
  if (found?.origin === URL.parse(origin)?.origin) {
    await connections.update(name, { secret })
    return false
  }
  if (found) await connections.delete(name)
  await connections.create({ name, origin, secret })
  return true
}

/** A browser's log has a line for each answer that says there is none: so it is looked for among those that are listed. */
async function keptConnection(name: string): Promise<ConnectionInfo | null> {
  const { connections } = client.value
  const listed = entries((cursor) =>
    connections.list({ limit: LISTED_MAX, ...(cursor === undefined ? {} : { cursor }) }),
  )
  for await (const one of listed) if (one.name === name) return one
  return null
}

/** Takes a model away, and its key if that was kept for it. */
export async function removeModel(alias: string, { settings }: SettingsInfo): Promise<void> {
  const isDefault = settings['default_model'] === alias
  await client.value.settings.patch({ models: { [alias]: null }, ...(isDefault ? { default_model: null } : {}) })
  const kept = await keptConnection(keyConnection(alias))
  if (kept) await client.value.connections.delete(kept.name)
}

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
