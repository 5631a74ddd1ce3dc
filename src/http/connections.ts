import { connectionView, oauthClientFrom } from '../connections/view.ts'
import {
  type ConnectionAuthorization,
  type KeptConnection,
  type OAuthClient,
  type ConnectionInfo,
  type ConnectionPatch,
  connectionPatch,
  newConnection,
} from '../domain/connection.ts'
import { fail, invalid, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { toBase64 } from '../lib/base64.ts'
import * as z from 'zod'
import { languageOf } from '../domain/language.ts'
import { goOnWith } from '../objects/connection-waiters.ts'
import { serverFor, serverOf } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import { sealedFor, sealOf } from '../objects/seal.ts'
import { forgetTenant, type OpenedConnection } from '../objects/tenant-views.ts'
import { accountOfCaller } from '../service/caller.ts'
import type { StoredResponse } from '../store/claims.ts'
import { factory, originOf } from './context.ts'
import { grantOfUser, grantsOf } from '../domain/mcp.ts'
import { languageFor } from '../engine/settings.ts'
import { returnCookie } from './return-cookie.ts'
import { languageAsked } from './language.ts'
import { listOf } from './openapi/describe.ts'
import { namedListQuery, pageOfWhole } from './queries.ts'
import { alone, type Call, json, jsonAnd, list, query, route } from './route.ts'
import { refusedForSecrets } from './secret-address.ts'

const directory = ({ c, tenant }: Call<unknown>) => directoryObject(c.env, tenant)

/** Whose connection is meant; without it the tenant's. */
const whose = z.strictObject({ user: z.string().min(1).max(LIMITS.text.nameCharsMax).optional() })
type Whose = z.infer<typeof whose>

/** Secrets of the tenant and of its users, each for its origin. None is ever shown again. */
export const connectionRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'Connections by name, without their secrets',
        scope: 'admin',
        reads: query(namedListQuery.extend(whose.shape)),
        returns: listOf('Connection'),
      },
      async (call) => {
        const all = await directory(call).connections(call.input.user ?? null)
        const found = pageOfWhole(all, ({ name }) => name, call.input)
        return found.ok
          ? ok(list(await Promise.all(found.value.data.map((one) => shownNow(call, one))), found.value.next))
          : found
      },
    ),
  )

  .post(
    '/',
    route(
      {
        summary: 'Keep a secret for an origin',
        scope: 'admin',
        reads: json(newConnection),
        returns: 'Connection',
        status: [201],
        errors: ['already_exists', 'too_many', 'not_configured'],
        audit: { action: 'connection.create' },
      },
      async (call) => {
        const { name, description = '', user, each_user: isEach } = call.input
        const { origin } = new URL(call.input.origin)
        const refused =
          (await refusedForSecrets(call, origin, 'origin')) ?? (await refusedUser(call, { name, origin, user }))
        if (refused) return refused
        if (Object.hasOwn(serverOf(call.c.env).config.secrets ?? {}, name)) return alreadyExists(name)
        const now = Date.now()
        const about = { name, origin, description, createdTime: now, updatedTime: now }
        const oauth = call.input.oauth2 && oauthClientFrom(call.input.oauth2)
        const closed = oauth && (await refusedAddresses(call, oauth))
        if (closed) return closed
        const whole: About = {
          ...about,
          ...(user === undefined ? {} : { user }),
          ...(isEach ? { eachUser: true as const } : {}),
          ...(oauth ? { oauth2: oauth, base: originOf(call.c) } : {}),
        }
        const made = await sealed(call, whole, call.input)
        if (!made.ok) return made
        const location = `/v1/connections/${name}${user === undefined ? '' : `?user=${encodeURIComponent(user)}`}`
        const answer = { body: connectionView(made.value), location, status: 201 } as const
        const kept = await keep(call, made.value, false, call.done(answer))
        call.note({ origin, ...(user === undefined ? {} : { user }) })
        if (kept.ok) goOn(call, made.value)
        return kept.ok ? ok(answer) : kept
      },
    ),
  )

  .get(
    '/:name',
    route(
      { summary: 'A connection without its secret', scope: 'admin', reads: query(whose), returns: 'Connection' },
      async (call) => {
        const found = await named(call, call.input)
        return found.ok ? ok({ body: await shownNow(call, found.value) }) : found
      },
    ),
  )

  .patch(
    '/:name',
    route(
      {
        summary: 'Keep another secret in the place of the one that is kept',
        scope: 'admin',
        reads: jsonAnd(connectionPatch, whose),
        returns: 'Connection',
        errors: ['not_configured'],
        audit: { action: 'connection.update' },
      },
      async (call) => {
        const { body, query: asked } = call.input
        call.note({ fields: Object.keys(body), ...asked })
        const found = await named(call, asked)
        if (!found.ok) return found
        if (found.value.eachUser && !found.value.oauth2) return invalid([{ path: 'secret', message: GIVEN_BY_USERS }])
        if (found.value.oauth2 && body.basic)
          return invalid([{ path: 'basic', message: 'none: with oauth2 secret is that of the client' }])
        const made = await sealed(call, { ...found.value, updatedTime: Date.now() }, body)
        if (!made.ok) return made
        const kept = await keep(call, made.value, true)
        if (kept.ok) goOn(call, made.value)
        return kept.ok ? ok({ body: await shownNow(call, made.value) }) : kept
      },
    ),
  )

  .delete(
    '/:name',
    route(
      {
        summary: 'Revoke a connection: its secret is gone',
        scope: 'admin',
        reads: query(whose),
        audit: { action: 'connection.delete' },
      },
      async (call) => {
        const { user = null } = call.input
        const known = await connectionFor(call, user)
        const { isRemoved, grants } = await directory(call).removeConnection(call.param('name'), user)
        if (known?.oauth2?.revokeUrl !== undefined && grants.length > 0)
          call.c.executionCtx.waitUntil(revokeAll(call, known, grants))
        forgetTenant(call.tenant, user)
        if (user !== null) call.note({ user })
        return isRemoved || grants.length > 0 ? ok({}) : UNKNOWN
      },
    ),
  )

  .post(
    '/:name/authorize',
    route(
      {
        summary: 'Begin to grant access: to which page somebody has to go',
        scope: 'admin',
        reads: alone(query(whose)),
        returns: 'ConnectionAuthorization',
        errors: ['not_configured'],
        audit: { action: 'connection.authorize' },
      },
      async (call) => {
        const { c, tenant, input } = call
        const user = input.user ?? null
        if (user !== null) call.note({ user })
        const found = await connectionFor(call, user)
        if (found === null) return UNKNOWN
        const { name, oauth2 } = found
        if (oauth2?.grant !== 'authorization_code')
          return invalid([{ path: 'name', message: 'a connection with oauth2 whose grant is authorization_code' }])
        if (found.eachUser && user === null)
          return invalid([{ path: 'user', message: 'whose access it is to be: every user grants their own' }])
        if (sealOf(c.env) === null) return fail({ code: 'not_configured', lacks: 'secrets_key' })
        const { sendToAuthorize } = await import('../objects/connection-grants.ts')
        const by = accountOfCaller(c.get('principal'))
        const language = languageFor({ config: serverOf(c.env).config }, { config: {} })
        const holder = found.eachUser ? user : (found.user ?? null)
        const base = serverOf(c.env).config.public_url?.replace(/\/+$/, '') ?? originOf(c)
        const sent = { tenant, user: holder, language, by, base, session: null }
        const { url, until } = await sendToAuthorize(c.env, { name, oauth2 }, sent)
        c.header('set-cookie', await returnCookie(c, url), { append: true })
        const body = { object: 'connection.authorization' as const, url, expires_time: new Date(until).toISOString() }
        return ok({ body: body satisfies ConnectionAuthorization })
      },
    ),
  )

