import type { ToolInfo } from '../../domain/tool.ts'
import { RUN_LIMIT_DEFAULTS, WEB_DEFAULTS } from '../../domain/limits.ts'
import type { SettingsInfo } from '../../domain/settings.ts'
import { type FieldGroup, type InputField, typedText, type TypedForm, typedOf, entryValue } from '../forms/field.ts'
import { language, numberText } from '../language.ts'
import { isLocked, usualCurrency } from './settings-store.ts'
import { settingsTexts } from './texts.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const MIB = 1_024 * 1_024

type Unit = keyof ReturnType<typeof settingsTexts>['units']
const SIZES: Record<Unit, number> = { seconds: SECOND, minutes: MINUTE, hours: HOUR, mib: MIB, tokens: 1 }

/** Fields of the settings: what is written in them, or which unit a number of them has. */
const LIMIT_FIELDS: readonly (readonly [string, Unit | 'count' | 'money'])[] = [
  ['max_iterations', 'count'],
  ['max_iterations_total', 'count'],
  ['max_total_tokens', 'tokens'],
  ['max_cost', 'money'],
  ['deadline_ms', 'minutes'],
  ['request_ms', 'seconds'],
  ['approval_ttl_ms', 'hours'],
  ['errors_in_a_row_max', 'count'],
  ['repeats_max', 'count'],
]
const PLAN_FIELDS = [
  ['max_plan_rounds', 'count'],
  ['max_parallel_tasks', 'count'],
  ['max_task_tool_calls', 'count'],
  ['task_timeout_ms', 'minutes'],
] as const

const DEFAULTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  limits: RUN_LIMIT_DEFAULTS,
  web: WEB_DEFAULTS,
}

/** What holds where nothing is set here: what the file says, or the product. */
function heldText(field: InputField, settings: SettingsInfo): string {
  const own = entryValue(settings.settings, field.path)
  const [group = '', name = ''] = field.path
  const fallback = DEFAULTS[group]?.[name]
  const held = own === undefined ? (entryValue(settings.effective, field.path) ?? fallback) : fallback
  const typed = typedOf(field, held)
  if (Array.isArray(typed))
    return typed
      .filter((one) => typeof one === 'string')
      .join(' ')
      .trim()
  return typeof typed === 'string' ? typed : ''
}

/** A field with its words, what holds without it, and whether it is locked. */
function settingField(
  path: readonly string[],
  kind: Unit | 'count' | 'money' | 'lines',
  settings: SettingsInfo,
  given: { label?: string; hint?: string } = {},
): InputField {
  const t = settingsTexts()
  const [label, hint] = t.fields[path.at(-1) ?? ''] ?? [path.at(-1) ?? '', '']
  const words = {
    path,
    label: given.label ?? label,
    hint: (given.hint ?? hint) || undefined,
    locked: lockedText(settings, path),
  }
  const field: InputField =
    kind === 'money'
      ? { ...words, kind, usual: usualCurrency(settings) }
      : kind === 'lines'
        ? { ...words, kind }
        : kind === 'count'
          ? { ...words, kind: 'number', whole: true }
          : { ...words, kind: 'number', unit: t.units[kind], size: SIZES[kind] }
  return { ...field, placeholder: heldText(field, settings) || (kind === 'lines' ? undefined : t.noLimit) }
}

const OF_THE_OWNER = new Set(['web.allow_private_hosts', 'budgets.tenant'])

export function lockedText(settings: SettingsInfo, path: readonly string[]): string | undefined {
  const t = settingsTexts()
  if (!isLocked(settings, path)) return undefined
  return path.some((_, index) => OF_THE_OWNER.has(path.slice(0, index + 1).join('.'))) ? t.lockedOwner : t.locked
}

export function limitGroups(settings: SettingsInfo): FieldGroup[] {
  const fields = (of: readonly (readonly [string, Unit | 'count' | 'money'])[]) =>
    of.map(([name, kind]) => settingField(['limits', name], kind, settings))
  return [{ fields: fields(LIMIT_FIELDS) }, { isFolded: true, fields: fields(PLAN_FIELDS) }]
}

export const BUDGET_PERIODS = (['tenant', 'user'] as const).flatMap((of) =>
  (['day', 'month'] as const).map((period) => ['budgets', of, period] as const),
)

export function budgetGroups(settings: SettingsInfo): FieldGroup[] {
  const t = settingsTexts()
  return (['tenant', 'user'] as const).map((of) => ({
    title: of === 'tenant' ? t.ofTenant : t.ofUser,
    fields: (['day', 'month'] as const).flatMap((period) => [
      settingField(['budgets', of, period, 'max_total_tokens'], 'tokens', settings, {
        label: t.tokensMax(t[period]),
        hint: '',
      }),
      settingField(['budgets', of, period, 'max_cost'], 'money', settings, { label: t.costMax(t[period]), hint: '' }),
    ]),
  }))
}

