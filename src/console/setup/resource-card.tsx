import { useSignal } from '@preact/signals'
import { client } from '../api.ts'
import { texts } from '../language.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { ActRow } from './act-row.tsx'
import { JsonForm } from './json-form.tsx'
import type { Part } from './parts.ts'

export type Resource = Record<string, unknown>

/** What the server says of an entry and does not take back. */
const TOLD_ONLY =
  /^(id|object|created_time|updated_time|last_used_time|next_run_time|prefix|tenant|remaining|status|error|tools|source|etag)$/

interface Props {
  part: Part
  entry: Resource
  onChanged: () => Promise<void>
}

/** One entry: its facts, all of it as JSON on demand, and what can be done with it. */
export function ResourceCard({ part, entry, onChanged }: Props) {
  const t = texts()
  const whole = useSignal<Resource | null>(null)
  const isEdited = useSignal(false)
  const { isBusy, problem, run } = useAct()
  const name = String(entry[part.key])
  const path = `${part.path}/${encodeURIComponent(name)}`
  const open = (edits: boolean) =>
    run(async () => {
      const readsOne = part.changes !== undefined
      whole.value = readsOne ? await client.value.json<Resource>({ path }) : entry
      isEdited.value = edits
    })
  const save = (body: Resource) =>
    run(async () => {
      await client.value.json({ method: part.changes ?? 'PATCH', path, body })
      whole.value = null
      await onChanged()
    })
  const remove = () =>
    run(async () => {
      if (!confirm(t.setup.removeAsk(name))) return
      await client.value.send({ method: 'DELETE', path })
      await onChanged()
    })
  return (
    <article class="card resource">
      <header>
        <strong>{typeof entry['name'] === 'string' ? entry['name'] : name}</strong>
        <span class="acts">
          <button type="button" class="quiet" disabled={isBusy.value} onClick={() => void open(false)}>
            {t.setup.show}
          </button>
          {part.changes ? (
            <button type="button" class="quiet" disabled={isBusy.value} onClick={() => void open(true)}>
              {t.edit}
            </button>
          ) : null}
          {part.removes ? (
            <button type="button" class="quiet danger" disabled={isBusy.value} onClick={() => void remove()}>
              {t.remove}
            </button>
          ) : null}
        </span>
      </header>
      <Facts part={part} entry={entry} />
      <ProblemLine text={problem.value} />
      {part.acts?.map((act) => (
        <ActRow key={act.id} act={act} path={`${path}${act.path}`} name={name} onDone={onChanged} />
      ))}
      {whole.value === null ? null : isEdited.value ? (
        <JsonForm value={editable(whole.value)} isBusy={isBusy.value} onSave={(body) => void save(body)} />
      ) : (
        <pre class="plain" tabIndex={0}>
          {JSON.stringify(whole.value, null, 2)}
        </pre>
      )}
    </article>
  )
}

function editable(entry: Resource): Resource {
  return Object.fromEntries(Object.entries(entry).filter(([field, value]) => !TOLD_ONLY.test(field) && value !== null))
}

function Facts({ part, entry }: Pick<Props, 'part' | 'entry'>) {
  const facts = part.shows.flatMap((field) => {
    const value = entry[field]
    if (value === undefined || value === null || value === '' || field === 'name') return []
    return [[field, typeof value === 'string' ? value : JSON.stringify(value)] as const]
  })
  return (
    <dl class="facts">
      {facts.map(([field, text]) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