const UNKNOWN = fail({ code: 'not_found', what: 'connection' })

const GIVEN_BY_USERS = 'none is kept here: every user gives their own (POST /v1/connections with user)'

async function named(call: Call<unknown>, { user }: Whose): Promise<Result<KeptConnection>> {
  const found = (await directory(call).connections(user ?? null)).find(({ name }) => name === call.param('name'))
  return found ? ok(found) : UNKNOWN
}

/** The one that is meant, opened: the user's own, else that of the tenant. */
async function connectionFor({ c, tenant, param }: Call<unknown>, user: string | null) {
  const grants = await import('../objects/connection-returns.ts')
  return grants.connectionFor(c.env, { tenant, user }, param('name'))
}

/** Tell the authorization server that tokens count no more. */
async function revokeAll(
  { c, tenant }: Call<unknown>,
  connection: OpenedConnection,
  grants: readonly { holder: string; text: string }[],
): Promise<void> {
  const { grantOf } = await import('../objects/connection-grants.ts')
  const { engine } = await serverFor(c.env, tenant)
  const revoked = grants.map(async ({ holder, text }) => {
    const user = holder === '' ? null : holder.slice(grantOfUser('').length)
    await grantOf(c.env, { tenant, user }, connection, engine.fetchGuarded).revoke(text)
  })
  await Promise.allSettled(revoked)
}

