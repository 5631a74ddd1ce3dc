import type { Orchestrator, Orchestrators } from '../engine/engine.ts'
import { createReducer } from '../log/reduce/reduce.ts'
import { agent } from './agent/index.ts'
import { plan } from './plan/index.ts'
import { router } from './route/index.ts'
import { team } from './team/index.ts'

/** What the product's runs go on by. Of what several have a part in, those that stand first come first. */
export const MODULES: readonly Orchestrator[] = [agent, plan, team, router]

export function createRegistry(all: readonly Orchestrator[]): Orchestrators {
  const find = (name: string) => all.find((one) => one.name === name)
  return {
    all,
    find,
    get: (name) => {
      const found = find(name)
      if (!found) throw new Error(`there is no orchestrator ${name} here`)
      return found
    },
    reduce: createReducer(all.flatMap(({ reduce }) => reduce ?? [])),
  }
}

export const ORCHESTRATORS = createRegistry(MODULES)

/** The reducer of the product's logs. */
export const { reduce } = ORCHESTRATORS
