import type { ModelInfo, ModelQuirks } from '../../domain/model.ts'
import { client } from '../api.ts'
import { entryValue } from '../forms/field.ts'
import { viewTexts } from '../language.ts'
import { freeAlias } from '../models/addresses.ts'
import { saveModel, withoutPrefix } from '../models/model-entry.ts'
import { askModel } from '../ui/try-model.ts'

export interface WrittenModel {
  url: string
  model: string
  /** Empty: the service asks for none. */
  key: string
  /** How its service differs from others. */
  quirks: ModelQuirks | undefined
}

/** A change of settings holds within five seconds. */
const HOLDS_MS = 10_000
const LOOK_MS = 400

/** Asks a model as it is written, of which nothing is kept; how long its answer took, in ms. */
export async function tryModel({ url, model, key }: WrittenModel): Promise<number> {
  const llm = { api_url: url, model, ...(key === '' ? {} : { api_key: key }) }
  const { ms } = await askModel({ llm }).catch((error: unknown) => {
    throw withoutPrefix(error, 'config.llm.')
  })
  return ms
}

/** Keeps a model, its key sealed for its origin, and has all sessions use it that choose none; gives it as it is listed. */
export async function useModel({ url, model, key, quirks }: WrittenModel): Promise<ModelInfo> {
  const { effective } = await client.value.settings.get()
  const alias = freeAlias(model, url, effective['models'])
  const entry = { api_url: url, model, ...(quirks ? { quirks } : {}) }
  await saveModel({ alias, model: entry, key, apiUrl: url, isDefault: true }).catch((error: unknown) => {
    throw withoutPrefix(error, `models.${alias}.`)
  })
  return listed(alias)
}

/** Lets models and tools reach a host of this machine or its network, beside those that they may. */
export async function allowPrivateHost(host: string): Promise<void> {
  const { settings } = client.value
  const { effective } = await settings.get()
  const given = entryValue(effective, ['web', 'allow_private_hosts'])
  const hosts = Array.isArray(given) ? given.filter((one) => typeof one === 'string') : []
  await settings.patch({ web: { allow_private_hosts: [...new Set([...hosts, host])] } })
}

/** The model once a change of the settings holds. */
async function listed(alias: string): Promise<ModelInfo> {
  for (const end = Date.now() + HOLDS_MS; ;) {
    const { data } = await client.value.models()
    const found = data.find((one) => one.id === alias && one.default)
    if (found) return found
    if (Date.now() > end) throw new Error(viewTexts().connectModel.notYet)
    await new Promise((done) => setTimeout(done, LOOK_MS))
  }
}
