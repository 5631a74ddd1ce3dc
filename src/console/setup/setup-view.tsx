import { language, texts, numberText } from '../language.ts'
import { MemoryView } from './memory-view.tsx'
import { type SetupPart, PARTS } from './parts.ts'
import { ApiProblem } from '../../client/client.ts'
import type { Page } from '../../client/http.ts'
import { client } from '../api.ts'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { EntryForm } from './entry-form.tsx'
import { type Resource, ResourceCard } from './resource-card.tsx'
import { useSignal } from '@preact/signals'
import { fieldText, issueText } from './facts.tsx'
import type { SkillList } from '../../domain/skill.ts'

/** What the server is set up with, a part at a time. */
export function SetupView({ part: id }: { part: string }) {
  const t = texts().setup
  const part = PARTS.find((one) => one.id === id)
  const links = [...PARTS.map((one) => ({ id: one.id, title: one.title(t) })), { id: 'memory', title: t.memory }]
  return (
    <section class="page setup">
      <h1>{t.title}</h1>
      <nav class="tabs" aria-label={t.title}>
        {links.map((link) => (
          <a key={link.id} href={`#/setup/${link.id}`} aria-current={link.id === id ? 'page' : undefined}>
            {link.title}
          </a>
        ))}
      </nav>
      {id === 'memory' ? <MemoryView /> : null}
      {links.some((link) => link.id === id) ? null : <p class="empty">{texts().notFound}</p>}
      {part ? <Resources key={part.id} part={part} /> : null}
    </section>
  )
}

const PAGE = 50

/** A page of a list, and what there would be but cannot be used. */
type ListedPage = Page<Resource> & Pick<SkillList, 'unusable'>

/** The entries of one part: listed, made, changed, tried, deleted. */
export function Resources({ part }: { part: SetupPart }) {
  const t = texts().setup
  const cursor = useSignal<string | null>(null)
  const entries = useSignal<Resource[]>([])
  const unusable = useSignal<NonNullable<ListedPage['unusable']>>([])
  const isNew = useSignal(false)
  const secret = useSignal<string | null>(null)
  const filter = useSignal<Record<string, string>>({})
  const { isBusy, problem, run } = useAct()
  const load = async (after: string | null) => {
    const spoken = part.isTranslated ? { language: language.value } : {}
    const query = {
      ...part.only,
      ...filter.value,
      ...spoken,
      limit: PAGE,
      ...(after === null ? {} : { cursor: after }),
    }
    const page = await listOrNull(part.path, query)
    if (page === null) return 'unavailable' as const
    entries.value = after === null ? page.data : [...entries.value, ...page.data]
    if (after === null) unusable.value = page.unusable ?? []
    cursor.value = page.next_cursor
    return 'loaded' as const
  }
  const first = useLoaded(() => load(null), [part.id, filter.value, part.isTranslated && language.value])
  const create = (body: Record<string, unknown>) =>
    run(async () => {
      const made = await client.value.json<Resource>({ method: 'POST', path: part.path, body })
      const once = made['key'] ?? made['secret']
      secret.value = typeof once === 'string' ? once : null
      isNew.value = false
      await first.reload()
    })
  const upload = (file: File | undefined) =>
    file &&
    run(async () => {
      const isText = file.name.toLowerCase().endsWith('.md')
      const body = isText ? await file.text() : new Uint8Array(await file.arrayBuffer())
      await client.value.json<Resource>({ method: 'POST', path: part.path, body })
      await first.reload()
    })
  if (first.value.value === 'unavailable') return <p class="empty">{t.unavailable}</p>
  return (
    <div class="resources">
      <ProblemLine text={problem.value ?? first.problem.value} />
      {part.template ? (
        <div class="acts">
          <button
            type="button"
            class="primary"
            aria-expanded={isNew.value}
            onClick={() => (isNew.value = !isNew.value)}
          >
            {t.new}
          </button>
          {part.uploads ? (
            <label>
              {t.upload}{' '}
              <input
                type="file"
                accept=".zip,.md"
                disabled={isBusy.value}
                onChange={({ currentTarget }) => void upload(currentTarget.files?.[0])}
              />
            </label>
          ) : null}
        </div>
      ) : null}
      {isNew.value && part.template ? (
        <EntryForm name={part.id} value={part.template} fields={part.fields} isBusy={isBusy.value} onSave={create} />
      ) : null}
      {secret.value === null ? null : (
        <p class="secret" role="status">
          {t.secret} <code>{secret.value}</code>
        </p>
      )}
      {part.verifies === undefined ? null : <VerifyChain path={part.verifies} />}
      {part.filters ? <FilterForm fields={part.filters} onFilter={(wanted) => (filter.value = wanted)} /> : null}
      {entries.value.map((entry) => (
        <ResourceCard key={String(entry[part.key])} part={part} entry={entry} onChanged={first.reload} />
      ))}
      {unusable.value.map(({ name, problems }) => (
        <p key={name} class="problem">
          {t.unusable(name)} {problems.map(issueText).join('; ')}
        </p>
      ))}
      {first.value.value === 'loaded' && entries.value.length === 0 ? <p class="empty">{t.none}</p> : null}
      {cursor.value === null ? null : (
        <button type="button" onClick={() => void run(async () => void (await load(cursor.value)))}>
          {texts().more}
        </button>
      )}
    </div>
  )
}

