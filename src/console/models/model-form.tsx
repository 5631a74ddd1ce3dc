import { useSignal } from '@preact/signals'
import type { SettingsInfo } from '../../domain/settings.ts'
import { isObject } from '../../lib/json.ts'
import {
  formBody,
  formChanges,
  type FieldGroup,
  type InputField,
  typedText,
  typedForm,
  type TypedForm,
} from '../forms/field.ts'
import { FieldForm } from '../forms/form.tsx'
import { CURRENCIES } from '../forms/inputs.tsx'
import { type FormRefusal, NO_REFUSAL } from '../forms/refusal.ts'
import { formTexts } from '../forms/texts.ts'
import { durationText, numberText } from '../language.ts'
import { modelFieldTexts } from '../settings/model-fields.ts'
import { usualCurrency } from '../settings/settings-store.ts'
import { askModel, type ModelTrial } from '../ui/try-model.ts'
import { saveModel, withoutPrefix } from './model-entry.ts'
import { OTHER_SERVICE, knownServiceOf, SERVICES } from './services.ts'
import { modelTexts } from './texts.ts'

interface Props {
  /** The model that is changed; null: a new one. */
  alias: string | null
  /** The names that models have. */
  taken: readonly string[]
  settings: SettingsInfo
  onSaved: (alias: string) => void
  onCancel: () => void
}

/** A new model, or another one: service, key, name, price. What is typed is tested before it is saved. */
export function ModelForm({ alias, taken, settings, onSaved, onCancel }: Props) {
  const t = modelTexts()
  const held = heldModel(settings, alias)
  const fields = groupsFor(alias, held).flatMap((group) => group.fields)
  const start = startOf(fields, held, usualCurrency(settings))
  const typed = useSignal<TypedForm>(start)
  const groups = groupsFor(alias, held, typedText(typed.value, 'service'))
  const trial = useSignal<ModelTrial | null>(null)
  const refused = useSignal<FormRefusal>(NO_REFUSAL)
  const refuse = (field: string, why: string) => (refused.value = { fields: { [field]: why }, rest: null })
  const save = async (form: TypedForm) => {
    const given = typedText(form, 'alias').trim()
    const name = alias ?? (given || typedText(form, 'model').trim())
    const wrong = alias === null ? wrongName(name, taken) : null
    if (wrong !== null) return void refuse(given === '' ? 'model' : 'alias', wrong)
    const model = alias === null ? formBody(fields, form) : formChanges(fields, start, form)
    const quirks = alias === null ? SERVICES.find(({ id }) => id === form['service'])?.quirks : undefined
    await saveModel({
      alias: name,
      model: { ...withPrice(model, form, alias === null ? null : start), ...(quirks ? { quirks } : {}) },
      key: typedText(form, 'key').trim(),
      apiUrl: typedText(form, 'api_url').trim(),
      isDefault: form['is_default'] === true,
    }).catch((error: unknown) => {
      throw withoutPrefix(error, `models.${name}.`)
    })
    onSaved(name)
  }
  const test = async (form: TypedForm) => {
    trial.value = null
    const key = typedText(form, 'key').trim()
    const isAway = typedText(form, 'api_url') !== start['api_url']
    if (key === '' && isAway && held['connection'] !== undefined) return void refuse('key', t.keyForTest)
    const isKept = alias !== null && key === '' && !isAway
    const llm = spokenOf(isKept ? formChanges(fields, start, form) : formBody(fields, form))
    const asked = isKept ? { model: alias, llm } : { llm: { ...llm, ...(key === '' ? {} : { api_key: key }) } }
    trial.value = await askModel(asked).catch((error: unknown) => {
      throw withoutPrefix(error, 'config.llm.')
    })
  }
  return (
    <>
      <h2 class="part-title">{alias === null ? t.addTitle : t.editTitle(alias)}</h2>
      <FieldForm
        label={alias === null ? t.addTitle : t.editTitle(alias)}
        groups={groups}
        typed={typed}
        refused={refused}
        onTyped={(key, form) => {
          trial.value = null
          return followService(key, form, usualCurrency(settings))
        }}
        onSave={save}
        onCancel={onCancel}
        trial={{ text: t.test, busyText: t.testing, onTry: test }}
      />
      {trial.value === null ? null : <TrialLine trial={trial.value} />}
    </>
  )
}

const ANSWER_CHARS = 80
const NAME_CHARS = 100

/** Why a new model cannot be called so; null: it can. */
function wrongName(name: string, taken: readonly string[]): string | null {
  if (taken.includes(name)) return modelTexts().taken(name)
  return name.length > NAME_CHARS ? formTexts().atMostLong(numberText(NAME_CHARS)) : null
}

/** What a test found, told to who listens too. */
export function TrialLine({ trial: { ms, answer } }: { trial: ModelTrial }) {
  return (
    <p class="good-line" role="status">
      {modelTexts().works(durationText(ms), answer.slice(0, ANSWER_CHARS))}
    </p>
  )
}

type Held = Record<string, unknown>

function heldModel({ effective }: SettingsInfo, alias: string | null): Held {
  const models = effective['models']
  const held = alias !== null && isObject(models) ? models[alias] : undefined
  return isObject(held) ? held : {}
}

function startOf(fields: readonly InputField[], held: Held, usual: string): TypedForm {
  const url = typeof held['api_url'] === 'string' ? held['api_url'] : ''
  const first = SERVICES[0]
  const service = url === '' ? (first?.id ?? OTHER_SERVICE) : knownServiceOf(url)
  const price = isObject(held['price']) ? held['price'] : {}
  const currency = typeof price['currency'] === 'string' ? price['currency'] : currencyOf(service, usual)
  const vision = typeof held['vision'] === 'boolean' ? (held['vision'] ? 'yes' : 'no') : ''
  return {
    ...typedForm(fields, held),
    service,
    api_url: url || (first?.apiUrl ?? ''),
    'price.currency': currency,
    vision,
  }
}

