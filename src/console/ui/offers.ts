import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ModelInfo } from '../../domain/model.ts'
import type { ListedWorkflow } from '../../domain/workflow-view.ts'
import { client } from '../api.ts'

/** What the server offers to do a task with. */
interface Offers {
  models: readonly ModelInfo[]
  skills: readonly string[]
  teams: readonly string[]
  workflows: readonly ListedWorkflow[]
}

const WORKFLOWS_MAX = 100

const offers = signal<Offers | null>(null)

/** What is being asked for those that came into the page together. */
let asked: Promise<void> | null = null

/** Asked for when who shows them comes into the page; until then what was said last. Null: not known. */
export function useOffers(): Offers | null {
  useEffect(() => {
    asked ??= readOffers().finally(() => (asked = null))
  }, [])
  return offers.value
}

/** Asks anew: after a change of them. */
export async function readOffers(): Promise<void> {
  try {
    const { models, skills, teams, workflows } = client.peek()
    const flows = workflows.list({ limit: WORKFLOWS_MAX })
    const [{ data: known }, { data: listed }, ...named] = await Promise.all([models(), flows, skills(), teams()])
    const [skillNames = [], teamNames = []] = named.map(({ data }) => data.map(({ name }) => name))
    offers.value = { models: known, skills: skillNames, teams: teamNames, workflows: listed }
  } catch {
    // Without them everything is done as the server does it by itself.
  }
}

/** The model that is asked where none is chosen; empty: not known. */
export const defaultModel = (models: readonly ModelInfo[]) => models.find((model) => model.default)?.id ?? ''
