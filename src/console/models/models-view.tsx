import { useSignal } from '@preact/signals'
import type { ModelInfo } from '../../domain/model.ts'
import type { SettingsInfo } from '../../domain/settings.ts'
import { isObject } from '../../lib/json.ts'
import { client, may } from '../api.ts'
import { numberText, texts } from '../language.ts'
import { readSettings, isLocked } from '../settings/settings-store.ts'
import { besideRow, goOnAt, OpenedForm, openerOf, rowOf } from '../ui/form-focus.tsx'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { ModelForm, TrialLine } from './model-form.tsx'
import { askModel, modelPriceText, type ModelTrial } from '../ui/try-model.ts'
import { removeModel } from './model-entry.ts'
import { modelTexts } from './texts.ts'

/** Opens the form of a new model. */
const ADD = 'models'
const rowName = (alias: string) => `models.${alias}`

/** The models: what each costs, whether it answers, and the means to add one. */
export function ModelsView() {
  const t = modelTexts()
  const edited = useSignal<{ alias: string | null } | null>(null)
  const saved = useSignal<string | null>(null)
  const found = useLoaded(async () => {
    const [{ data }, settings] = await Promise.all([client.value.models(), readSettings()])
    return { models: data, settings }
  })
  const { models = [], settings = null } = found.value.value ?? {}
  const isBuiltInOnly = models.length > 0 && models.every(({ provider }) => provider === 'built-in')
  const locked = settings && isLocked(settings, ['models']) ? t.locked : null
  const mayChange = settings !== null && locked === null
  const add = () => {
    saved.value = null
    edited.value = { alias: null }
  }
  const done = async (alias: string) => {
    await found.reload()
    edited.value = null
    saved.value = alias
    goOnAt({ row: rowName(alias) })
  }
  if (edited.value && settings)
    return (
      <OpenedForm name={edited.value.alias === null ? ADD : rowName(edited.value.alias)}>
        <ModelForm
          alias={edited.value.alias}
          taken={models.map(({ id }) => id)}
          settings={settings}
          onSaved={(alias) => void done(alias)}
          onCancel={() => (edited.value = null)}
        />
      </OpenedForm>
    )
  return (
    <div class="resources">
      <div class="part-head">
        <p class="hint">{t.intro}</p>
        {mayChange && !isBuiltInOnly ? (
          <button type="button" class="primary" {...openerOf(ADD)} onClick={add}>
            {t.add}
          </button>
        ) : null}
      </div>
      <ProblemLine text={found.problem.value} />
      {saved.value === null ? null : (
        <p class="good-line" role="status">
          {t.saved(saved.value)}
        </p>
      )}
      {found.value.value !== null && !mayChange ? <p class="notice">{locked ?? t.notAdmin}</p> : null}
      {isBuiltInOnly && mayChange ? (
        <section class="card first-act">
          <h2>{t.onlyBuiltIn}</h2>
          <p>{t.onlyBuiltInHint}</p>
          <button type="button" class="primary" {...openerOf(ADD)} onClick={add}>
            {t.add}
          </button>
        </section>
      ) : null}
      {found.value.value === null && found.problem.value === null ? <p class="empty">{texts().loading}</p> : null}
      {models.map((model) => (
        <ModelCard
          key={model.id}
          model={model}
          settings={mayChange ? settings : null}
          onEdit={() => {
            saved.value = null
            edited.value = { alias: model.id }
          }}
          onChanged={async () => {
            saved.value = null
            await found.reload()
          }}
        />
      ))}
    </div>
  )
}

interface CardProps {
  model: ModelInfo
  /** Null: nothing is changed. */
  settings: SettingsInfo | null
  onEdit: () => void
  onChanged: () => Promise<void>
}

function ModelCard({ model, settings, onEdit, onChanged }: CardProps) {
  const t = modelTexts()
  const trial = useSignal<ModelTrial | null>(null)
  const { isBusy, problem, run } = useAct()
  const own = isObject(settings?.settings['models']) && Object.hasOwn(settings.settings['models'], model.id)
  const isBuiltIn = model.provider === 'built-in'
  const test = () =>
    run(async () => {
      trial.value = null
      trial.value = await askModel({ model: model.id })
    })
  const choose = () =>
    run(async () => {
      await client.value.settings.patch({ default_model: model.id })
      await onChanged()
    })
  const remove = () =>
    run(async () => {
      if (settings === null || !confirm(t.removeAsk(model.id))) return
      await removeModel(model.id, settings)
      const beside = besideRow(rowName(model.id))
      await onChanged()
      goOnAt(...beside, { opener: ADD })
    })
  return (
    <article class="card resource model" aria-label={model.id} {...rowOf(rowName(model.id))}>
      <header>
        <h2>
          {model.id} {model.default ? <span class="tag on">{t.defaultMark}</span> : null}
        </h2>
        <span class="acts">
          {may('run') ? (
            <button type="button" disabled={isBusy.value} onClick={() => void test()}>
              {isBusy.value ? t.testing : t.test}
            </button>
          ) : null}
          {settings === null || model.default ? null : (
            <button type="button" class="quiet" disabled={isBusy.value} onClick={() => void choose()}>
              {t.makeDefault}
            </button>
          )}
          {settings === null || isBuiltIn ? null : (
            <button
              type="button"
              class="quiet"
              {...openerOf(rowName(model.id))}
              disabled={isBusy.value}
              onClick={onEdit}
            >
              {t.edit}
            </button>
          )}
          {settings === null || !own ? null : (
            <button type="button" class="quiet danger" disabled={isBusy.value} onClick={() => void remove()}>
              {t.remove}
            </button>
          )}
        </span>
      </header>
      <p class="facts">{isBuiltIn ? t.builtIn : factsOf(model, settings !== null && !own)}</p>
      {isBuiltIn ? null : <p class="facts">{priceText(model)}</p>}
      <ProblemLine text={problem.value} />
      {trial.value === null ? null : <TrialLine trial={trial.value} />}
    </article>
  )
}

function factsOf(model: ModelInfo, isOfFile: boolean): string {
  const t = modelTexts()
  const facts = [
    model.model === model.id ? null : model.model,
    model.owned_by || null,
    t.window(numberText(model.context_window ?? model.context_tokens)),
    model.vision ? t.sees : null,
    isOfFile ? t.fromFile : null,
  ]
  return facts.filter((fact) => fact !== null).join(' · ')
}

function priceText(model: ModelInfo): string {
  const t = modelTexts()
  const { price_source: source } = model
  const text = modelPriceText(model)
  if (text === null) return t.noPrice
  return source === null || source === 'config' ? text : `${text} · ${t.priceFrom(source.date)}`
}
