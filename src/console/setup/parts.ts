import { jsonObject } from '../../lib/json.ts'
import { CALLBACK_EVENTS, CALLBACK_TEMPLATES } from '../../domain/callback.ts'
import type { ConsoleTexts } from '../texts/en.ts'

/** A field that has a row of its own in the form of a new entry. `isNeeded`: it is sent also when it is empty. */
export type Field = { name: string; isNeeded?: true } & (
  | { kind: 'text' | 'area' | 'time' | 'when' }
  | { kind: 'one'; options: readonly string[] }
  | { kind: 'many'; options: readonly string[] }
)

/** Something that can be set up: where the server has it, what names one, and how a new one looks. */
export interface SetupPart {
  id: string
  title: (texts: ConsoleTexts['setup']) => string
  path: string
  /** The field that names one in paths. */
  key: string
  /** Fields that are shown of each. */
  shows: readonly string[]
  /** What a new one is begun with; absent: none can be made here. */
  template?: Record<string, unknown>
  /** What has a row of its own in the form of a new one; absent: all is JSON. */
  fields?: readonly Field[]
  /** Fields that the server does not take back, beside those that are so everywhere. */
  readOnly?: readonly string[]
  /** One may also come as a file: a text in Markdown, or a zip. */
  uploads?: true
  /** How one is changed; absent: it is not. */
  changes?: 'PATCH' | 'PUT'
  removes?: true
  /** Told in the language of the page where the server has it in more. */
  isTranslated?: true
  /** What can be asked of one. */
  acts?: readonly { id: 'probe' | 'try' | 'test' | 'send' | 'nextRuns' | 'runNow'; path: string }[]
  /** What came of one: a list whose entries may lead to sessions, and may be sent again. */
  log?: { title: 'deliveries' | 'runs'; path: string; shows: readonly string[]; retries?: true }
  /** Where a body of a delivery is tried. */
  trial?: string
  /** What of the list is shown. */
  only?: Readonly<Record<string, string>>
  /** Fields by which the list is filtered. */
  filters?: readonly string[]
  /** Where the chain of the entries is checked. */
  verifies?: string
}

export const PARTS: readonly SetupPart[] = [
  {
    id: 'models',
    title: (t) => t.models,
    path: '/v1/models',
    only: { kind: 'model' },
    key: 'id',
    shows: ['provider', 'protocol', 'default', 'price'],
    acts: [{ id: 'test', path: '' }],
  },
  {
    id: 'mcp-servers',
    title: (t) => t.servers,
    path: '/v1/mcp-servers',
    key: 'name',
    shows: ['url', 'status', 'error', 'description'],
    template: { name: '', url: 'https://', description: '', headers: {} },
    changes: 'PATCH',
    removes: true,
    readOnly: ['tools'],
    acts: [{ id: 'probe', path: '/refresh' }],
  },
  {
    id: 'skills',
    title: (t) => t.skills,
    path: '/v1/skills',
    key: 'name',
    shows: ['description', 'version', 'orchestrator', 'warnings'],
    isTranslated: true,
    template: { name: '', version: '1.0.0', description: '', prompt: '{{user_input}}', tools: [] },
    uploads: true,
    changes: 'PUT',
    removes: true,
    acts: [{ id: 'try', path: '/run' }],
  },
  {
    id: 'webhooks',
    title: (t) => t.webhooks,
    path: '/v1/webhooks',
    key: 'id',
    shows: ['name', 'scheme', 'url', 'task_template'],
    template: { name: '', scheme: 'standard', task_template: '{{body}}' },
    fields: [
      { name: 'name', kind: 'text', isNeeded: true },
      { name: 'scheme', kind: 'one', options: ['standard', 'github', 'slack', 'stripe', 'bearer'] },
      { name: 'secret', kind: 'text' },
      { name: 'task_template', kind: 'area', isNeeded: true },
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
    shows: ['name', 'cron', 'at', 'every_ms', 'timezone', 'next_run_time'],
    template: { name: '', task: '', cron: '0 9 * * *', timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    fields: [
      { name: 'name', kind: 'text', isNeeded: true },
      { name: 'when', kind: 'when' },
      { name: 'timezone', kind: 'text' },
      { name: 'task', kind: 'area', isNeeded: true },
      { name: 'session', kind: 'one', options: ['', 'new', 'same'] },
      { name: 'skill', kind: 'text' },
      { name: 'user', kind: 'text' },
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
      { name: 'scopes', kind: 'many', options: ['run', 'read', 'decide', 'admin'] },
    ],
    changes: 'PATCH',
    removes: true,
  },
  {
    id: 'audit',
    title: (t) => t.audit,
    path: '/v1/audit',
    key: 'id',
    shows: ['time', 'actor', 'action', 'target', 'outcome'],
    filters: ['actor', 'action', 'target'],
    verifies: '/v1/audit/verify',
  },
]

/** Fields that hold secrets, at any depth of an entry. */
const SECRET = ['secret', 'client_secret', 'api_key', 'headers', 'authorization']
const NAMES_SECRET = new RegExp(`"(${SECRET.join('|')})"`)

/** What of an entry that is being written the browser may keep: all but its secrets. Of text that is no JSON yet and may hold one,
 *  nothing. */
export function keptEntry(text: string): string {
  if (!NAMES_SECRET.test(text)) return text
  const entry = jsonObject(text)
  const withoutSecrets = (name: string, value: unknown) => (SECRET.includes(name) ? undefined : value)
  return entry ? JSON.stringify(entry, withoutSecrets, 2) : ''
}
