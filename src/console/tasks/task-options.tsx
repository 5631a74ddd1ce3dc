import type { Signal } from '@preact/signals'
import type { ModelInfo } from '../../domain/model.ts'
import { viewTexts } from '../language.ts'
import { defaultModel, useOffers } from '../ui/offers.ts'
import type { Choices } from './choices.ts'

/** For whom a task is done, and its bounds. */
export function TaskOptions({ choices }: { choices: Signal<Choices> }) {
  const models = useOffers()?.models ?? []
  const t = viewTexts().options
  const set = (wanted: Partial<Choices>) => (choices.value = { ...choices.value, ...wanted })
  const { value } = choices
  return (
    <div class="fields">
      <label>
        {t.user}
        <input value={value.user} maxLength={200} onInput={(event) => set({ user: event.currentTarget.value })} />
      </label>
      <Count label={t.iterations} value={value.iterations} onSet={(iterations) => set({ iterations })} />
      <Count label={t.tokens} value={value.tokens} onSet={(tokens) => set({ tokens })} />
      <Count label={t.deadline} value={value.minutes} onSet={(minutes) => set({ minutes })} />
      <CostField value={value} currencies={currenciesOf(models, value.model || defaultModel(models))} onSet={set} />
      {value.orchestrator === 'plan' && value.team === '' && value.workflow === '' ? (
        <label class="check">
          <input type="checkbox" checked={value.review} onChange={(e) => set({ review: e.currentTarget.checked })} />
          {t.review}
        </label>
      ) : null}
      <label class="check">
        <input type="checkbox" checked={value.small} onChange={(e) => set({ small: e.currentTarget.checked })} />
        {t.small}
      </label>
    </div>
  )
}

/** Of the prices of the models, each once; a limit counts in that of the model which does the task. */
function currenciesOf(models: readonly ModelInfo[], chosen: string): string[] {
  const chosenFirst = models.toSorted((a, b) => Number(b.id === chosen) - Number(a.id === chosen))
  return [...new Set(chosenFirst.flatMap(({ price }) => (price ? [price.currency] : [])))]
}

function Count({ label, value, onSet }: { label: string; value: string; onSet: (value: string) => void }) {
  return (
    <label>
      {label}
      <input type="number" min={1} step={1} value={value} onInput={(event) => onSet(event.currentTarget.value)} />
    </label>
  )
}

interface Props {
  value: Pick<Choices, 'cost' | 'currency'>
  /** In which the models are priced, that of the chosen one first. */
  currencies: readonly string[]
  onSet: (wanted: Pick<Choices, 'cost' | 'currency'>) => void
}

/** What the task may cost at most; not asked where no model has a price. */
function CostField({ value, currencies, onSet }: Props) {
  const t = viewTexts().options
  const [usual] = currencies
  if (usual === undefined) return null
  const currency = currencies.find((one) => one === value.currency) ?? usual
  const set = (wanted: Partial<typeof value>) => onSet({ cost: value.cost, currency, ...wanted })
  return (
    <>
      <label>
        {t.cost(currency)}
        <input
          type="number"
          min={0}
          step="any"
          value={value.cost}
          onInput={(event) => set({ cost: event.currentTarget.value })}
        />
      </label>
      {currencies.length < 2 ? null : (
        <label>
          {t.currency}
          <select value={currency} onChange={(event) => set({ currency: event.currentTarget.value })}>
            {currencies.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      )}
    </>
  )
}
