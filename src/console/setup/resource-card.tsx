import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { isObject } from '../../lib/json.ts'
import { client, lackedScopes } from '../api.ts'
import { viewTexts, texts } from '../language.ts'
import { besideRow, goOnAt, OpenedForm, openerOf, rowOf } from '../ui/form-focus.tsx'
import { Later } from '../ui/loaded.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { writtenOf } from '../workflow/definition.ts'
import { ActRow, WebhookTrialForm } from './act-row.tsx'
import { Facts, valueText } from './facts.tsx'
import { EntryForm } from './entry-form.tsx'
import { LogView } from './log.tsx'
import { forgetSent, unlessGone } from './make-once.ts'
import { changedHeaders } from '../setup-parts/headers.ts'
import type { Field, SetupPart } from '../setup-parts/parts.ts'
import { ServerTools } from './server-tools.tsx'
import { WorkflowRunForm } from './workflow-run.tsx'

export type Resource = Record<string, unknown>

/** It is large, and few need it. */
export const loadWorkflowForm = async () => (await import('../workflow/workflow-form.tsx')).WorkflowForm

/** The name of the row that an entry has. */
export const rowName = (part: SetupPart, entry: Resource): string => `${part.id}.${String(entry[part.key])}`

/** What the server says of an entry and does not take back. */
const TOLD_ONLY =
  /^(id|object|(created|updated|last_used|next_run|previous_secret_expires)_time|prefix|tenant|remaining|status|error|source|etag|next_runs|last_session_id|failing_since|.*_reason|.*_until)$/

interface Props {
  part: SetupPart
  entry: Resource
  onChanged: () => Promise<void>
}

/** One entry: its facts, all of it as JSON on demand, and what can be done with it. */
export function ResourceCard({ part, entry, onChanged }: Props) {
  const t = texts()
  const whole = useSignal<Resource | null>(null)
  const seen = useRef<Resource | null>(null)
  const isEdited = useSignal(false)
  const { isBusy, problem, run } = useAct()
  const name = String(entry[part.key])
  const title = typeof entry['name'] === 'string' ? entry['name'] : name
  const row = rowName(part, entry)
  const mayChange = !lackedScopes.value.has('admin')
  const mayRun = !lackedScopes.value.has('run')
  const path = `${part.path}/${encodeURIComponent(name)}`
  const { user } = entry
  // It comes with the server, and is not deleted here.
  const isGiven = entry['source'] === 'shipped' || entry['source'] === 'config'
  const query = part.isOfUsers && typeof user === 'string' ? { user } : {}
  /** Shows it, or closes it where it is shown so. */
  const open = (edits: boolean) =>
    run(async () => {
      if (whole.value !== null && isEdited.value === edits) {
        whole.value = null
        return
      }
      const readsOne = part.changes !== undefined
      whole.value = readsOne ? await client.value.json<Resource>({ path }) : entry
      seen.current = whole.value
      isEdited.value = edits
    })
  /** What is sent as a whole would take away what somebody else has saved meanwhile: that is told once, and replaced by another Save. */
  const beforeWhole = async () => {
    const now = await client.value.json<Resource>({ path }).catch(() => null)
    if (now === null || JSON.stringify(now) === JSON.stringify(seen.current)) return
    seen.current = now
    throw new Error(viewTexts().setup.changedElsewhere)
  }
  const save = async (body: Resource) => {
    const isWhole = part.changes === 'PUT'
    if (isWhole) await beforeWhole()
    const changes = isWhole ? body : changesOf(part, editable(part, whole.value ?? {}), body)
    if (isWhole || Object.keys(changes).length > 0)
      await client.value.json({ method: part.changes ?? 'PATCH', path, body: changes })
    await changed()
  }
  const close = () => {
    whole.value = null
    problem.value = null
  }
  const changed = async () => {
    whole.value = null
    goOnAt({ row })
    await onChanged()
  }
  const remove = () =>
    run(async () => {
      if (!confirm(viewTexts().setup.removeAsk(title))) return
      await client.value.send({ method: 'DELETE', path, query }).catch(unlessGone)
      forgetSent(part.path)
      const beside = besideRow(row)
      whole.value = null
      await onChanged()
      goOnAt({ row }, ...beside, { opener: part.id })
    })
  return (
    <article class="card resource" {...rowOf(row)}>
      <header>
        <strong>{title}</strong>
        {isGiven ? <span class="tag">{valueText('source', String(entry['source']))}</span> : null}
        <span class="acts">
          <button
            type="button"
            class="quiet"
            disabled={isBusy.value}
            aria-expanded={whole.value !== null && !isEdited.value}
            onClick={() => void open(false)}
          >
            {viewTexts().setup.show}
          </button>
          {part.changes && mayChange ? (
            <button
              type="button"
              class="quiet"
              {...openerOf(row)}
              disabled={isBusy.value}
              aria-expanded={whole.value !== null && isEdited.value}
              onClick={() => void open(true)}
            >
              {t.edit}
            </button>
          ) : null}
          {part.removes && !isGiven && mayChange ? (
            <button type="button" class="quiet danger" disabled={isBusy.value} onClick={() => void remove()}>
              {t.remove}
            </button>
          ) : null}
        </span>
      </header>
      <Facts shows={part.shows} entry={entry} />
      {part.id === 'mcp-servers' ? <ServerTools server={entry} /> : null}
      <ProblemLine text={whole.value !== null && isEdited.value ? null : problem.value} />
      {part.id === 'workflows' && mayRun ? <WorkflowRunForm path={`${path}/run`} schema={schemaOf(entry)} /> : null}
      {part.trial === undefined || !mayChange ? null : <WebhookTrialForm path={path + part.trial} />}
      <div class="act-rows">
        {part.acts
          ?.filter(
            ({ id, isFor }) => (id === 'nextRuns' || (id === 'try' ? mayRun : mayChange)) && (isFor?.(entry) ?? true),
          )
          .map((act) => (
            <ActRow
              key={act.id === 'nextRuns' ? timesOf(entry) : act.id}
              act={act}
              path={`${path}${act.path}`}
              query={query}
              onDone={onChanged}
            />
          ))}
        {part.log ? <LogView log={part.log} path={path + part.log.path} zone={entry['timezone']} /> : null}
      </div>
      {whole.value === null ? null : isEdited.value ? (
        <OpenedForm name={row}>
          {part.id === 'workflows' ? (
            <Later
              load={loadWorkflowForm}
              props={{
                name,
                value: writtenOf(whole.value),
                isBuiltIn: isGiven,
                beforeSave: beforeWhole,
                onSaved: changed,
                onCancel: close,
              }}
            />
          ) : (
            <EntryForm
              name={`${part.id}.${name}`}
              value={editable(part, whole.value)}
              fields={fieldsOfChange(part)}
              onSave={save}
              onCancel={close}
            />
          )}
        </OpenedForm>
      ) : (
        <pre class="plain" tabIndex={0}>
          {JSON.stringify(whole.value, null, 2)}
        </pre>
      )}
    </article>
  )
}

