import * as z from 'zod'
import { signingSecret } from './callback-input.ts'
import { envName, httpUrl } from './config.ts'
import { LIMITS } from './limits.ts'
import { CONTROL_TOOL_NAMES } from './tool.ts'

/** When a hook is asked: before a call is decided on and made, or after it was made. */
export const HOOK_PHASES = ['before', 'after'] as const
export type HookPhase = (typeof HOOK_PHASES)[number]

/** What came of asking a hook. `failed`: it gave no answer that can be used. */
export const HOOK_OUTCOMES = ['allowed', 'changed', 'refused', 'failed'] as const
export type HookOutcome = (typeof HOOK_OUTCOMES)[number]

const { hooksMax, patternsMax, timeoutMsMax } = LIMITS.toolHook

const STEERING = new Set<string>(Object.values(CONTROL_TOOL_NAMES).flatMap((names) => Object.values(names)))

const toolPattern = z
  .string()
  .min(1)
  .max(128)
  .refine((name) => !STEERING.has(name), {
    error: 'a tool that hooks are asked about: finish, ask and rethink only steer a run. Leave it out',
  })

/** A service of the operator that is asked about calls of tools. */
const toolHookConfig = z
  .strictObject({
    url: httpUrl,
    /** Ids or names of tools, with `*`. */
    tools: z.array(toolPattern).min(1, 'at least one tool; "*" for all').max(patternsMax),
    /** Default: before. */
    when: z.array(z.enum(HOOK_PHASES)).min(1).optional(),
    secret: signingSecret.optional(),
    secret_env: envName.optional(),
    timeout_ms: z.int().min(1).max(timeoutMsMax).optional(),
    /** What becomes of a call when the hook gives no answer that can be used; default `closed`: it is not made. */
    fail: z.enum(['open', 'closed']).optional(),
  })
  .refine(({ secret, secret_env: variable }) => (secret === undefined) !== (variable === undefined), {
    path: ['secret_env'],
    error: 'either secret_env, a variable that holds whsec_ and base64, or secret: requests are signed with it',
  })
export type ToolHookConfig = z.infer<typeof toolHookConfig>

/** Hooks by name, asked in their order. */
export const toolHooksConfig = z
  .record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, '1–64 letters, digits, _ and -'), toolHookConfig)
  .refine((hooks) => Object.keys(hooks).length <= hooksMax, `at most ${hooksMax} hooks`)
