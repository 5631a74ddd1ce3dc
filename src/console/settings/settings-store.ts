import { ApiProblem } from '../../client/client.ts'
import type { SettingsInfo } from '../../domain/settings.ts'
import { isObject } from '../../lib/json.ts'
import { client } from '../api.ts'
import { entryValue } from '../forms/field.ts'
import { CURRENCIES } from '../forms/inputs.tsx'
import { language } from '../language.ts'

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

/** In which the models that there are have their prices. */
export function usualCurrency({ effective: { models } }: SettingsInfo): string {
  const priced = Object.values(isObject(models) ? models : {}).map((model) => entryValue(model, ['price', 'currency']))
  const found = priced.find((one) => typeof one === 'string')
  return typeof found === 'string' ? found : language.value === 'en' ? 'USD' : CURRENCIES[0]
}
