import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { SettingsInfo } from '../../domain/settings.ts'
import { isObject } from '../../lib/json.ts'
import { client } from '../api.ts'
import { formChanges, type FieldGroup, typedText, typedForm, type TypedForm, entryValue } from '../forms/field.ts'
import { FieldForm } from '../forms/form.tsx'
import { texts } from '../language.ts'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine } from '../ui/problem.tsx'
import {
  BUDGET_PERIODS,
  budgetGroups,
  limitGroups,
  modelGroups,
  toolGroups,
  WEB_SERVICES,
  webGroups,
} from './settings-fields.ts'
import { readSettings } from './settings-store.ts'
import { settingsTexts } from './texts.ts'
import { Versions } from './versions.tsx'

/** What holds for everybody, as fields: default model, limits, budgets, tools and web, with who changed what. */
export function SettingsView() {
  const t = settingsTexts()
  const found = useLoaded(async () => {
    const [settings, { data: models }, { data: tools }] = await Promise.all([
      readSettings(),
      client.value.models(),
      client.value.tools(),
    ])
    const { data } = settings ? await client.value.connections.list({ limit: 100 }) : { data: [] }
    return { settings, models, tools, connections: data.map(({ name }) => name) }
  })
  /** What is typed is begun anew once another version holds. */
  const epoch = useSignal(0)
  const rolledBack = async () => {
    await found.reload()
    epoch.value++
  }
  const loaded = found.value.value
  if (loaded === null)
    return (
      <>
        <ProblemLine text={found.problem.value} />
        {found.problem.value === null ? <p class="empty">{texts().loading}</p> : null}
      </>
    )
  const { settings, models, tools, connections } = loaded
  if (settings === null) return <p class="notice">{t.notAdmin}</p>
  const part = (id: string, title: string, hint: string, groups: FieldGroup[]) => (
    <Part id={id} title={title} hint={hint}>
      <SettingsForm key={epoch.value} title={title} groups={groups} settings={settings} onSaved={found.reload} />
    </Part>
  )
  return (
    <div class="settings">
      <p class="hint">{t.intro}</p>
      {part('model', t.model, '', modelGroups(settings, models))}
      {part('limits', t.limits, t.limitsHint, limitGroups(settings))}
      {part('budgets', t.budgets, t.budgetsHint, budgetGroups(settings))}
      {part('tools', t.tools, t.toolsHint, toolGroups(settings, tools))}
      {part('web', t.web, t.webHint, webGroups(settings, connections))}
      <Part id="versions" title={t.history} hint={t.historyHint}>
        <Versions current={settings.version} onChanged={rolledBack} />
      </Part>
    </div>
  )
}

interface PartProps {
  id: string
  title: string
  hint: string
  children: ComponentChildren
}

function Part({ id, title, hint, children }: PartProps) {
  return (
    <section class="settings-part" data-part={id}>
      <h2>{title}</h2>
      {hint === '' ? null : <p class="hint">{hint}</p>}
      {children}
    </section>
  )
}

interface FormProps {
  title: string
  groups: FieldGroup[]
  settings: SettingsInfo
  onSaved: () => Promise<void>
}

/** Fields of the settings that are saved together. Only those that were changed are sent: what others change meanwhile stays. */
function SettingsForm({ title, groups, settings, onSaved }: FormProps) {
  const t = settingsTexts()
  const fields = groups.flatMap((group) => group.fields)
  /** What the fields had when they were last read or saved. */
  const base = useSignal<TypedForm>(typedForm(fields, settings.settings))
  const typed = useSignal<TypedForm>(base.value)
  const said = useSignal<string | null>(null)
  const save = async (form: TypedForm) => {
    said.value = null
    const changes = formChanges(fields, base.value, form)
    if (Object.keys(changes).length === 0) {
      said.value = t.nothing
      return
    }
    await client.value.settings.patch(withoutEmptied(changes, settings, form))
    base.value = form
    said.value = t.saved
    await onSaved()
  }
  return (
    <FieldForm label={title} groups={groups} typed={typed} onSave={save}>
      <span class="saved" role="status">
        {said.value}
      </span>
    </FieldForm>
  )
}

/** A budget of which nothing is left, and a service that is chosen no more, is taken away whole. */
function withoutEmptied(
  changes: Record<string, unknown>,
  { settings }: SettingsInfo,
  form: TypedForm,
): Record<string, unknown> {
  const result = structuredClone(changes)
  const takeAway = (path: readonly string[]) => {
    const parent = entryValue(result, path.slice(0, -1))
    if (isObject(parent)) Object.assign(parent, { [path.at(-1) ?? '']: null })
  }
  for (const path of BUDGET_PERIODS) {
    const change = entryValue(result, path)
    const held = entryValue(settings, path)
    if (!isObject(change)) continue
    const left = Object.values({ ...(isObject(held) ? held : {}), ...change }).filter((value) => value !== null)
    if (left.length === 0) takeAway(path)
  }
  for (const service of WEB_SERVICES) {
    const path = ['web', service]
    if (isObject(entryValue(result, path)) && typedText(form, `web.${service}.provider`) === '') takeAway(path)
  }
  return result
}
