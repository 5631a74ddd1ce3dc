import { isId, newId } from '../lib/id.ts'
import { tenantName } from './access.ts'

const HOME = 'default'
const ULID_CHARS = 26

/** The id of a webhook that can be reached without a key: it ends in its tenant, unless that is `default`. */
export function newHookId(tenant: string, now: number): string {
  const id = newId('whk', now)
  return tenant === HOME ? id : `${id}-${tenant}`
}

/** The tenant of an id that `newHookId` may have made; null: it made none such. */
export function tenantOfHook(id: string): string | null {
  const end = 'whk_'.length + ULID_CHARS
  if (!isId('whk', id.slice(0, end))) return null
  if (id.length === end) return HOME
  const tenant = id.slice(end + 1)
  return id[end] === '-' && tenant !== HOME && tenantName.safeParse(tenant).success ? tenant : null
}
