import { isObject } from '../../lib/json.ts'
import { entryValue } from '../forms/field.ts'

/** The name of a model, with a number where that is the name of one at another address already: that stays what it is. */
export function freeAlias(model: string, url: string, models: unknown): string {
  const held: Record<string, unknown> = isObject(models) ? models : {}
  const isFree = (alias: string) => held[alias] === undefined || entryValue(held, [alias, 'api_url']) === url
  for (let count = 1; ; count++) {
    const alias = count === 1 ? model : `${model}-${count}`
    if (isFree(alias)) return alias
  }
}

/** The host of an address with its port; null: it is none that a model can be at. */
export function hostOf(url: string): string | null {
  const address = URL.parse(url)
  if (!address || !/^https?:$/.test(address.protocol)) return null
  return `${address.hostname}:${address.port || (address.protocol === 'https:' ? '443' : '80')}`
}
