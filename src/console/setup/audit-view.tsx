import { useSignal } from '@preact/signals'
import type { AuditEntry } from '../../domain/audit.ts'
import type { Page } from '../../client/http.ts'
import { client, may } from '../api.ts'
import { language, listText, momentText, texts, labelledText, viewTexts } from '../language.ts'
import { sessionAddress } from '../route.ts'
import { listedSessions } from '../sessions/session-store.ts'
import { fieldText } from './facts.tsx'
import { VerifyChain } from './verify-chain.tsx'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { auditTexts } from './audit-words.ts'

const PAGE = 50
type Wanted = Partial<Record<'actor' | 'action' | 'target', string>>

export function AuditView() {
  return may('admin') ? <Audit /> : <p class="notice">{auditTexts().notAdmin}</p>
}

/** Who did what, in sentences whose subjects lead to where they are. */
function Audit() {
  const t = auditTexts()
  const entries = useSignal<readonly AuditEntry[]>([])
  const cursor = useSignal<string | null>(null)
  const wanted = useSignal<Wanted>({})
  const { isBusy, problem, run } = useAct()
  const read = async (after: string | null) => {
    const page = await client.value.audit.list({
      ...wanted.value,
      limit: PAGE,
      ...(after === null ? {} : { cursor: after }),
    })
    entries.value = after === null ? page.data : [...entries.value, ...page.data]
    cursor.value = page.next_cursor
    return true
  }
  const first = useLoaded(() => read(null), [wanted.value])
  const names = useLoaded(readNames, []).value.value ?? NO_NAMES
  const isSought = Object.keys(wanted.value).length > 0
  return (
    <div class="resources">
      <p class="hint">{t.intro}</p>
      <Filter onFilter={(given) => (wanted.value = given)} />
      <VerifyChain path="/v1/audit/verify" />
      <ProblemLine text={problem.value ?? first.problem.value} />
      {first.value.value !== null && entries.value.length === 0 ? (
        <p class="empty">{isSought ? t.nothingFound : t.empty}</p>
      ) : null}
      <ol class="audit">
        {entries.value.map((entry) => (
          <Entry key={entry.id} entry={entry} names={names} />
        ))}
      </ol>
      {cursor.value === null ? null : (
        <button
          type="button"
          disabled={isBusy.value}
          onClick={() => void run(async () => void (await read(cursor.value)))}
        >
          {texts().more}
        </button>
      )}
    </div>
  )
}

/** What is called otherwise than the log names it, by the id that this has. */
type Names = ReadonlyMap<string, string>

const NO_NAMES: Names = new Map()
const NAMED = ['callbacks', 'keys', 'schedules', 'webhooks']
const NAMES_MAX = 100

async function readNames(): Promise<Names> {
  const query = { limit: NAMES_MAX }
  const lists = await Promise.all(
    NAMED.map((part) => client.value.json<Page<{ id: string; name: string | null }>>({ path: `/v1/${part}`, query })),
  )
  return new Map(
    lists.flatMap(({ data }) => data.flatMap(({ id, name }) => (name ? [[id, `“${name}”`] as const] : []))),
  )
}

function Filter({ onFilter }: { onFilter: (wanted: Wanted) => void }) {
  const t = auditTexts()
  const typed = useSignal<Wanted>({})
  const type = (field: keyof Wanted, value: string) => (typed.value = { ...typed.value, [field]: value.trim() })
  const text = (field: keyof Wanted) => (
    <input
      aria-label={fieldText(field)}
      placeholder={fieldText(field)}
      value={typed.value[field] ?? ''}
      onInput={(event) => type(field, event.currentTarget.value)}
    />
  )
  return (
    <form
      class="acts audit-filter"
      onSubmit={(event) => {
        event.preventDefault()
        onFilter(Object.fromEntries(Object.entries(typed.value).filter(([, value]) => value !== '')))
      }}
    >
      {text('actor')}
      <select
        aria-label={fieldText('action')}
        value={typed.value.action ?? ''}
        onChange={(event) => type('action', event.currentTarget.value)}
      >
        <option value="">{t.anything}</option>
        {Object.entries(t.did).map(([action, words]) => (
          <option key={action} value={action}>
            {words.replace(/\s*\{\}\s*/, ' … ').trim()}
          </option>
        ))}
      </select>
      {text('target')}
      <button type="submit">{viewTexts().setup.filter}</button>
    </form>
  )
}

