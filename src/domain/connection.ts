import * as z from 'zod'
import { onDemand, type ShapeOf, time } from '../lib/shape.ts'
import { httpUrl } from './config.ts'
import { LIMITS } from './limits.ts'
import { isPathPart, NO_PATH_PART, userName } from './path-name.ts'

/** What stands in `{{secret:NAME}}`, in `connection` of a model, and in that of `auth` of an API. */
export const connectionName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, '1 to 64 letters, digits, dots, _ and -')
  .refine(isPathPart, NO_PATH_PART)

const secretText = z
  .string()
  .min(1)
  .max(LIMITS.request.secretCharsMax)
  .regex(/^[\x20-\x7e]*$/, 'printable ASCII')
const basic = z.strictObject({
  username: z
    .string()
    .max(1_000)
    .regex(/^[^:]*$/, 'a name without a colon'),
  password: z.string().min(1).max(1_000),
})

/** How tokens are got (RFC 6749): by somebody who grants access, or by the client for itself. */
const OAUTH_GRANTS = ['authorization_code', 'client_credentials'] as const
/** Where the client's secret stands in requests for tokens. */
const OAUTH_CLIENT_AUTHS = ['header', 'body'] as const

const scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'a scope, without white space')
const parameter = z.string().max(1_000)

/** A client that an authorization server knows. Its secret is that of the connection. */
const oauth2 = z
  .strictObject({
    grant: z.enum(OAUTH_GRANTS).optional(),
    authorize_url: httpUrl.optional(),
    token_url: httpUrl,
    revoke_url: httpUrl.optional(),
    client_id: z.string().min(1).max(1_000),
    client_auth: z.enum(OAUTH_CLIENT_AUTHS).optional(),
    scopes: z.array(scope).max(100).optional(),
    /** What else the server wants to be told, such as `audience`. */
    parameters: z.record(z.string().regex(/^[a-z_]{1,60}$/, 'a name in small letters'), parameter).optional(),
  })
  .refine(({ grant, authorize_url: url }) => (grant === 'client_credentials') === (url === undefined), {
    path: ['authorize_url'],
    error: 'the page on which access is granted; none for client_credentials',
  })

interface GivenSecret {
  secret?: unknown
  basic?: unknown
}

const eitherSecret = {
  path: ['secret'],
  error: 'either secret or basic',
}
const hasOne = ({ secret, basic: pair }: GivenSecret) => (secret === undefined) !== (pair === undefined)

/** A secret, and the origin that it is for. `basic` is kept as it stands behind `Basic ` in an `authorization` header. With `each_user` every user
 *  gives one of their own, and none is kept here. */
export const newConnection = z
  .strictObject({
    name: connectionName,
    origin: httpUrl,
    description: z.string().max(LIMITS.text.nameCharsMax).optional(),
    /** Whose it is, where it is not the tenant's. */
    user: userName.optional(),
    each_user: z.boolean().optional(),
    secret: secretText.optional(),
    basic: basic.optional(),
    oauth2: oauth2.optional(),
  })
  .superRefine(({ each_user: isEach, user, ...given }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (isEach && user !== undefined)
      refuse('each_user', 'either user or each_user: one of a user is of that one alone')
    if (given.oauth2) {
      if (given.basic) refuse('basic', 'none: with oauth2 secret is that of the client')
      if (given.oauth2.grant === 'client_credentials' && given.secret === undefined)
        refuse('secret', 'the secret of the client')
      if (given.oauth2.grant === 'client_credentials' && isEach)
        refuse('each_user', 'none: the client speaks for itself')
      return
    }
    if (isEach && (given.secret ?? given.basic) !== undefined)
      refuse('secret', 'none: with each_user every user gives their own')
    if (!isEach && !hasOne(given)) refuse('secret', eitherSecret.error)
  })
export type NewConnection = z.infer<typeof newConnection>

/** Another secret in the place of the one that is kept. */
export const connectionPatch = z
  .strictObject({ secret: secretText.optional(), basic: basic.optional() })
  .refine(hasOne, eitherSecret)
export type ConnectionPatch = z.infer<typeof connectionPatch>

/** A client of an authorization server, without its secret. */
export interface OAuthClient {
  grant: (typeof OAUTH_GRANTS)[number]
  authorizeUrl?: string
  tokenUrl: string
  revokeUrl?: string
  clientId: string
  /** Default: `header`. */
  auth?: 'body'
  scopes: readonly string[]
  parameters?: Readonly<Record<string, string>>
}

/** A connection as it is kept. `sealed`: its secret, encrypted; of one that each user gives, nothing. */
export interface KeptConnection {
  name: string
  origin: string
  description: string
  /** Whose it is; absent: the tenant's. */
  user?: string
  eachUser?: true
  /** It stands behind `Basic ` in an `authorization` header. */
  basic?: true
  oauth2?: OAuthClient
  /** Where our server was reached when it was made: who grants access comes back there. */
  base?: string
  sealed: string
  /** The end of the secret; null: it is too short to show any. */
  lastFour: string | null
  /** Unix ms. */
  createdTime: number
  updatedTime: number
  /** The account that gave the secret. */
  by: string
}

export const connectionInfo = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('connection'),
    name: z.string(),
    origin: z.string(),
    description: z.string(),
    user: z.string().nullable(),
    each_user: z.boolean(),
    oauth2: z
      .object({
        grant: z.enum(OAUTH_GRANTS),
        authorize_url: z.string().nullable(),
        token_url: z.string(),
        revoke_url: z.string().nullable(),
        client_id: z.string(),
        client_auth: z.enum(OAUTH_CLIENT_AUTHS),
        scopes: z.array(z.string()),
        parameters: z.record(z.string(), z.string()),
        /** Whether there are tokens; with `each_user`, of nobody. */
        authorized: z.boolean(),
      })
      .nullable(),
    last_four: z.string().nullable(),
    created_time: time(),
    updated_time: time(),
    created_by: z.string(),
  }),
)
/** Where somebody grants access. */
export const connectionAuthorization = /* @__PURE__ */ onDemand(() =>
  z.object({ object: z.literal('connection.authorization'), url: z.string(), expires_time: time() }),
)
export type ConnectionAuthorization = ShapeOf<typeof connectionAuthorization>
export type ConnectionInfo = ShapeOf<typeof connectionInfo>
