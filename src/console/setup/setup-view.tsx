import { clausesText, language, texts, viewTexts } from '../language.ts'
import { AuditView } from './audit-view.tsx'
import { auditTexts } from './audit-words.ts'
import { MemoryView } from './memory-view.tsx'
import { begunEntry, type SetupPart, PARTS } from '../setup-parts/parts.ts'
import { ApiProblem } from '../../client/client.ts'
import type { Page } from '../../client/http.ts'
import { SECRET_MASK } from '../../lib/text.ts'
import { client, lackedScopes } from '../api.ts'
import { NewSecret } from '../ui/copy-button.tsx'
import { goOnAt, OpenedForm, openerOf } from '../ui/form-focus.tsx'
import { Later, useLoaded } from '../ui/loaded.tsx'
import { Icon } from '../ui/marks.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { EntryForm } from './entry-form.tsx'
import { makeOnce } from './make-once.ts'
import { loadWorkflowForm, type Resource, ResourceCard, rowName } from './resource-card.tsx'
import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { shownPart } from '../tab-title.ts'
import { LostWays } from '../ways-on.tsx'
import { fieldText, issueText } from './facts.tsx'
import type { ComponentChildren, ComponentType } from 'preact'
import { ModelsView } from '../models/models-view.tsx'
import { SettingsView } from '../settings/settings-view.tsx'
import { navTexts } from '../setup-parts/nav-texts.ts'
import { setupTitle } from '../setup-parts/titles.ts'
import { SetupNav } from './setup-nav.tsx'
import type { SkillList } from '../../domain/skill.ts'

/** What the server is set up with, a part at a time. */
export function SetupView({ part: id }: { part: string }) {
  const Own = OWN_VIEWS[id]
  const part = PARTS.find((one) => one.id === id)
  const title = setupTitle(id)
  useLayoutEffect(() => void (shownPart.value = title ?? texts().lost.page), [title])
  return (
    <section class="page setup">
      <SetupNav current={id} />
      <div class="setup-part">
        <h1>{title ?? texts().lost.page}</h1>
        {Own ? <Own /> : part ? <Resources key={part.id} part={part} /> : <LostWays />}
      </div>
    </section>
  )
}

/** Parts that are more than a list of entries. */
const OWN_VIEWS: Record<string, ComponentType> = {
  models: ModelsView,
  settings: SettingsView,
  memory: MemoryView,
  audit: AuditView,
}

const PAGE = 50

/** A page of a list, and what there would be but cannot be used. */
type ListedPage = Page<Resource> & Pick<SkillList, 'unusable'>

/** The entries of one part: listed, made, changed, tried, deleted. */
export function Resources({ part }: { part: SetupPart }) {
  const t = viewTexts().setup
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
  const create = async (body: Record<string, unknown>) => {
    const made = await makeOnce(part.path, body)
    // What is a user's is listed with those of the user, and what is for all without them.
    if (part.isOfUsers) filter.value = typeof made['user'] === 'string' ? { user: made['user'] } : {}
    const once = made['key'] ?? made['secret']
    secret.value = typeof once === 'string' && once !== SECRET_MASK ? once : null
    await created()
    if (secret.value === null) goOnAt({ row: rowName(part, made) })
  }
  const cancel = () => {
    isNew.value = false
    problem.value = null
  }
  /** The row is there before the form goes. */
  const created = async () => {
    await first.reload()
    isNew.value = false
  }
  const upload = (file: File | undefined) =>
    file &&
    run(async () => {
      if (part.id === 'workflows') await client.value.workflows.create(await file.text())
      else {
        const isText = file.name.toLowerCase().endsWith('.md')
        const body = isText ? await file.text() : new Uint8Array(await file.arrayBuffer())
        await client.value.json<Resource>({ method: 'POST', path: part.path, body })
      }
      await first.reload()
    })
  if (first.value.value === 'unavailable') return <p class="empty">{t.unavailable}</p>
  const isEmpty = first.value.value === 'loaded' && entries.value.length === 0 && !isNew.value
  const isFiltered = Object.keys(filter.value).length > 0
  const mayChange = !lackedScopes.value.has('admin')
  // They stand elsewhere in an empty part, so they are shown once it is known where: a press would miss a button that moves.
  const hasAnswer = first.value.value !== null || first.problem.value !== null
  const acts =
    part.template && hasAnswer && mayChange ? (
      <div class="acts">
        <button
          type="button"
          class="primary"
          {...openerOf(part.id)}
          aria-expanded={isNew.value}
          onClick={() => (isNew.value = !isNew.value)}
        >
          {t.new}
        </button>
        {part.uploads ? (
          <label class="button upload">
            <Icon name="attach" /> {t.upload}
            <input
              type="file"
              class="unseen"
              accept={part.id === 'workflows' ? '.yaml,.yml,.json' : '.zip,.md'}
              disabled={isBusy.value}
              onChange={({ currentTarget }) => {
                void upload(currentTarget.files?.[0])
                currentTarget.value = ''
              }}
            />
          </label>
        ) : null}
      </div>
    ) : null
  return (
    <div class="resources">
      {mayChange ? null : <p class="notice">{t.notAdmin}</p>}
      <ProblemLine text={(isNew.value ? null : problem.value) ?? (mayChange ? first.problem.value : null)} />
      {isEmpty && !isFiltered ? null : acts}
      {isNew.value && part.template ? (
        <OpenedForm name={part.id}>
          {part.id === 'workflows' ? (
            <Later
              load={loadWorkflowForm}
              props={{ name: null, value: part.template, onSaved: created, onCancel: cancel }}
            />
          ) : (
            <EntryForm
              name={part.id}
              value={begunEntry(part, language.value)}
              fields={part.fields}
              onSave={create}
              onCancel={cancel}
            />
          )}
        </OpenedForm>
      ) : null}
      {secret.value === null ? null : (
        <NewSecret
          secret={secret.value}
          what={part.id === 'keys' ? (setupTitle(part.id) ?? '') : fieldText('own_secret')}
        />
      )}
      {part.filters && mayChange ? (
        <FilterForm fields={part.filters} given={filter.value} onFilter={(wanted) => (filter.value = wanted)} />
      ) : null}
      {entries.value.map((entry) => (
        <ResourceCard key={String(entry[part.key])} part={part} entry={entry} onChanged={first.reload} />
      ))}
      {unusable.value.map(({ name, problems }) => (
        <p key={name} class="problem">
          {t.unusable(name)} {clausesText(problems.map(issueText))}
        </p>
      ))}
      {!isEmpty ? null : isFiltered ? (
        <p class="empty">{auditTexts().nothingFound}</p>
      ) : (
        <EmptyPart id={part.id} acts={acts} />
      )}
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
  /** What is looked for now. */
  given: Record<string, string>
  onFilter: (wanted: Record<string, string>) => void
}

/** Which entries are looked for, by the values of fields. */
function FilterForm({ fields, given, onFilter }: Props) {
  const wanted = useSignal(given)
  useLayoutEffect(() => void (wanted.value = given), [given])
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
      <button type="submit">{viewTexts().setup.filter}</button>
    </form>
  )
}

/** What a part is for, where there is nothing in it yet, and how one begins. */
function EmptyPart({ id, acts }: { id: string; acts: ComponentChildren }) {
  const what = navTexts().whatFor[id]
  return (
    <div class="empty">
      <p>{viewTexts().setup.none}</p>
      {what === undefined ? null : <p>{what}</p>}
      {acts}
    </div>
  )
}
