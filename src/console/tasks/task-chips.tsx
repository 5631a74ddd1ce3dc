import type { Signal } from '@preact/signals'
import type { KnownOrchestrator } from '../../domain/run.ts'
import { texts } from '../language.ts'
import { Chip } from '../ui/compose-room.tsx'
import { defaultModel, useOffers } from '../ui/offers.ts'
import type { Choices } from './choices.ts'

const ORCHESTRATORS = ['agent', 'plan', 'route'] as const satisfies readonly KnownOrchestrator[]

/** Who does a task and how, as chips. What is chosen here is there again for the next task. */
export function TaskChips({ choices }: { choices: Signal<Choices> }) {
  const t = texts().task
  const set = (wanted: Partial<Choices>) => (choices.value = { ...choices.value, ...wanted })
  const { skills = [], teams = [], workflows = [], models = [] } = useOffers() ?? {}
  const { skill, orchestrator, team, workflow, model } = choices.value
  /** One of what the server has, where it has any. */
  const chip = (label: string, value: string, offered: readonly string[], onChoose: (name: string) => void) =>
    offered.length === 0 && value === '' ? null : (
      <Chip label={label} value={value} none={label} options={offered.map(named)} onChoose={onChoose} />
    )
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
      {team === '' && workflow === '' ? (
        <Chip
          label={t.orchestrator}
          value={orchestrator}
          none={t.orchestrators.agent}
          options={ORCHESTRATORS.slice(1).map((name) => [name, t.orchestrators[name]])}
          onChoose={(name) => set({ orchestrator: ORCHESTRATORS.find((one) => one === name) ?? '' })}
        />
      ) : null}
      {workflow === '' ? chip(t.skill, skill, skills, (name) => set({ skill: name })) : null}
      {workflow === '' ? chip(t.team, team, teams, (name) => set({ team: name })) : null}
      {chip(t.workflow, workflow, workflows.map(nameOf), (name) => set({ workflow: name, inputs: {} }))}
    </>
  )
}

const named = (name: string) => [name, name] as const
const nameOf = ({ name }: { name: string }) => name