export function webGroups(settings: SettingsInfo, connections: readonly string[]): FieldGroup[] {
  const t = settingsTexts()
  return [
    {
      fields: [
        settingField(['web', 'allow_private_hosts'], 'lines', settings),
        settingField(['web', 'trusted_hosts'], 'lines', settings),
        settingField(['web', 'timeout_ms'], 'seconds', settings),
        settingField(['web', 'body_bytes_max'], 'mib', settings),
      ],
    },
    { title: t.search, hint: t.serviceHint, fields: serviceFields('search', settings, connections) },
    { title: t.render, hint: t.serviceHint, fields: serviceFields('render', settings, connections) },
  ]
}

/** Services that the tools of the web ask, by what each wants to be told. */
const SERVICES = {
  search: { providers: ['brave', 'tavily', 'searxng'], withUrl: ['searxng'], withAccount: [] },
  render: { providers: ['cloudflare', 'custom'], withUrl: ['custom'], withAccount: ['cloudflare'] },
} as const
export const WEB_SERVICES = ['search', 'render'] as const

function serviceFields(
  name: (typeof WEB_SERVICES)[number],
  settings: SettingsInfo,
  connections: readonly string[],
): InputField[] {
  const t = settingsTexts()
  const of = SERVICES[name]
  const path = (field: string) => ['web', name, field]
  const has = (providers: readonly string[]) => (typed: TypedForm) =>
    providers.includes(typedText(typed, path('provider').join('.')))
  const locked = lockedText(settings, ['web', name])
  const held = entryValue(settings.settings, path('provider'))
  const named = entryValue(settings.settings, path('connection'))
  const other = (value: unknown, known: readonly string[]) =>
    typeof value === 'string' && !known.includes(value) ? [value] : []
  const providers = [...of.providers, ...other(held, of.providers)]
  return [
    {
      path: path('provider'),
      label: t.service,
      kind: 'choice',
      locked,
      options: [
        { value: '', label: t.serviceKeep },
        ...providers.map((value) => ({ value, label: t.services[value] ?? value })),
      ],
    },
    {
      path: path('connection'),
      label: t.serviceKey,
      hint: t.serviceKeyHint,
      kind: 'choice',
      locked,
      when: has(providers),
      options: [
        { value: '', label: t.noKey },
        ...[...connections, ...other(named, connections)].map((value) => ({ value, label: value })),
      ],
    },
    {
      path: path('url'),
      label: t.serviceUrl,
      kind: 'text',
      locked,
      isNeeded: true,
      isWide: true,
      when: has(of.withUrl),
    },
    {
      path: path('account_id'),
      label: t.serviceAccount,
      kind: 'text',
      locked,
      isNeeded: true,
      when: has(of.withAccount),
    },
  ]
}

export function modelGroups(settings: SettingsInfo, models: readonly { id: string; default: boolean }[]): FieldGroup[] {
  const t = settingsTexts()
  const path = ['default_model']
  const isOwn = entryValue(settings.settings, path) !== undefined
  const held = models.find((model) => model.default)?.id ?? ''
  const keep = isOwn ? '' : held
  return [
    {
      fields: [
        {
          path,
          label: t.model,
          hint: t.modelHint,
          kind: 'choice',
          locked: lockedText(settings, path),
          options: [
            { value: '', label: keep === '' ? t.modelKeep('…') : t.modelKeep(keep) },
            ...models.map(({ id }) => ({ value: id, label: id })),
          ],
        },
      ],
    },
  ]
}

/** Tools that end a run or think do so by themselves: nobody decides on these. */
const INWARD = new Set(['finish', 'ask', 'rethink', 'read_result', 'find_tools'])

export function toolGroups(settings: SettingsInfo, tools: readonly ToolInfo[]): FieldGroup[] {
  const t = settingsTexts()
  const fields = tools
    .filter(({ id }) => !INWARD.has(id))
    .map((tool): InputField => {
      const path = ['tools', tool.id, 'permission']
      const own = entryValue(settings.settings, path) !== undefined
      return {
        path,
        label: tool.names[language.value] ?? tool.id,
        hint: firstSentence(describedIn(tool)),
        kind: 'choice',
        locked: lockedText(settings, path),
        options: [
          { value: '', label: own ? t.permissionKeep('…') : t.permissionKeep(t.permissions[tool.permission]) },
          ...(['allow', 'ask', 'deny'] as const).map((value) => ({ value, label: t.permissions[value] })),
        ],
      }
    })
  const isCareful = (field: InputField) =>
    tools.some(({ id, risk, enabled }) => id === field.path[1] && risk !== 'read' && enabled) ||
    entryValue(settings.settings, field.path) !== undefined
  const rest = fields.filter((field) => !isCareful(field))
  return [
    { isRows: true, fields: fields.filter(isCareful) },
    { title: t.toolsMore(numberText(rest.length)), isFolded: true, isRows: true, fields: rest },
  ]
}

const describedIn = ({ description }: ToolInfo) =>
  typeof description === 'string' ? description : description[language.value]

/** It ends as a sentence does, also where the first is only a part of one. */
const firstSentence = (text: string) =>
  /^.*?[.;。；](?=\s|$|[\p{L}])/u.exec(text)?.[0].replace(/;$/, '.').replace(/；$/, '。') ?? text
