import type { ToolConfig } from '../domain/config.ts'
import type { Settings } from '../domain/settings.ts'
import { isObject } from '../lib/json.ts'
import { allTools } from './all-tools.ts'

const nowhere = () => Promise.reject(new Error('a tool that is only named reaches nothing'))
const nobody = () => {
  throw new Error('a tool that is only named remembers nobody')
}

let known: ReadonlyMap<string, string> | null = null

/** The id of the product's tool that has this name in some language; any other name as it is. */
export function ownToolId(name: string): string {
  known ??= new Map(productTools().flatMap(({ id, names }) => Object.values(names).map((one) => [one, id] as const)))
  return known.get(name) ?? name
}

/** All tools of the product, whatever a config says. */
function productTools() {
  return allTools({
    config: { models: {}, web: { search: { provider: 'searxng', url: 'https://search.invalid' } } },
    publicFetch: nowhere,
    privateFetch: null,
    now: Date.now,
    secret: () => undefined,
    memory: nobody,
    hasSkills: true,
    others: [],
  })
}

/** What is said of tools under any of their names, each under its id: one entry a tool, in which what stood under the id has the last
 *  word. */
export function toolsById(tools: Readonly<Record<string, ToolConfig>>): Record<string, ToolConfig> {
  const said = new Map<string, ToolConfig>()
  for (const [id, one] of idsLast(tools)) said.set(id, { ...said.get(id), ...one })
  return Object.fromEntries(said)
}

/** Settings whose tools stand under their ids. */
export function withToolsById(settings: Settings): Settings {
  return settings.tools ? { ...settings, tools: toolsById(settings.tools) } : settings
}

/** A merge patch of settings that names tools by their ids. */
export function patchById(patch: object): object {
  if (!('tools' in patch) || !isObject(patch.tools)) return patch
  return { ...patch, tools: Object.fromEntries(idsLast(patch.tools)) }
}

function idsLast<T>(tools: Readonly<Record<string, T>>): [id: string, said: T][] {
  const named = Object.entries(tools).map(([name, said]) => ({ name, id: ownToolId(name), said }))
  const byOthers = named.filter(({ name, id }) => name !== id)
  const byIds = named.filter(({ name, id }) => name === id)
  return [...byOthers, ...byIds].map(({ id, said }) => [id, said])
}
