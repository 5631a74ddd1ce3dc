import { ApiProblem } from '../../client/client.ts'
import type { ModelInfo } from '../../domain/model.ts'
import { client, errorText } from '../api.ts'
import { refusalText } from '../forms/refusal.ts'
import { askModel } from '../ui/try-model.ts'

/** A service of models that many have a key of. */
export interface ModelService {
  /** The alias of its model, and the name of the connection with its key. */
  id: string
  name: string
  url: string
  model: string
  /** Where its keys are made; null: not known. */
  keysAt: string | null
  /** How it differs from others. */
  quirks?: { max_tokens_field: 'max_completion_tokens'; temperature: false }
}

/** As the files in configs/ have them. The last is any other. */
export const MODEL_SERVICES: readonly ModelService[] = [
  {
    id: 'openai',
    name: 'OpenAI',
    url: 'https://api.openai.com/v1',
    model: 'gpt-5-mini',
    keysAt: 'https://platform.openai.com/api-keys',
    quirks: { max_tokens_field: 'max_completion_tokens', temperature: false },
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    url: 'https://api.deepseek.com/v1',
    model: 'deepseek-flash',
    keysAt: 'https://platform.deepseek.com/api_keys',
  },
  {
    id: 'qwen',
    name: 'Qwen (DashScope)',
    url: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    model: 'qwen-plus',
    keysAt: 'https://bailian.console.aliyun.com',
  },
  { id: 'my-model', name: '', url: '', model: '', keysAt: null },
]

export interface WrittenModel {
  service: ModelService
  url: string
  model: string
  /** Empty: the service asks for none. */
  key: string
}

/** A change of settings holds within five seconds. */
const HOLDS_MS = 10_000
const LOOK_MS = 400

/** Keeps the model, its key sealed as a connection for its origin; gives it as it is listed. No session uses it by itself yet. */
async function keepModel({ service, url, model, key }: WrittenModel): Promise<ModelInfo> {
  const { connections, settings } = client.value
  const { id: alias, quirks } = service
  if (key !== '') {
    await forgetConnection(alias)
    await connections.create({ name: alias, origin: new URL(url).origin, secret: key })
  }
  const connection = key === '' ? {} : { connection: alias }
  await settings.patch({ models: { [alias]: { api_url: url, model, ...(quirks ? { quirks } : {}), ...connection } } })
  return listed((one) => one.id === alias)
}

/** Keeps it and asks it something short. `ms`: how long that took; `silence`: why it did not answer, in words. */
export async function tryModel(
  written: WrittenModel,
): Promise<{ info: ModelInfo } & ({ ms: number } | { silence: string })> {
  const info = await keepModel(written).catch((error: unknown) => {
    throw inPlainWords(error)
  })
  try {
    return { info, ms: (await askModel({ model: info.id })).ms }
  } catch (error) {
    return { info, silence: errorText(error) }
  }
}

/** Keeps it, and has all sessions use it that choose none. */
export async function useModel(written: WrittenModel): Promise<ModelInfo> {
  const { id } = await keepModel(written)
  await client.value.settings.patch({ default_model: id })
  return listed((one) => one.id === id && one.default)
}

/** What the server refuses of the model without the names of its fields, which are not those of the page. */
function inPlainWords(error: unknown): unknown {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return error
  return new Error([...new Set(error.errors.map(({ message }) => refusalText(message)))].join(' '))
}

async function forgetConnection(name: string): Promise<void> {
  try {
    await client.value.connections.delete(name)
  } catch (error) {
    if (!(error instanceof ApiProblem && error.status === 404)) throw error
  }
}

/** The model once a change of the settings holds. */
async function listed(isMeant: (one: ModelInfo) => boolean): Promise<ModelInfo> {
  for (const end = Date.now() + HOLDS_MS; ;) {
    const { data } = await client.value.models()
    const found = data.find((one) => isMeant(one))
    if (found) return found
    if (Date.now() > end) throw new Error('The settings are kept, but do not hold yet. Try again.')
    await new Promise((done) => setTimeout(done, LOOK_MS))
  }
}
