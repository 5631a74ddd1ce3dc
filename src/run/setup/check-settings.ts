import { type AppError, fail, invalid, ok, type Result } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { SETTING_NAMES, type ServerConfig } from '../../domain/server-config.ts'
import type { Settings } from '../../domain/settings.ts'
import { checkedBy } from '../../lib/zod.ts'
import { serverConfig, tenantSettings } from '../../models/providers.ts'
import { checkAddress } from '../../net/address.ts'
import { describeAddressProblem } from '../../net/outcome.ts'
import { withToolsById } from '../../tools/own-names.ts'
import { PLACE } from '../../tools/web-access/render-address.ts'
import { changedFields, effectiveConfig, lockedFor, lockOf, OWNERS_TENANT } from './tenant-config.ts'

interface Change {
  file: ServerConfig
  tenant: string
  before: Settings
}

/** Settings that may take the place of others, with the fields in which they differ: checked like the config file, alone and over it. Tools
 *  stand under their ids. */
export function checkSettings(
  given: unknown,
  { file, tenant, before }: Change,
): Result<{ settings: Settings; changed: string[] }> {
  const checked = checkedBy(tenantSettings(), given)
  if (!checked.ok) return invalid(checked.issues, 'The settings do not fit; see errors.')
  const settings = withToolsById(checked.value)
  const { charsMax } = LIMITS.settings
  if (JSON.stringify(settings).length > charsMax)
    return invalid([{ path: '', message: `at most ${charsMax} characters of JSON` }])
  const changed = changedFields(withToolsById(before), settings)
  const locked = lockedError(changed, file, tenant)
  if (locked) return fail(locked)
  const effective = effectiveConfig(file, tenant, settings)
  const whole = checkedBy(serverConfig, effective)
  const issues = [
    ...(whole.ok ? [] : whole.issues.filter(({ path }) => isSettable(path))),
    ...addressIssues(settings, effective),
  ]
  if (issues.length > 0) return invalid(issues, 'The settings do not fit the config of this server; see errors.')
  return ok({ settings, changed })
}

function isSettable(path: string): boolean {
  return SETTING_NAMES.some((name) => path === name || path.startsWith(`${name}.`))
}

function lockedError(changed: readonly string[], file: ServerConfig, tenant: string): AppError | null {
  const within = (fixed: readonly string[]) => [...new Set(changed.flatMap((path) => lockOf(path, fixed) ?? []))]
  const names = within(lockedFor(file, tenant))
  if (names.length === 0) return null
  const byFile = within(lockedFor(file, OWNERS_TENANT))
  const why =
    byFile.length > 0
      ? `${byFile.join(', ')}: fixed by the config file of this server (locked). Leave it out here, or have it changed there.`
      : `${names.join(', ')}: set for the whole server by its own administrators, those of the tenant ${OWNERS_TENANT}. Leave it out here, or ask them.`
  return { code: 'forbidden', detail: why }
}

/** What a tenant names goes through the guard. */
function addressIssues({ models = {}, web: own = {} }: Settings, { web }: ServerConfig) {
  const named = [
    ...Object.entries(models).map(([name, { api_url: url }]) => [`models.${name}.api_url`, url] as const),
    ['web.search.url', own.search?.url] as const,
    ['web.render.url', own.render?.url?.replaceAll(PLACE, '')] as const,
  ]
  return named.flatMap(([path, address]) => {
    if (address === undefined) return []
    const checked = checkAddress(address, web?.allow_private_hosts ?? [])
    if (checked.ok) return []
    const problem = describeAddressProblem(checked.detail, 'en')
    const message = checked.detail === 'private' ? `${problem} ${opening(address)}` : problem
    return [{ path, message }]
  })
}

/** What lets a service of this machine or its network be reached, such as an Ollama. */
function opening(address: string): string {
  const { hostname, port, protocol } = new URL(address)
  const host = `${hostname}:${port === '' ? (protocol === 'http:' ? '80' : '443') : port}`
  return `To reach it, name ${host} in web.allow_private_hosts.`
}
