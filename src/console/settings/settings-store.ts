import { ApiProblem } from '../../client/client.ts'
import type { SettingsInfo } from '../../domain/settings.ts'
import { client } from '../api.ts'

/** The settings of the tenant; null: who asks may not see them. */
export async function readSettings(): Promise<SettingsInfo | null> {
  try {
    return await client.value.settings.get()
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 403) return null
    throw error
  }
}

/** Whether the config file fixes a field, so that it is not set here. */
export function isLocked({ locked }: Pick<SettingsInfo, 'locked'>, path: readonly string[]): boolean {
  const field = path.join('.')
  return locked.some((one) => field === one || field.startsWith(`${one}.`))
}