/** Somebody else was first: it is gone, as was wanted. */
/** What was said of other times holds no more. */
const timesOf = ({ cron, every_ms: every, at, timezone }: Resource) => JSON.stringify([cron, every, at, timezone])

/** What of an entry that is there is changed by fields. */
const fieldsOfChange = ({ fields = [] }: SetupPart): Field[] =>
  fields.flatMap((field) => (field.isFixed ? [] : field.isLasting ? { ...field, isNeeded: true } : field))

/** What a workflow is given. */
function schemaOf({ inputs }: Resource): Resource | undefined {
  return isObject(inputs) ? inputs : undefined
}

/** The fields that are another now; null for those that are gone. What is not touched is not sent, so that masks stay masks. */
function changesOf({ fields: known = [] }: SetupPart, shown: Resource, edited: Resource): Resource {
  const fields = [...new Set([...Object.keys(shown), ...Object.keys(edited)])]
  const changed = fields.filter((field) => JSON.stringify(shown[field]) !== JSON.stringify(edited[field]))
  const isOfHeaders = (field: string) => known.some(({ name, kind }) => name === field && kind === 'headers')
  return Object.fromEntries(
    changed.map((field) => [
      field,
      isOfHeaders(field) ? changedHeaders(shown[field], edited[field]) : (edited[field] ?? null),
    ]),
  )
}

function editable({ readOnly = [], changes, fields = [] }: SetupPart, entry: Resource): Resource {
  // What is sent as a whole has what is given once, too.
  const once = changes === 'PUT' ? [] : fields.flatMap(({ name, isFixed }) => (isFixed ? [name] : []))
  const isGiven = ([field, value]: [string, unknown]) =>
    value !== null && !TOLD_ONLY.test(field) && !readOnly.includes(field) && !once.includes(field)
  const within = (field: string, value: unknown) => {
    const isTaken = ([name]: [string, unknown]) => !readOnly.includes(`${field}.${name}`)
    return isObject(value) ? Object.fromEntries(Object.entries(value).filter(isTaken)) : value
  }
  const given = Object.entries(entry).filter(isGiven)
  return Object.fromEntries(given.map(([field, value]) => [field, within(field, value)]))
}
