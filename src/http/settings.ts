import * as z from 'zod'
import { fail, type InputIssue, invalid, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import {
  type ListedSettings,
  type Settings,
  type SettingsInfo,
  settingsPatch,
  settingsRollback,
  type SettingsVersion,
} from '../domain/settings.ts'
import { tenantSettings } from '../models/providers.ts'
import { serverOf } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import { forgetTenant } from '../objects/tenant-views.ts'
import { mergePatch } from '../lib/json.ts'
import { patchById, withToolsById } from '../tools/own-names.ts'
import {
  effectiveConfig,
  lockedFor,
  namedChanges,
  type NamedConnection,
  namedConnections,
  shownConfig,
} from '../run/setup/tenant-config.ts'
import { accountOfCaller } from '../service/caller.ts'
import { namesEtag } from '../session/queries/session-data.ts'
import { factory } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { limit, rowCursor } from './queries.ts'
import { type Answer, type Call, json, nothing, page, query, route } from './route.ts'

const check = () => import('../run/setup/check-settings.ts')
const directory = ({ c, tenant }: Call<unknown>) => directoryObject(c.env, tenant)

/** What the tenant sets in the place of what the config file says, without a deploy. */
export const settingsRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'Settings of the tenant, and what holds with them',
        id: 'getSettings',
        scope: 'admin',
        reads: nothing,
        returns: 'TenantSettings',
      },
      async (call) => ok(shown(call, await directory(call).settings(null))),
    ),
  )

  .put(
    '/',
    route(
      {
        summary: 'Replace the settings',
        id: 'putSettings',
        scope: 'admin',
        headers: ['If-Match'],
        reads: json(tenantSettings()),
        returns: 'TenantSettings',
        errors: ['precondition_failed'],
        audit: { action: 'settings.put', fields: true },
      },
      (call) => change(call, async () => ok({ settings: call.input, restores: null })),
    ),
  )

  .patch(
    '/',
    route(
      {
        summary: 'Change some of the settings',
        id: 'updateSettings',
        scope: 'admin',
        headers: ['If-Match'],
        reads: json(settingsPatch),
        returns: 'TenantSettings',
        errors: ['precondition_failed'],
        audit: { action: 'settings.update', fields: true },
      },
      (call) =>
        change(call, async (before) =>
          ok({ settings: mergePatch<unknown>(withToolsById(before), patchById(call.input)), restores: null }),
        ),
    ),
  )

  .get(
    '/versions',
    route(
      {
        summary: 'Versions of the settings, newest first',
        id: 'listSettingsVersions',
        scope: 'admin',
        reads: query(z.strictObject({ limit, cursor: rowCursor })),
        returns: listOf('ListedSettings'),
      },
      async (call) => {
        const { limit: max, cursor } = call.input
        const found = await directory(call).settingsVersions(cursor === undefined ? null : Number(cursor), max + 1)
        return ok(page(found, max, ({ version }) => String(version), listed))
      },
    ),
  )

  .get(
    '/versions/:version',
    route(
      {
        summary: 'A version of the settings',
        id: 'getSettingsVersion',
        scope: 'admin',
        reads: nothing,
        returns: 'SettingsVersion',
      },
      async (call) => {
        const found = await versionOf(call, call.param('version'))
        return found ? ok({ body: { ...listed(found), settings: found.settings } }) : unknownVersion()
      },
    ),
  )

  .post(
    '/rollback',
    route(
      {
        summary: 'Have a version of the settings hold again',
        id: 'rollBackSettings',
        scope: 'admin',
        headers: ['If-Match'],
        reads: json(settingsRollback),
        returns: 'TenantSettings',
        errors: ['precondition_failed', 'not_found'],
        audit: { action: 'settings.rollback' },
      },
      (call) =>
        change(call, async () => {
          const { version } = call.input
          const found = version === 0 ? NOTHING : await directory(call).settings(version)
          return found ? ok({ settings: found.settings, restores: version }) : unknownVersion()
        }),
    ),
  )

/** What held before anything was set. */
const NOTHING = { settings: {} }

