/** Names of a route in the OpenAPI document, made of its method and path. */

/** What a POST to such a path does. */
const ACTIONS: ReadonlySet<string> = new Set([
  'cancel',
  'continue',
  'disable',
  'enable',
  'fork',
  'import',
  'refresh',
  'retry',
  'revoke',
  'rotate',
  'run',
  'test',
])

const TAG_OF: Readonly<Record<string, string>> = {
  users: 'memory',
  agent: 'agent',
  tools: 'catalog',
  models: 'catalog',
  oauth: 'mcp-servers',
}

/** One route under two addresses. */
const IDS: Readonly<Record<string, string>> = { 'POST /v1/agent': 'runAgent', 'POST /': 'runAgentAtRoot' }

/** `GET /v1/sessions/{id}/messages` → `listSessionMessages`. */
export function operationId(method: string, path: string): string {
  const known = IDS[`${method} ${path}`]
  if (known !== undefined) return known
  const parts = path.split('/').filter((part) => part !== '' && part !== 'v1')
  const nouns = parts.filter((part) => !part.startsWith('{'))
  const last = parts.at(-1) ?? ''
  if (method === 'POST' && ACTIONS.has(last)) return camel([last, ...nouns.slice(0, -1).map(singular)])
  const isList = method === 'GET' && !last.startsWith('{') && singular(last) !== last
  const names = nouns.map((noun, index) => (isList && index === nouns.length - 1 ? noun : singular(noun)))
  return camel([isList ? 'list' : (VERBS[method] ?? method.toLowerCase()), ...names])
}

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'put',
  PATCH: 'update',
  DELETE: 'delete',
}

/** The resource that a path belongs to. */
export function tagOf(path: string): string {
  const [first = '', second = ''] = path.split('/').filter((part) => part !== '')
  const resource = first === 'v1' ? second : first
  return TAG_OF[resource] ?? (first === 'v1' || first === 'hooks' ? resource : 'server')
}

function singular(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`
  return /[^su]s$/.test(noun) ? noun.slice(0, -1) : noun
}

function camel(words: readonly string[]): string {
  const parts = words.flatMap((word) => word.split(/[^A-Za-z0-9]+/)).filter((part) => part !== '')
  return parts.map((part, index) => (index === 0 ? part : part[0]?.toUpperCase() + part.slice(1))).join('')
}
