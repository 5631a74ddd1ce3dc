import type { ConnectionAuthorization, ConnectionInfo, ConnectionPatch, NewConnection } from '../domain/connection.ts'
import type { CreditGiven, NewCredit, UserBudget } from '../domain/budget.ts'
import type { ListedSettings, Settings, SettingsInfo, SettingsOfVersion } from '../domain/settings.ts'
import { type Connection, type Page, type PageQuery, type Request, sendForJson, sendForNothing } from './http.ts'

/** Of a change: only if the settings are still what this ETag names. */
interface Still {
  ifMatch?: string
}

/** Whose connection; without a user the tenant's. */
interface WhoseConnection {
  user?: string
}

/** The routes of connections as functions. Errors: see `send` in http.ts. */
export function connectionsOf(connection: Connection) {
  const path = '/v1/connections'
  const pathOf = (name: string) => `${path}/${encodeURIComponent(name)}`
  const json = (request: Request) => sendForJson<ConnectionInfo>(connection, request)
  return {
    list: (query: PageQuery & WhoseConnection = {}) =>
      sendForJson<Page<ConnectionInfo>>(connection, { path, query: { ...query } }),
    create: (body: NewConnection) => json({ method: 'POST', path, body }),
    get: (name: string, query: WhoseConnection = {}) => json({ path: pathOf(name), query: { ...query } }),
    /** Keep another secret in the place of the one that is kept. */
    update: (name: string, body: ConnectionPatch, query: WhoseConnection = {}) =>
      json({ method: 'PATCH', path: pathOf(name), query: { ...query }, body }),
    /** To which page somebody has to go, to grant access. */
    authorize: (name: string, query: WhoseConnection = {}) =>
      sendForJson<ConnectionAuthorization>(connection, {
        method: 'POST',
        path: `${pathOf(name)}/authorize`,
        query: { ...query },
      }),
    delete: (name: string, query: WhoseConnection = {}) =>
      sendForNothing(connection, { method: 'DELETE', path: pathOf(name), query: { ...query } }),
  }
}

/** The routes of users' budgets as functions. Errors: see `send` in http.ts. */
export function budgetsOf(connection: Connection) {
  const pathOf = (user: string) => `/v1/budgets/${encodeURIComponent(user)}`
  return {
    /** What a user may still spend. */
    get: (user: string) => sendForJson<UserBudget>(connection, { path: pathOf(user) }),
    /** Let a user spend more, until the day and the month end, or one of them. */
    credit: (user: string, body: NewCredit) =>
      sendForJson<CreditGiven>(connection, { method: 'POST', path: `${pathOf(user)}/credit`, body }),
  }
}

/** The routes of a tenant's settings as functions. Errors: see `send` in http.ts. */
export function ownSettingsOf(connection: Connection) {
  const path = '/v1/settings'
  const change = (method: 'PUT' | 'PATCH' | 'POST', at: string, body: object, { ifMatch }: Still) =>
    sendForJson<SettingsInfo>(connection, {
      method,
      path: at,
      body,
      ...(ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } }),
    })
  return {
    get: () => sendForJson<SettingsInfo>(connection, { path }),
    /** Replace all of them. */
    put: (settings: Settings, still: Still = {}) => change('PUT', path, settings, still),
    /** Merge these into them; null takes a field away. */
    patch: (changes: object, still: Still = {}) => change('PATCH', path, changes, still),
    /** Newest first. */
    versions: (query: PageQuery = {}) =>
      sendForJson<Page<ListedSettings>>(connection, { path: `${path}/versions`, query: { ...query } }),
    version: (version: number | string) =>
      sendForJson<SettingsOfVersion>(connection, { path: `${path}/versions/${version}` }),
    /** Have a version hold again; 0: as before anything was set. */
    rollBack: (version: number, still: Still = {}) => change('POST', `${path}/rollback`, { version }, still),
  }
}
