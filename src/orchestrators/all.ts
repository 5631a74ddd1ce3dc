import type { Orchestrator } from '../engine/engine.ts'
import { agent } from './agent/index.ts'
import { delegation } from './delegate/index.ts'
import { plan } from './plan/index.ts'
import { createRegistry } from './registry.ts'
import { router } from './route/index.ts'
import { team } from './team/index.ts'
import { workflow } from './workflow/index.ts'

/** What the product's runs go on by. Of what several have a part in, those that stand first come first. */
export const MODULES: readonly Orchestrator[] = [agent, plan, team, router, workflow, delegation]

/** All of them from the start. A server has the agent from the start and loads this file when a session needs another. */
export const WHOLE = createRegistry(MODULES)

/** The reducer of the product's logs. */
export const { reduce } = WHOLE
