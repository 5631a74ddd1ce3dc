import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { ModelInfo } from '../../domain/model.ts'
import { viewTexts, texts } from '../language.ts'
import { readOffers } from '../ui/offers.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { modelPriceText } from '../ui/try-model.ts'
import { MODEL_SERVICES, tryModel, useModel, type ModelService, type WrittenModel } from './model-connection.ts'

const [FIRST] = MODEL_SERVICES as readonly [ModelService]

interface Props {
  /** A model answers now. */
  onDone: () => void
}

/** For who has the built-in model alone: a language model is connected here, without a file and without a restart. */
export function ConnectModel({ onDone }: Props) {
  const { connectModel: t } = viewTexts()
  const service = useSignal(FIRST)
  const url = useSignal(FIRST.url)
  const model = useSignal(FIRST.model)
  const key = useSignal('')
  const said = useSignal<string | null>(null)
  /** What was written when the model answered last. */
  const answered = useRef('')
  const { isBusy, problem, run } = useAct()
  const isOther = service.value.url === ''
  const origin = URL.canParse(url.value) ? new URL(url.value).origin : ''
  const written = () => ({ service: service.value, url: url.value.trim(), model: model.value.trim(), key: key.value })
  const isReady = origin !== '' && model.value.trim() !== '' && (isOther || key.value !== '')
  const choose = (id: string) => {
    const chosen = MODEL_SERVICES.find((one) => one.id === id) ?? FIRST
    service.value = chosen
    url.value = chosen.url
    model.value = chosen.model
    said.value = null
  }
  /** Asks the model as it is written; throws why it does not answer. `inWords`: how that is said. */
  const ask = async (model: WrittenModel, inWords: (silence: string) => string) => {
    const trial = await tryModel(model)
    if ('silence' in trial) throw new Error(inWords(trial.silence))
    answered.current = JSON.stringify(model)
    return trial
  }
  const attempt = () =>
    run(async () => {
      said.value = null
      const { info, ms } = await ask(written(), (silence) => silence)
      said.value = `${t.works(ms)} ${priceOf(info)}`
    })
  /** No model is used that does not answer: until one does, the one before goes on. */
  const save = () =>
    run(async () => {
      said.value = null
      const model = written()
      if (answered.current !== JSON.stringify(model)) await ask(model, t.notUsed)
      const info = await useModel(model)
      key.value = ''
      said.value = `${t.saved(info.id)} ${priceOf(info)}`
      onDone()
      await readOffers()
    })
  return (
    <form
      class="connect-model"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <p class="dim">{t.why}</p>
      <div class="fields">
        <label>
          {t.provider}
          <select value={service.value.id} onChange={(event) => choose(event.currentTarget.value)}>
            {MODEL_SERVICES.map(({ id, name }) => (
              <option key={id} value={id}>
                {name || t.other}
              </option>
            ))}
          </select>
        </label>
        <Field label={t.model} value={model.value} onInput={(text) => (model.value = text)} />
        {isOther ? (
          <Field
            label={t.address}
            value={url.value}
            placeholder="https://…/v1"
            onInput={(text) => (url.value = text)}
          />
        ) : null}
        <Field label={t.key} value={key.value} isSecret onInput={(text) => (key.value = text)} />
      </div>
      <p class="dim">
        {origin === '' ? '' : t.keyHint(origin)}{' '}
        {service.value.keysAt === null ? null : (
          <a href={service.value.keysAt} target="_blank" rel="noreferrer">
            {t.keysAt}
          </a>
        )}
      </p>
      <ProblemLine text={problem.value} />
      {said.value === null ? null : (
        <p class="good" role="status">
          {said.value}
        </p>
      )}
      <div class="acts">
        <button type="button" disabled={!isReady || isBusy.value} onClick={() => void attempt()}>
          {isBusy.value ? t.testing : t.test}
        </button>
        <button type="submit" class="primary" disabled={!isReady || isBusy.value}>
          {t.save}
        </button>
        <span class="dim">
          {t.cost} <a href="#/spend">{texts().spend}</a>
        </span>
      </div>
    </form>
  )
}

/** What it costs, as far as that is known. */
function priceOf(info: ModelInfo): string {
  return modelPriceText(info) ?? viewTexts().connectModel.noPrice
}

interface FieldProps {
  label: string
  value: string
  placeholder?: string
  isSecret?: boolean
  onInput: (text: string) => void
}

function Field({ label, value, placeholder, isSecret = false, onInput }: FieldProps) {
  return (
    <label>
      {label}
      <input
        {...(isSecret ? { type: 'password' as const } : {})}
        autocomplete="off"
        spellcheck={false}
        value={value}
        placeholder={placeholder}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  )
}
