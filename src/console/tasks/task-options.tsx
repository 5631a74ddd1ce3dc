import type { Signal } from '@preact/signals'
import type { ModelInfo } from '../../domain/model.ts'
import type { WrittenContent } from '../../domain/content-input.ts'
import type { KnownOrchestrator } from '../../domain/run.ts'
import { texts } from '../language.ts'
import { Chip } from '../ui/compose-room.tsx'
import { defaultModel, useOffers } from '../ui/offers.ts'
import type { SessionInput } from '../../client/sessions.ts'

const ORCHESTRATORS = ['agent', 'plan', 'route'] as const satisfies readonly KnownOrchestrator[]

type Set = (wanted: Partial<Choices>) => void
const setOf =
  (choices: Signal<Choices>): Set =>
  (wanted) =>
    (choices.value = { ...choices.value, ...wanted })

/** Who does a task and how, as chips. What is chosen here is there again for the next task. */
export function TaskChips({ choices }: { choices: Signal<Choices> }) {
  const offers = useOffers()
  const t = texts().task
  const set = setOf(choices)
  const { skills = [], teams = [], models = [] } = offers ?? {}
  const { skill, orchestrator, team, model } = choices.value
  return (
    <>
      {models.length === 0 ? null : (
        <Chip
          label={t.model}
          value={model}
          none={defaultModel(models) || t.model}
          options={models.flatMap(({ id, default: isDefault }) => (isDefault ? [] : [named(id)]))}
          onChoose={(name) => set({ model: name })}
        />
      )}
      {team === '' ? (
        <Chip
          label={t.orchestrator}
          value={orchestrator}
          none={t.orchestrators.agent}
          options={ORCHESTRATORS.slice(1).map((name) => [name, t.orchestrators[name]])}
          onChoose={(name) => set({ orchestrator: ORCHESTRATORS.find((one) => one === name) ?? '' })}
        />
      ) : null}
      <Chip
        label={t.skill}
        value={skill}
        none={t.skill}
        options={skills.map(named)}
        onChoose={(name) => set({ skill: name })}
      />
      <Chip
        label={t.team}
        value={team}
        none={t.team}
        options={teams.map(named)}
        onChoose={(name) => set({ team: name })}
      />
    </>
  )
}

const named = (name: string) => [name, name] as const

/** For whom a task is done, and its bounds; folded, for most tasks need none of it. */
export function TaskOptions({ choices }: { choices: Signal<Choices> }) {
  const models = useOffers()?.models ?? []
  const t = texts().task
  const set = setOf(choices)
  const { value } = choices
  return (
    <details class="options-fold">
      <summary>{t.options}</summary>
      <div class="fields">
        <label>
          {t.user}
          <input value={value.user} maxLength={200} onInput={(event) => set({ user: event.currentTarget.value })} />
        </label>
        <Count label={t.iterations} value={value.iterations} onSet={(iterations) => set({ iterations })} />
        <Count label={t.tokens} value={value.tokens} onSet={(tokens) => set({ tokens })} />
        <Count label={t.deadline} value={value.minutes} onSet={(minutes) => set({ minutes })} />
        <CostField value={value} currencies={currenciesOf(models, value.model || defaultModel(models))} onSet={set} />
        <label class="check">
          <input type="checkbox" checked={value.review} onChange={(e) => set({ review: e.currentTarget.checked })} />
          {t.review}
        </label>
        <label class="check">
          <input type="checkbox" checked={value.small} onChange={(e) => set({ small: e.currentTarget.checked })} />
          {t.small}
        </label>
      </div>
    </details>
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

/** How a task is to be done; empty: as the server does it by itself. */
export interface Choices {
  skill: string
  orchestrator: KnownOrchestrator | ''
  team: string
  model: string
  user: string
  iterations: string
  tokens: string
  minutes: string
  cost: string
  currency: string
  review: boolean
  small: boolean
}

export const NO_CHOICES: Choices = {
  skill: '',
  orchestrator: '',
  team: '',
  model: '',
  user: '',
  iterations: '',
  tokens: '',
  minutes: '',
  cost: '',
  currency: '',
  review: false,
  small: false,
}

/** What of it is there again for the next task. */
export function keptChoices({ skill, orchestrator, team, model }: Choices): Choices {
  return { ...NO_CHOICES, skill, orchestrator, team, model }
}

const MINUTE_MS = 60_000

/** The body of POST /v1/sessions. `titles`: who names the session. */
export function inputOf(task: WrittenContent, choices: Choices, titles: 'task' | 'model'): SessionInput {
  const { skill, orchestrator, team, model, user, review, small } = choices
  const limits = limitsOf(choices)
  const config = {
    ...(model === '' ? {} : { model }),
    ...(titles === 'task' ? {} : { titles }),
    ...(review ? { plan: { review } } : {}),
    ...(small ? { tools_preset: 'small' as const } : {}),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  }
  return {
    task,
    ...(skill === '' ? {} : { skill }),
    ...(team === '' ? {} : { team }),
    ...(orchestrator === '' || team !== '' ? {} : { orchestrator }),
    ...(user.trim() === '' ? {} : { user: user.trim() }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
  }
}

function limitsOf({ iterations, tokens, minutes, cost, currency }: Choices) {
  return {
    ...(iterations === '' ? {} : { max_iterations_total: Number(iterations) }),
    ...(tokens === '' ? {} : { max_total_tokens: Number(tokens) }),
    ...(minutes === '' ? {} : { deadline_ms: Number(minutes) * MINUTE_MS }),
    ...(cost === '' ? {} : { max_cost: { amount: Number(cost), currency } }),
  }
}