/** Why a client's addresses are not reached; null: they are. */
async function refusedAddresses(call: Call<unknown>, { tokenUrl, revokeUrl }: OAuthClient) {
  for (const [path, url] of [
    ['oauth2.token_url', tokenUrl],
    ['oauth2.revoke_url', revokeUrl],
  ] as const) {
    const refused = url === undefined ? null : await refusedForSecrets(call, url, path)
    if (refused) return refused
  }
  return null
}

/** Why a connection of a user is not kept that every user gives; null: it is. */
async function refusedUser(
  call: Call<unknown>,
  { name, origin, user }: { name: string; origin: string; user: string | undefined },
) {
  if (user === undefined) return null
  const ofTenant = (await directory(call).connections(null)).find((one) => one.name === name)
  return !ofTenant?.eachUser || ofTenant.origin === origin
    ? null
    : invalid([{ path: 'origin', message: `${ofTenant.origin}, as the connection of the tenant says that users give` }])
}

type About = Omit<KeptConnection, 'sealed' | 'lastFour' | 'by'>

/** A connection with this secret, encrypted. */
async function sealed(
  { c, tenant }: Call<unknown>,
  { basic: _basic, ...about }: About,
  { secret, basic }: ConnectionPatch,
): Promise<Result<KeptConnection>> {
  const by = accountOfCaller(c.get('principal'))
  const isPublic = about.oauth2 !== undefined && secret === undefined
  if (isPublic || (about.eachUser && !about.oauth2)) return ok({ ...about, sealed: '', lastFour: null, by })
  const seal = sealOf(c.env)
  if (seal === null) return fail({ code: 'not_configured', lacks: 'secrets_key' })
  const pair = basic && new TextEncoder().encode(`${basic.username}:${basic.password}`)
  const text = secret ?? (pair ? toBase64(pair) : '')
  const isLong = secret !== undefined && secret.length >= LIMITS.settings.shownSecretCharsMin
  return ok({
    ...about,
    ...(basic ? { basic: true } : {}),
    sealed: await seal.seal(text, sealedFor(tenant, about)),
    lastFour: isLong ? secret.slice(-4) : null,
    by,
  })
}

async function keep(
  call: Call<unknown>,
  connection: KeptConnection,
  mayReplace: boolean,
  done: StoredResponse | null = null,
): Promise<Result<null>> {
  const kept = await directory(call).putConnection(connection, mayReplace, done)
  forgetTenant(call.tenant, connection.user ?? null)
  if (kept === 'known') return alreadyExists(connection.name)
  if (kept === 'too_many') return fail({ code: 'too_many', what: 'connections', max: LIMITS.settings.connectionsMax })
  return ok(null)
}

/** Calls that wait for the connection are made with it, beside the answer. */
function goOn({ c, tenant }: Call<unknown>, { name, user, oauth2 }: KeptConnection): void {
  if (user === undefined || oauth2) return
  const language = languageOf(languageAsked(c) ?? serverOf(c.env).config.language ?? 'zh-CN')
  c.executionCtx.waitUntil(goOnWith(c.env, tenant, { of: 'connection', name, user, session: null }, language))
}

function alreadyExists(name: string) {
  return fail({ code: 'already_exists', what: `connection ${name}` })
}

/** The same, as it is at the moment. */
async function shownNow(call: Call<unknown>, kept: KeptConnection): Promise<ConnectionInfo> {
  if (!kept.oauth2) return connectionView(kept)
  const holder = kept.user === undefined ? '' : grantOfUser(kept.user)
  return connectionView(kept, Boolean(await directory(call).mcpGrant(`${grantsOf(kept.name)}${holder}`)))
}
