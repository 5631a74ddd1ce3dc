import { isObject, jsonObject } from '../../lib/json.ts'
import { CALLBACK_EVENTS, CALLBACK_TEMPLATES } from '../../domain/callback.ts'
import type { ViewTexts } from '../texts/views-en.ts'

/** A field that has a row of its own in the form of an entry. `isNeeded`: it is sent also when it is empty. `isFixed`: it is given once, when
 *  the entry is made. `isLasting`: an entry that is there keeps one. `label`: what it is called where that is another than elsewhere. */
export type Field = { name: string; isNeeded?: true; isFixed?: true; isLasting?: true; label?: string } & (
  | { kind: 'text' | 'secret' | 'flag' | 'area' | 'lines' | 'time' | 'when' | 'workflow' | 'language' | 'headers' }
  | { kind: 'one'; options: readonly string[] }
  | { kind: 'many'; options: readonly string[] }
  | { kind: 'named'; of: NamedKind }
)

/** Ways in which it is said when a schedule fires. */
export const WHEN_KINDS = ['cron', 'every_ms', 'at'] as const
export const MINUTE_MS = 60_000

/** What there is by names that a field chooses one of. A workflow is done in its own way: beside one nobody is chosen. */
export type NamedKind = 'skills' | 'teams' | 'connections'

/** Something that can be asked of an entry; `isFor`: of those alone. */
export interface SetupAct {
  id: 'probe' | 'try' | 'send' | 'nextRuns' | 'runNow' | 'newSecret' | 'grant'
  path: string
  readonly isFor?: (entry: Record<string, unknown>) => boolean
}

/** Something that can be set up: where the server has it, what names one, and how a new one looks. */
export interface SetupPart {
  id: string
  title: (texts: ViewTexts['setup']) => string
  path: string
  /** The field that names one in paths. */
  key: string
  /** Fields that are shown of each. */
  shows: readonly string[]
  /** What a new one is begun with; absent: none can be made here. */
  template?: Record<string, unknown>
  /** What has a row of its own in the form of a new one; absent: all is JSON. */
  fields?: readonly Field[]
  /** Fields that the server does not take back, beside those that are so everywhere; `a.b`: one within another. */
  readOnly?: readonly string[]
  /** One may also come as a file: a text in Markdown, or a zip. */
  uploads?: true
  /** How one is changed; absent: it is not. */
  changes?: 'PATCH' | 'PUT'
  removes?: true
  /** Told in the language of the page where the server has it in more. */
  isTranslated?: true
  /** What can be asked of one. */
  acts?: readonly SetupAct[]
  /** Entries may be a user's, which the list shows for the one that is asked for. */
  isOfUsers?: true
  /** What came of one: a list whose entries may lead to sessions, and may be sent again. */
  log?: { title: 'deliveries' | 'runs'; path: string; shows: readonly string[]; retries?: true }
  /** Where a body of a delivery is tried. */
  trial?: string
  /** Fields by which the list is filtered. */
  filters?: readonly string[]
}

