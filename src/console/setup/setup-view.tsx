import { language, texts } from '../language.ts'
import { MemoryView } from './memory-view.tsx'
import { type Part, PARTS } from './parts.ts'
import { ApiProblem } from '../../client/client.ts'
import type { Page } from '../../client/session-shapes.ts'
import { client } from '../api.ts'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { FilterForm } from './filter-form.tsx'
import { EntryForm } from './entry-form.tsx'
import { type Resource, ResourceCard } from './resource-card.tsx'
import { VerifyChain } from './verify-chain.tsx'
import { useSignal } from '@preact/signals'

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

/** The entries of one part: listed, made, changed, tried, deleted. */
export function Resources({ part }: { part: Part }) {
  const t = texts().setup
  const cursor = useSignal<string | null>(null)
  const entries = useSignal<Resource[]>([])
  const isNew = useSignal(false)
  const secret = useSignal<string | null>(null)
  const filter = useSignal<Record<string, string>>({})
  const { isBusy, problem, run } = useAct()
  const load = async (after: string | null) => {
    const spoken = part.isTranslated ? { language: language.value } : {}
    const query = { ...filter.value, ...spoken, limit: PAGE, ...(after === null ? {} : { cursor: after }) }
    const page = await listOrNull(part.path, query)
    if (page === null) return 'unavailable' as const
    entries.value = after === null ? page.data : [...entries.value, ...page.data]
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
async function listOrNull(path: string, query: Record<string, string | number>): Promise<Page<Resource> | null> {
  try {
    return await client.value.json<Page<Resource>>({ path, query })
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 400 && 'limit' in query)
      return client.value.json<Page<Resource>>({ path })
    if (error instanceof ApiProblem && error.status === 404) return null
    throw error
  }
}
