import { texts } from '../language.ts'
import type { Choices } from './choices.ts'

interface Props {
  value: Pick<Choices, 'cost' | 'currency'>
  /** In which the models are priced, that of the chosen one first. */
  currencies: readonly string[]
  onSet: (wanted: Pick<Choices, 'cost' | 'currency'>) => void
}

/** What the task may cost at most; not asked where no model has a price. */
export function CostField({ value, currencies, onSet }: Props) {
  const t = texts().task
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