interface EntryProps {
  entry: AuditEntry
  names: Names
}

function Entry({ entry, names }: EntryProps) {
  const t = auditTexts()
  const { action, actor, outcome, time } = entry
  const name = nameOf(entry, names)
  const [before = '', after = ''] = spaced(t.did[action] ?? `${action} {}`, name).split('{}')
  const isUnknown = actor.kind === 'key' && actor.id === 'unknown'
  const who = isUnknown ? t.unknownKey : t.who[actor.kind].replace('{}', actor.id)
  // That of a key says that it was refused itself.
  const isToldBeside = outcome !== 'done' && action !== 'access.key'
  return (
    <li class="resource" data-outcome={outcome}>
      <p class="sentence">
        <strong>{who}</strong> {before}
        {(t.did[action] ?? '{}').includes('{}') ? <Target entry={entry} name={name} /> : null}
        {after}
        {isToldBeside ? <span class="tag">{t.outcomes[outcome]}</span> : null}
      </p>
      <time dateTime={time}>{momentText(time)}</time>
      <details>
        <summary>{t.details}</summary>
        <Details entry={entry} />
      </details>
    </li>
  )
}

/** Parts of the set-up by what their actions begin with. */
const PLACES: Readonly<Record<string, string>> = {
  callback: 'callbacks',
  connection: 'connections',
  key: 'keys',
  mcp_server: 'mcp-servers',
  openapi_tools: 'openapi-tools',
  schedule: 'schedules',
  skill: 'skills',
  webhook: 'webhooks',
  workflow: 'workflows',
}

const sessionOf = (target: string) => /\bses_[0-9a-z]+/.exec(target)?.[0]

/** What the target of an act is called: in quotation marks, where it is not by its id. */
function nameOf({ target }: AuditEntry, names: Names): string {
  if (target === null) return ''
  const session = sessionOf(target)
  return names.get(target) ?? (session === undefined ? null : titleOf(session)) ?? target
}

/** Chinese has no space beside its quotation marks. */
const spaced = (words: string, name: string) =>
  language.value === 'zh-CN' && name.startsWith('“') ? words.replace(/ *\{\} */, '{}') : words

function Target({ entry: { action, target }, name }: { entry: AuditEntry; name: string }) {
  if (target === null) return null
  const session = sessionOf(target)
  const place = PLACES[action.split('.')[0] ?? '']
  const isGone = action.endsWith('.delete')
  if (session !== undefined && !isGone) return <a href={sessionAddress(session)}>{name}</a>
  if (place !== undefined && !isGone) return <a href={`#/setup/${place}`}>{name}</a>
  return <span>{name}</span>
}

/** What a session is called, where it is among those that are listed. */
function titleOf(session: string): string | null {
  const found = listedSessions.value?.find(({ id }) => id === session)
  return found === undefined ? null : `“${found.title || texts().untitled}”`
}

/** All that is kept of an act, a line each. */
function Details({ entry }: { entry: AuditEntry }) {
  const t = auditTexts()
  const { action, id, target, request_id: request, status, details, hash } = entry
  const lines = Object.entries({ action, target, ...details, status, request_id: request, id, hash }).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return (
    <dl class="facts">
      {lines.map(([field, value]) => (
        <div key={field}>
          <dt>{t.fields[field] ?? field}</dt>
          <dd>{shownValue(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

function shownValue(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return viewTexts().words.values[String(value)] ?? ''
  if (Array.isArray(value)) return listText(value.map(shownValue))
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return listText(inner.map(([name, one]) => labelledText(name, shownValue(one))))
}