/** In which a service tells its prices; of one that is not known: in which those of the models here are. */
const currencyOf = (service: string, usual: string): string =>
  SERVICES.find(({ id }) => id === service)?.currency ?? usual

/** The address of a service goes with it, and the currency, unless a price is typed already. */
function followService(key: string, typed: TypedForm, usual: string): TypedForm {
  if (key !== 'api_url' && key !== 'service') return typed
  const service = key === 'service' ? typedText(typed, key) : knownServiceOf(typedText(typed, key))
  const address = key === 'service' ? (SERVICES.find(({ id }) => id === service)?.apiUrl ?? '') : typed[key]
  const hasPrice = PRICES.some((name) => typedText(typed, `price.${name}`) !== '')
  const currency = hasPrice ? typedText(typed, 'price.currency') : currencyOf(service, usual)
  return { ...typed, service, api_url: address ?? '', 'price.currency': currency }
}

const PRICES = ['prompt_per_mtok', 'cached_per_mtok', 'completion_per_mtok']

/** What of a model a call may say by itself, without what is given no more. */
function spokenOf(model: Held): Held {
  const isSpoken = ([name, value]: [string, unknown]) => value !== null && !OF_SERVER.has(name)
  return Object.fromEntries(Object.entries(model).filter(isSpoken))
}
const OF_SERVER = new Set(['price', 'connection', 'vision', 'fallback'])

/** A price is all of it or none, and whether the model sees is said or left to what is known: each as null where there is none. */
function pricedOf(form: TypedForm): Held {
  const given = PRICES.flatMap((name) => {
    const text = typedText(form, `price.${name}`).trim()
    return text === '' ? [] : [[name, Number(text)] as const]
  })
  const sees = typedText(form, 'vision')
  return {
    price: given.length === 0 ? null : { ...Object.fromEntries(given), currency: form['price.currency'] },
    vision: sees === '' ? null : sees === 'yes',
  }
}

/** A model with its price as it is sent; `before`: what the form began with, of a model that is changed. */
function withPrice(model: Held, form: TypedForm, before: TypedForm | null): Held {
  const old = before === null ? { price: null, vision: null } : pricedOf(before)
  const { price: _price, vision: _vision, ...others } = model
  const changed = Object.entries(pricedOf(form)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Object.entries(old).find(([one]) => one === name)?.[1]),
  )
  return { ...others, ...Object.fromEntries(changed) }
}

/** `service`: that which is chosen, for an example of its models. */
function groupsFor(alias: string | null, held: Held, service = ''): FieldGroup[] {
  const [t, names] = [modelTexts(), modelFieldTexts()]
  const hasKey = held['connection'] !== undefined
  const ofService = (typed: TypedForm) => SERVICES.find(({ id }) => id === typed['service'])
  const options = (texts: Record<string, string>) => Object.entries(texts).map(([value, label]) => ({ value, label }))
  const number = (name: string, label: string, more: object = {}) =>
    ({ path: [name], label, kind: 'number', ...more }) as const
  const main: InputField[] = [
    {
      path: ['service'],
      label: t.service,
      kind: 'choice',
      isAside: true,
      options: [
        ...SERVICES.map(({ id, name }) => ({ value: id, label: name })),
        { value: OTHER_SERVICE, label: t.other },
      ],
    },
    {
      path: ['model'],
      label: names.model,
      kind: 'text',
      hint: t.modelHint,
      placeholder: SERVICES.find(({ id }) => id === service)?.example,
      isNeeded: true,
    },
    { path: ['api_url'], label: names.api_url, kind: 'text', hint: t.addressHint, isNeeded: true, isWide: true },
    {
      path: ['key'],
      label: names.connection,
      kind: 'secret',
      hint: hasKey ? t.keyKept : t.keyHint,
      isAside: true,
      isWide: true,
      when: (typed) => ofService(typed)?.hosted !== false,
    },
  ]
  const named: InputField = { path: ['alias'], label: t.name, kind: 'text', hint: t.nameHint, isAside: true }
  const chosen: InputField = { path: ['is_default'], label: t.isDefault, kind: 'check', isAside: true, isWide: true }
  const prices: InputField[] = [
    number('prompt', t.prompt, { path: ['price', 'prompt_per_mtok'], least: 0 }),
    number('completion', t.completion, { path: ['price', 'completion_per_mtok'], least: 0 }),
    number('cached', t.cached, { path: ['price', 'cached_per_mtok'], least: 0 }),
    {
      path: ['price', 'currency'],
      label: t.currency,
      kind: 'choice',
      options: CURRENCIES.map((one) => ({ value: one, label: one })),
    },
  ]
  // Bounds as the server has them.
  const more: InputField[] = [
    { path: ['protocol'], label: names.protocol, kind: 'choice', options: options(t.protocols) },
    { path: ['vision'], label: names.vision, kind: 'choice', options: options(t.visions) },
    number('max_tokens', names.max_tokens, { unit: t.tokens, whole: true, least: 1, most: 1_000_000 }),
    number('context_tokens', names.context_tokens, { unit: t.tokens, whole: true, least: 1_000, most: 10_000_000 }),
    number('temperature', names.temperature, { least: 0, most: 2 }),
    number('timeout_ms', names.timeout_ms, { unit: t.seconds, size: 1_000, least: 1, most: 600_000 }),
  ]
  return [
    { fields: [...main, ...(alias === null ? [named, chosen] : [])] },
    { title: names.price, hint: t.pricesHint, fields: prices },
    { title: t.more, isFolded: true, fields: more },
  ]
}
