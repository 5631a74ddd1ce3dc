import { type GivenOut, shownHook, shownKey, shownLink, shownSession, shownState, isMarked } from '../access/marks.ts'
import { parseLinkToken } from '../access/links.ts'
import type { AppError } from '../domain/errors.ts'
import type { ServicePorts } from './ports.ts'

/** Whether what a request shows was given out here, which is asked of no object: to ask one for what nobody knows would make it. */

type MarkPorts = Pick<ServicePorts, 'secret' | 'config'>

/** Why there is no such session; null: there may be. One without our mark may be of before there were marks: then its tenant knows it. */
export async function unknownSession(
  ports: Pick<ServicePorts, 'secret' | 'listsSession'>,
  tenant: string,
  id: string,
): Promise<AppError | null> {
  const shown = shownSession(tenant, id)
  if (shown === null) return { code: 'not_found', what: 'session' }
  const isKnown = (await isMarked(await ports.secret(), 'session', shown)) || (await ports.listsSession(tenant, id))
  return isKnown ? null : { code: 'not_found', what: 'session' }
}

/** The tenant of a made key; null: it is none. */
export async function tenantOfKey(ports: MarkPorts, text: string): Promise<string | null> {
  return tenantOf(ports, 'key', shownKey(text))
}

/** A link's token, if it was given out here; null: it was not. */
export async function openedToken(ports: MarkPorts, text: string) {
  const token = parseLinkToken(text)
  const tenant = token && (await tenantOf(ports, 'link', shownLink(token.tenant, token.id)))
  return tenant === null ? null : token
}

/** The tenant of a webhook; null: it is none. */
export async function tenantOfDelivery(ports: MarkPorts, id: string): Promise<string | null> {
  return tenantOf(ports, 'webhook', shownHook(id))
}

/** The tenant of who comes back from an authorisation server; null: nobody was sent there. */
export async function tenantOfReturn(ports: MarkPorts, state: string): Promise<string | null> {
  return tenantOf(ports, 'oauth-state', shownState(state))
}

async function tenantOf(
  ports: MarkPorts,
  purpose: Parameters<typeof isMarked>[1],
  shown: GivenOut | null,
): Promise<string | null> {
  if (shown === null) return null
  const mayBeOurs = isNamed(ports.config, shown.tenant) || (await isMarked(await ports.secret(), purpose, shown))
  return mayBeOurs ? shown.tenant : null
}

/** Whether the config names a tenant. */
function isNamed({ auth, budgets }: ServicePorts['config'], tenant: string): boolean {
  const { keys = [], jwt = [], access } = auth ?? {}
  const doors = [...keys, ...jwt, ...(access ? [access] : [])]
  return (
    tenant === 'default' ||
    doors.some((door) => door.tenant === tenant) ||
    Object.hasOwn(budgets?.tenants ?? {}, tenant)
  )
}
