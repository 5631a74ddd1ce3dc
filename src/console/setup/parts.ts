import type { Texts } from '../texts/en.ts'

/** Something that can be set up: where the server has it, what names one, and how a new one looks. */
export interface Part {
  id: string
  title: (texts: Texts['setup']) => string
  path: string
  /** The field that names one in paths. */
  key: string
  /** Fields that are shown of each. */
  shows: readonly string[]
  /** What a new one is begun with; absent: none can be made here. */
  template?: Record<string, unknown>
  /** Fields that the server tells and does not take back, beside those that are so everywhere. */
  told?: readonly string[]
  /** How one is changed; absent: it is not. */
  changes?: 'PATCH' | 'PUT'
  removes?: true
  /** What can be asked of one. */
  acts?: readonly { id: 'probe' | 'try' | 'test' | 'send' | 'nextRuns' | 'runNow'; path: string }[]
  /** What came of one: a list whose entries may lead to sessions, and may be sent again. */
  log?: { title: 'deliveries' | 'runs'; path: string; shows: readonly string[]; retries?: true }
  /** Where a body of a delivery is tried. */
  trial?: string
  /** Fields by which the list is filtered. */
  filters?: readonly string[]
  /** Where the chain of the entries is checked. */
  verifies?: string
}

export const PARTS: readonly Part[] = [
  {
    id: 'models',
    title: (t) => t.models,
    path: '/v1/models',
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
    told: ['tools'],
    acts: [{ id: 'probe', path: '/refresh' }],
  },
  {
    id: 'skills',
    title: (t) => t.skills,
    path: '/v1/skills',
    key: 'name',
    shows: ['description', 'version', 'orchestrator'],
    template: { name: '', version: '1.0.0', description: '', prompt: '{{user_input}}', tools: [] },
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
    changes: 'PATCH',
    removes: true,
    told: ['url'],
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
