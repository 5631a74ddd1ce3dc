import type { Signal } from '@preact/signals'
import type { ModelInfo } from '../../domain/model.ts'
import type { KnownOrchestrator } from '../../domain/run.ts'
import { client } from '../api.ts'
import { texts } from '../language.ts'
import { useLoaded } from '../ui/loaded.tsx'
import type { SessionInput } from '../../client/sessions.ts'

const ORCHESTRATORS: readonly KnownOrchestrator[] = ['agent', 'plan', 'route']

/** What the server offers to do a task with, and its bounds; folded, for most tasks need none of it. */
export function TaskOptions({ choices }: { choices: Signal<Choices> }) {
  const offers = useLoaded(async () => {
    const [skills, teams, models] = await Promise.all([
      client.value.skills(),
      client.value.teams(),
      client.value.models(),
    ])
    return { skills: skills.data, teams: teams.data, models: models.data }
  })
  const t = texts().task
  const set = (wanted: Partial<Choices>) => (choices.value = { ...choices.value, ...wanted })
  const { skills = [], teams = [], models = [] } = offers.value.value ?? {}
  const byDefault = models.find((model) => model.default)?.id ?? ''
  const { value } = choices
  return (
    <details class="options-fold">
      <summary>{t.options}</summary>
      <div class="fields">
        <Choice label={t.skill} value={value.skill} none={t.none} onChoose={(skill) => set({ skill })}>
          {skills.map(({ name }) => [name, name])}
        </Choice>
        <Choice
          label={t.orchestrator}
          value={value.orchestrator}
          none={t.byDefault(t.orchestrators.agent)}
          onChoose={(name) => set({ orchestrator: ORCHESTRATORS.find((one) => one === name) ?? '' })}
        >
          {ORCHESTRATORS.map((name) => [name, t.orchestrators[name]])}
        </Choice>
        <Choice label={t.team} value={value.team} none={t.none} onChoose={(team) => set({ team })}>
          {teams.map(({ name }) => [name, name])}
        </Choice>
        <Choice label={t.model} value={value.model} none={t.byDefault(byDefault)} onChoose={(model) => set({ model })}>
          {models.map(({ id }) => [id, id])}
        </Choice>
        <label>
          {t.user}
          <input value={value.user} maxLength={200} onInput={(event) => set({ user: event.currentTarget.value })} />
        </label>
        <Count label={t.iterations} value={value.iterations} onSet={(iterations) => set({ iterations })} />
        <Count label={t.tokens} value={value.tokens} onSet={(tokens) => set({ tokens })} />
        <Count label={t.deadline} value={value.minutes} onSet={(minutes) => set({ minutes })} />
        <CostField value={value} currencies={currenciesOf(models, value.model || byDefault)} onSet={set} />
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

interface ChoiceProps {
  label: string
  value: string
  none: string
  onChoose: (value: string) => void
  children: (readonly [value: string, text: string])[]
}

function Choice({ label, value, none, onChoose, children }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">{none}</option>
        {children.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
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

const MINUTE_MS = 60_000

/** The body of POST /v1/sessions. */
export function inputOf(task: string, choices: Choices): SessionInput {
  const { skill, orchestrator, team, model, user, review, small } = choices
  const limits = limitsOf(choices)
  const config = {
    ...(model === '' ? {} : { model }),
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
