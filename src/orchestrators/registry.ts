import type { Orchestrator, Orchestrators } from '../engine/engine.ts'
import { createReducer } from '../log/reduce/reduce.ts'

/** A registry that has all that it will ever have. */
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
    isLater: () => false,
    load: () => null,
  }
}