/** A server that does not have the part says 404. */
async function listOrNull(path: string, query: Record<string, string | number>): Promise<ListedPage | null> {
  try {
    return await client.value.json<ListedPage>({ path, query })
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 400 && 'limit' in query)
      return client.value.json<ListedPage>({ path })
    if (error instanceof ApiProblem && error.status === 404) return null
    throw error
  }
}

interface Props {
  fields: readonly string[]
  onFilter: (wanted: Record<string, string>) => void
}

/** Which entries are looked for, by the values of fields. */
export function FilterForm({ fields, onFilter }: Props) {
  const wanted = useSignal<Record<string, string>>({})
  return (
    <form
      class="acts"
      onSubmit={(event) => {
        event.preventDefault()
        onFilter(Object.fromEntries(Object.entries(wanted.value).filter(([, value]) => value !== '')))
      }}
    >
      {fields.map((field) => (
        <input
          key={field}
          aria-label={fieldText(field)}
          placeholder={fieldText(field)}
          value={wanted.value[field] ?? ''}
          onInput={(event) => (wanted.value = { ...wanted.value, [field]: event.currentTarget.value.trim() })}
        />
      ))}
      <button type="submit">{texts().setup.filter}</button>
    </form>
  )
}

interface Verification {
  ok: boolean
  checked: number
  broken: { id: string; reason: string } | null
  next_cursor: string | null
}

/** Whether the chain of the audit is whole; followed to its end, or to the first entry that breaks it. */
export function VerifyChain({ path }: { path: string }) {
  const t = texts().setup
  const said = useSignal<string | null>(null)
  const { isBusy, problem, run } = useAct()
  const verify = () =>
    run(async () => {
      said.value = null
      let checked = 0
      let cursor: string | null = null
      do {
        const query: { cursor?: string } = cursor === null ? {} : { cursor }
        const step: Verification = await client.value.json<Verification>({ path, query })
        checked += step.checked
        said.value = step.broken ? t.chainBroken(step.broken.id, step.broken.reason) : t.chainWhole(numberText(checked))
        cursor = step.ok ? step.next_cursor : null
      } while (cursor !== null)
    })
  return (
    <div class="acts">
      <button type="button" disabled={isBusy.value} onClick={() => void verify()}>
        {isBusy.value ? t.testing : t.verify}
      </button>
      <span role="status">{said.value}</span>
      <ProblemLine text={problem.value} />
    </div>
  )
}
