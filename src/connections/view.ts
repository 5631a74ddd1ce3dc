import type { ConnectionInfo, KeptConnection, NewConnection, OAuthClient } from '../domain/connection.ts'

/** A client as an administrator writes it. */
export function oauthClientFrom(given: NonNullable<NewConnection['oauth2']>): OAuthClient {
  const { grant = 'authorization_code', authorize_url: page, revoke_url: revoke, client_auth: auth, ...rest } = given
  return {
    grant,
    ...(page === undefined ? {} : { authorizeUrl: page }),
    tokenUrl: rest.token_url,
    ...(revoke === undefined ? {} : { revokeUrl: revoke }),
    clientId: rest.client_id,
    ...(auth === 'body' ? { auth } : {}),
    scopes: rest.scopes ?? [],
    ...(rest.parameters === undefined ? {} : { parameters: rest.parameters }),
  }
}

/** A connection as it is shown: never its secret. `isAuthorized`: there are tokens of it. */
export function connectionView(kept: KeptConnection, isAuthorized = false): ConnectionInfo {
  const { name, origin, description, user = null, eachUser = false, lastFour, createdTime, updatedTime, by } = kept
  return {
    object: 'connection',
    name,
    origin,
    description,
    user,
    each_user: eachUser,
    oauth2: kept.oauth2 ? shownClient(kept.oauth2, isAuthorized) : null,
    last_four: lastFour,
    created_time: new Date(createdTime).toISOString(),
    updated_time: new Date(updatedTime).toISOString(),
    created_by: by,
  }
}

function shownClient(client: OAuthClient, authorized: boolean): NonNullable<ConnectionInfo['oauth2']> {
  return {
    grant: client.grant,
    authorize_url: client.authorizeUrl ?? null,
    token_url: client.tokenUrl,
    revoke_url: client.revokeUrl ?? null,
    client_id: client.clientId,
    client_auth: client.auth ?? 'header',
    scopes: [...client.scopes],
    parameters: { ...client.parameters },
    authorized,
  }
}
