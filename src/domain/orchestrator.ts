import * as z from 'zod'

/** The ways of working that the API names. */
export const ORCHESTRATORS = ['agent', 'plan', 'team', 'route'] as const
export type Orchestrator = (typeof ORCHESTRATORS)[number]
/** The name of a way of working; which there are is the registry's say. */
export type OrchestratorName = Orchestrator | (string & {})
export const orchestratorName: z.ZodType<OrchestratorName> = z.enum(ORCHESTRATORS)
