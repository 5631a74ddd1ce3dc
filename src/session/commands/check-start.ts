import type { AppError } from '../../domain/errors.ts'
import type { NewSession } from '../../domain/session-input.ts'
import { checkServers } from '../../run/setup/check-config.ts'
import { checkNewSession } from './create.ts'
import { skillOf } from './skill.ts'
import { teamOf } from '../../engine/worker/given-team.ts'
import type { Engine } from '../../engine/engine.ts'

/** Whether a session that is made of this input later could be made now; null: it could. */
export async function checkStart(engine: Engine, tenant: string, input: NewSession): Promise<AppError | null> {
  const skill = await skillOf(engine, tenant, input)
  if (!skill.ok) return skill.error
  const team = await teamOf(engine, tenant, input, skill.value)
  if (!team.ok) return team.error
  const elsewhere = await checkServers(engine, tenant, input.config)
  return elsewhere ?? checkNewSession(engine, input, { skill: skill.value, team: team.value })
}