export const PARTS: readonly SetupPart[] = [
  {
    id: 'mcp-servers',
    title: (t) => t.servers,
    path: '/v1/mcp-servers',
    key: 'name',
    shows: ['url', 'status', 'error', 'description'],
    template: { name: '', url: 'https://', description: '', headers: {} },
    fields: [
      { name: 'name', kind: 'text', isNeeded: true, isFixed: true },
      { name: 'url', kind: 'text', isNeeded: true },
      { name: 'headers', kind: 'headers' },
      { name: 'description', kind: 'area' },
    ],
    changes: 'PATCH',
    removes: true,
    readOnly: ['tools', 'warnings', 'protocol_version', 'checked_time'],
    acts: [{ id: 'probe', path: '/refresh' }],
  },
  {
    id: 'openapi-tools',
    title: (t) => t.apis,
    path: '/v1/openapi-tools',
    key: 'name',
    shows: ['title', 'base_url', 'tools_count', 'status', 'error', 'description'],
    template: { name: '', url: 'https://', description: '' },
    fields: [
      { name: 'name', kind: 'text', isNeeded: true, isFixed: true },
      { name: 'url', kind: 'text', isNeeded: true, label: 'document_url' },
      { name: 'base_url', kind: 'text' },
      { name: 'auth', kind: 'named', of: 'connections', label: 'connection' },
      { name: 'include', kind: 'lines' },
      { name: 'description', kind: 'area' },
    ],
    changes: 'PATCH',
    removes: true,
    readOnly: ['tools', 'tools_count', 'warnings', 'title', 'version', 'read_time', 'auth.origin'],
    acts: [{ id: 'probe', path: '/refresh' }],
  },
  {
    id: 'connections',
    title: (t) => t.connections,
    path: '/v1/connections',
    key: 'name',
    shows: ['origin', 'user', 'each_user', 'oauth2', 'last_four', 'description', 'updated_time'],
    template: { name: '', origin: 'https://' },
    fields: [
      { name: 'name', kind: 'text', isNeeded: true },
      { name: 'origin', kind: 'text', isNeeded: true },
      { name: 'secret', kind: 'secret', label: 'own_secret' },
      { name: 'user', kind: 'text', label: 'whose' },
      { name: 'each_user', kind: 'flag' },
      { name: 'description', kind: 'text' },
    ],
    removes: true,
    isOfUsers: true,
    filters: ['user'],
    acts: [
      { id: 'newSecret', path: '', isFor: ({ each_user: isEach, oauth2 }) => isEach !== true || oauth2 !== null },
      { id: 'grant', path: '/authorize', isFor: ({ oauth2 }) => jsonGrant(oauth2) === 'authorization_code' },
    ],
  },
  {
    id: 'skills',
    title: (t) => t.skills,
    path: '/v1/skills',
    key: 'name',
    shows: ['description', 'version', 'orchestrator', 'warnings'],
    isTranslated: true,
    template: { name: '', version: '1.0.0', description: '', prompt: '{{user_input}}', tools: [] },
    fields: [
      { name: 'name', kind: 'text', isNeeded: true, isFixed: true },
      { name: 'version', kind: 'text', isNeeded: true },
      { name: 'description', kind: 'area', isNeeded: true },
      { name: 'prompt', kind: 'area', isNeeded: true },
    ],
    uploads: true,
    changes: 'PUT',
    removes: true,
    acts: [{ id: 'try', path: '/run' }],
  },
  {
    id: 'workflows',
    title: (t) => t.workflows,
    path: '/v1/workflows',
    key: 'name',
    shows: ['description', 'version'],
    isTranslated: true,
    template: { name: '', description: '', steps: [] },
    uploads: true,
    changes: 'PUT',
    removes: true,
    readOnly: ['version'],
  },
  {
    id: 'webhooks',
    title: (t) => t.webhooks,
    path: '/v1/webhooks',
    key: 'id',
    shows: ['name', 'scheme', 'url', 'task_template', 'skill', 'team', 'workflow'],
    template: { name: '', scheme: 'standard', task_template: '{{body}}' },
    fields: [
      { name: 'name', kind: 'text', isNeeded: true },
      { name: 'scheme', kind: 'one', options: ['standard', 'github', 'slack', 'stripe', 'bearer'], isFixed: true },
      { name: 'secret', kind: 'text', isFixed: true },
      { name: 'task_template', kind: 'area', isLasting: true },
      { name: 'skill', kind: 'named', of: 'skills' },
      { name: 'team', kind: 'named', of: 'teams' },
      { name: 'workflow', kind: 'workflow' },
      { name: 'config', kind: 'language' },
    ],
    changes: 'PATCH',
    removes: true,
    readOnly: ['url'],
    trial: '/test',
    log: { title: 'deliveries', path: '/deliveries', shows: ['received_time', 'event', 'status', 'reason'] },
  },
  {
    id: 'callbacks',
    title: (t) => t.callbacks,
    path: '/v1/callbacks',
    key: 'id',
    shows: ['name', 'url', 'events', 'status'],
    template: { url: 'https://', events: ['run.completed'] },
    fields: [
      { name: 'name', kind: 'text' },
      { name: 'url', kind: 'text', isNeeded: true },
      { name: 'template', kind: 'one', options: ['', ...CALLBACK_TEMPLATES] },
      { name: 'events', kind: 'many', options: CALLBACK_EVENTS },
    ],
    changes: 'PATCH',
    removes: true,
    acts: [{ id: 'send', path: '/test' }],
    log: {
      title: 'deliveries',
      path: '/deliveries',
      shows: ['created_time', 'event', 'status', 'attempts', 'next_attempt_time'],
      retries: true,
    },
  },
  {
    id: 'schedules',
    title: (t) => t.schedules,
    path: '/v1/schedules',
    key: 'id',
    shows: ['name', 'task', 'cron', 'at', 'every_ms', 'timezone', 'skill', 'team', 'workflow', 'next_run_time'],
    template: { name: '', task: '', cron: '0 9 * * *', timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    fields: [
      { name: 'name', kind: 'text', isNeeded: true },
      { name: 'when', kind: 'when' },
      { name: 'timezone', kind: 'text' },
      { name: 'task', kind: 'area', isLasting: true },
      { name: 'session', kind: 'one', options: ['', 'new', 'same'] },
      { name: 'skill', kind: 'named', of: 'skills' },
      { name: 'team', kind: 'named', of: 'teams' },
      { name: 'workflow', kind: 'workflow' },
      { name: 'user', kind: 'text', label: 'memory_user' },
      { name: 'config', kind: 'language' },
    ],
    changes: 'PATCH',
    removes: true,
    acts: [
      { id: 'nextRuns', path: '' },
      { id: 'runNow', path: '/test' },
    ],
    log: { title: 'runs', path: '/runs', shows: ['due_time', 'status', 'reason', 'is_test'] },
  },
  {
    id: 'keys',
    title: (t) => t.keys,
    path: '/v1/keys',
    key: 'id',
    shows: ['name', 'prefix', 'scopes', 'expires_time', 'last_used_time'],
    template: { name: '', scopes: ['run', 'read', 'decide'] },
    fields: [
      { name: 'name', kind: 'text', isNeeded: true },
      { name: 'expires_time', kind: 'time' },
      { name: 'scopes', kind: 'many', options: ['run', 'read', 'decide', 'admin'], isFixed: true },
    ],
    changes: 'PATCH',
    removes: true,
  },
]

/** What a new entry is begun with. What it runs answers in the language of who made it, unless another is chosen. */
export function begunEntry({ template = {}, fields = [] }: SetupPart, language: string): Record<string, unknown> {
  return fields.some(({ kind }) => kind === 'language') ? { ...template, config: { language } } : template
}

/** How the tokens of a connection are got; undefined: it has none. */
const jsonGrant = (oauth2: unknown): unknown => (isObject(oauth2) ? oauth2['grant'] : undefined)

/** Fields that hold secrets, at any depth of an entry. */
const SECRET = [
  'secret',
  'client_secret',
  'api_key',
  'headers',
  'authorization',
  'bearer',
  'basic',
  'query',
  'password',
]
const NAMES_SECRET = new RegExp(`"(${SECRET.join('|')})"`)

/** A text of an entry that was kept, with what is stored of its secrets, which are masked, where it lacks them. */
export function withStored(text: string, value: Record<string, unknown>): string {
  const entry = jsonObject(text)
  const lost = Object.entries(value).filter(([name]) => SECRET.includes(name) && entry !== null && !(name in entry))
  return lost.length === 0 ? text : JSON.stringify({ ...entry, ...Object.fromEntries(lost) }, null, 2)
}

/** What of an entry that is being written the browser may keep: all but its secrets. Of text that is no JSON yet and may hold one,
 *  nothing. */
export function keptEntry(text: string): string {
  if (!NAMES_SECRET.test(text)) return text
  const entry = jsonObject(text)
  const withoutSecrets = (name: string, value: unknown) => (SECRET.includes(name) ? undefined : value)
  return entry ? JSON.stringify(entry, withoutSecrets, 2) : ''
}
