import { useSignal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { ModelInfo } from '../../domain/model.ts'
import { type FieldGroup, type InputField, type TypedForm, typedText } from '../forms/field.ts'
import { FieldForm } from '../forms/form.tsx'
import { type FormRefusal, NO_REFUSAL } from '../forms/refusal.ts'
import { formTexts } from '../forms/texts.ts'
import { durationText, viewTexts } from '../language.ts'
import { hostOf } from '../models/addresses.ts'
import { OTHER_SERVICE, SERVICES } from '../models/services.ts'
import { modelTexts } from '../models/texts.ts'
import { goOnAt } from '../ui/form-focus.tsx'
import { readOffers } from '../ui/offers.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { modelPriceText } from '../ui/try-model.ts'
import { allowPrivateHost, tryModel, useModel, type WrittenModel } from './model-connection.ts'

const serviceOf = (typed: TypedForm) => SERVICES.find(({ id }) => id === typed['service'])

/** What stands in the form once a service is chosen: all but its key. */
function chosen(service: string): TypedForm {
  const { apiUrl = '', example = '' } = SERVICES.find(({ id }) => id === service) ?? {}
  return { service, model: example, api_url: apiUrl, key: '' }
}

const written = (typed: TypedForm): WrittenModel => ({
  url: typedText(typed, 'api_url').trim(),
  model: typedText(typed, 'model').trim(),
  key: typedText(typed, 'key').trim(),
  quirks: serviceOf(typed)?.quirks,
})

interface Props {
  /** A model answers now. */
  onDone: () => void
}

/** For who has the built-in model alone: a language model is connected here, without a file and without a restart. */
export function ConnectModel({ onDone }: Props) {
  const { connectModel: t } = viewTexts()
  const typed = useSignal<TypedForm>(chosen(SERVICES[0]?.id ?? OTHER_SERVICE))
  const refused = useSignal<FormRefusal>(NO_REFUSAL)
  const said = useSignal<string | null>(null)
  const isConnected = useSignal(false)
  /** What was written when the model answered last. */
  const answered = useRef('')
  const follow = (key: string, form: TypedForm) => {
    said.value = null
    return key === 'service' ? chosen(typedText(form, 'service')) : form
  }
  const attempt = async (form: TypedForm) => {
    said.value = null
    const ms = await tryModel(written(form))
    answered.current = JSON.stringify(form)
    said.value = t.works(durationText(ms))
  }
  /** What does not answer is not saved: until a model does, the one before goes on. */
  const save = async (form: TypedForm) => {
    if (answered.current !== JSON.stringify(form)) await attempt(form)
    const info = await useModel(written(form))
    typed.value = { ...form, key: '' }
    said.value = `${t.saved(info.id)} ${priceOf(info)}`
    isConnected.value = true
    onDone()
    await readOffers()
  }
  const keysAt = serviceOf(typed.value)?.keysAt
  const room = useRef<HTMLDivElement>(null)
  const isBlocked = refused.value.fields['api_url'] === t.isPrivate
  // The way there is a button of this card.
  useSignalEffect(() => {
    const { fields, rest } = refused.value
    if (fields['api_url'] !== formTexts().isPrivate) return
    refused.value = { fields: { ...fields, api_url: viewTexts().connectModel.isPrivate }, rest }
  })
  const allowed = (host: string) => {
    refused.value = NO_REFUSAL
    said.value = t.allowed(host)
    goOnAt(room.current?.querySelector<HTMLElement>('[type=submit]') ?? null)
  }
  return (
    <div class="connect-model" ref={room}>
      {isConnected.value ? null : <p class="dim">{t.why}</p>}
      <FieldForm
        label={viewTexts().firstMinute.connectModel}
        groups={groupsFor(typed.value)}
        typed={typed}
        refused={refused}
        save={t.save}
        onTyped={follow}
        onSave={save}
        trial={{ text: t.test, busyText: t.testing, onTry: attempt }}
      >
        {keysAt === undefined ? null : (
          <a class="button quiet" href={keysAt} target="_blank" rel="noreferrer">
            {t.keysAt}
          </a>
        )}
      </FieldForm>
      {isBlocked ? <AllowHost url={typedText(typed.value, 'api_url')} onDone={allowed} /> : null}
      {said.value === null ? null : (
        <p class="good" role="status">
          {said.value}
        </p>
      )}
      <div class="acts">
        <span class="dim">{t.cost}</span>
        <a class="button quiet" href="#/spend">
          {t.spent}
        </a>
      </div>
    </div>
  )
}

/** What it costs, as far as that is known. */
function priceOf(info: ModelInfo): string {
  return modelPriceText(info) ?? viewTexts().connectModel.noPrice
}

interface AllowProps {
  url: string
  onDone: (host: string) => void
}

/** A service on this machine, such as an Ollama, is reached once its host is allowed: who may change that does so here. */
function AllowHost({ url, onDone }: AllowProps) {
  const { isBusy, problem, run } = useAct()
  const host = hostOf(url)
  if (host === null) return null
  const allow = () => run(() => allowPrivateHost(host).then(() => onDone(host)))
  return (
    <>
      <div class="acts">
        <button type="button" disabled={isBusy.value} onClick={() => void allow()}>
          {viewTexts().connectModel.allow(host)}
        </button>
      </div>
      <ProblemLine text={problem.value} />
    </>
  )
}

function groupsFor(typed: TypedForm): FieldGroup[] {
  const [t, m] = [viewTexts().connectModel, modelTexts()]
  const service = serviceOf(typed)
  const address = typedText(typed, 'api_url')
  const origin = hostOf(address) === null ? undefined : URL.parse(address)?.origin
  const others = { value: OTHER_SERVICE, label: t.other }
  const options = [...SERVICES.map(({ id, name }) => ({ value: id, label: name })), others]
  const fields: InputField[] = [
    { path: ['service'], label: t.provider, kind: 'choice', options },
    { path: ['model'], label: t.model, kind: 'text', isNeeded: true },
  ]
  // The address of a service that is known goes with it, but for one on a machine of one's own.
  if (service?.hosted !== true)
    fields.push({
      path: ['api_url'],
      label: t.address,
      kind: 'text',
      hint: m.addressHint,
      placeholder: 'https://…/v1',
      isNeeded: true,
      isWide: true,
    })
  if (service?.hosted !== false)
    fields.push({
      path: ['key'],
      label: t.key,
      kind: 'secret',
      hint: origin === undefined ? m.keyHint : t.keyHint(origin),
      isWide: true,
      ...(service ? { isNeeded: true } : {}),
    })
  return [{ fields }]
}