function unknownVersion() {
  return fail({ code: 'not_found', what: 'version of the settings' })
}

async function versionOf(call: Call<unknown>, written: string): Promise<SettingsVersion | null> {
  return /^[1-9]\d{0,14}$/.test(written) ? directory(call).settings(Number(written)) : null
}

/** Keep what `next` makes of the settings as their next version, checked as a whole. One that another change overtook is made again, unless
 *  `If-Match` names what it was made for. What changes nothing makes no version. */
async function change(
  call: Call<unknown>,
  next: (before: Settings) => Promise<Result<{ settings: unknown; restores: number | null }>>,
): Promise<Result<Answer>> {
  const { checkSettings } = await check()
  const { config: file } = serverOf(call.c.env)
  const ifMatch = call.c.req.header('if-match') ?? null
  for (let tries = 0; tries < LIMITS.settings.triesMax; tries++) {
    const held = await directory(call).settings(null)
    const etag = etagOf(held)
    if (ifMatch !== null && !namesEtag(ifMatch, etag))
      return fail({ code: 'precondition_failed', etag, what: 'settings' })
    const before = held?.settings ?? {}
    const made = await next(before)
    if (!made.ok) return made
    const checked = checkSettings(made.value.settings, { file, tenant: call.tenant, before })
    if (!checked.ok) return checked
    const { settings, changed } = checked.value
    const strange = made.value.restores === null ? await strangeConnections(call, settings, before) : []
    if (strange.length > 0) return invalid(strange, 'The settings name connections that do not fit; see errors.')
    if (changed.length === 0 && made.value.restores === null) return ok(shown(call, held))
    const version: SettingsVersion = {
      version: (held?.version ?? 0) + 1,
      time: Date.now(),
      by: accountOfCaller(call.c.get('principal')),
      changed: namedChanges(changed),
      restores: made.value.restores,
      settings,
    }
    const answer = shown(call, version)
    if (!(await directory(call).putSettings(version, call.done(answer)))) continue
    forgetTenant(call.tenant)
    call.note({ version: version.version, changed: version.changed.slice(0, NOTED_MAX) })
    return ok(answer)
  }
  return fail({ code: 'unavailable' })
}

/** Connections that settings name anew and that are not there, or are for another origin than the service that names them. */
async function strangeConnections(call: Call<unknown>, settings: Settings, before: Settings): Promise<InputIssue[]> {
  const file = serverOf(call.c.env).config
  const known = namedConnections(effectiveConfig(file, call.tenant, before), before)
  const isNew = (one: NamedConnection) => !known.some((other) => JSON.stringify(one) === JSON.stringify(other))
  const named = namedConnections(effectiveConfig(file, call.tenant, settings), settings).filter(isNew)
  if (named.length === 0) return []
  const kept = await directory(call).connections(null)
  return named.flatMap(({ path, name, origin }) => {
    const found = kept.find((one) => one.name === name)
    if (found?.origin === origin) return []
    const message = found
      ? `a connection for ${origin}; ${name} is for ${found.origin}`
      : `a connection for ${origin}: keep it first (POST /v1/connections)`
    return [{ path, message }]
  })
}

/** Changed fields that the audit is told. */
const NOTED_MAX = 20

function shown({ c, tenant }: Call<unknown>, held: SettingsVersion | null): Answer {
  const file = serverOf(c.env).config
  const settings = held?.settings ?? {}
  const etag = etagOf(held)
  const body: SettingsInfo = {
    object: 'settings',
    version: held?.version ?? 0,
    updated_time: held ? new Date(held.time).toISOString() : null,
    updated_by: held?.by ?? null,
    etag,
    locked: [...lockedFor(file, tenant)],
    settings,
    effective: shownConfig(effectiveConfig(file, tenant, settings), tenant, settings),
  }
  return { body, etag }
}

function listed({ version, time, by, changed, restores }: SettingsVersion): ListedSettings {
  return {
    object: 'settings.version',
    version,
    time: new Date(time).toISOString(),
    by,
    changed: [...changed],
    restores,
  }
}

function etagOf(held: SettingsVersion | null): string {
  return `"${held?.version ?? 0}"`
}
