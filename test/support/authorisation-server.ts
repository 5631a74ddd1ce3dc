import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { CLIENT_SECRET } from './client-secret.ts'
import { onLoopback } from './on-loopback.ts'

/** How a server of a test behaves where that is not as it should. Set over HTTP, too: POST /control. */
export interface AuthorisationManner {
  /** What its metadata and its answers name as issuer; null: itself. */
  issuer: string | null
  iss: string | null
  /** Seconds that a token is good for. */
  expiresIn: number
  /** Whether refresh tokens are taken. */
  refreshes: boolean
  /** Whether requests for tokens get no answer that can be used. */
  breaks: boolean
  /** What the metadata of the resource names; null: the server that asks for tokens. */
  resource: string | null
}

export interface AuthorisationServer {
  url: string
  host: string
  manner: AuthorisationManner
  /** Of requests for tokens: their fields. */
  asked: Record<string, string>[]
  registered: Record<string, unknown>[]
  /** Headers of all requests. */
  headers: IncomingMessage['headers'][]
  /** The answer in place of a protected resource's own, where the request has no good token; null: it has. */
  guard(request: Request): Response | null
  /** Good tokens are good no more. */
  revoke(): void
  close(): Promise<void>
}

interface Code {
  challenge: string
  client: string
  redirect: string
  resource: string
}

const MANNER: AuthorisationManner = {
  issuer: null,
  iss: null,
  expiresIn: 3_600,
  refreshes: true,
  breaks: false,
  resource: null,
}

/** An authorisation server on loopback that says yes to everybody who comes: codes with PKCE, registration, refresh tokens that
 *  count once, and RFC 9207. */
export async function startAuthorisationServer(): Promise<AuthorisationServer> {
  const codes = new Map<string, Code>()
  const good = new Set<string>()
  const refreshing = new Set<string>()
  const issued: string[] = []
  const revoked: string[] = []
  const asked: Record<string, string>[] = []
  const registered: Record<string, unknown>[] = []
  const headers: IncomingMessage['headers'][] = []
  const manner = { ...MANNER }
  const server = createServer((request, response) => void serve(request, response))
  const { url, host, close } = await onLoopback(server)

  const metadata = () => ({
    issuer: manner.issuer ?? url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  })
  const tokens = () => {
    const [access, refresh] = [crypto.randomUUID(), crypto.randomUUID()]
    issued.push(access, refresh)
    good.add(access)
    refreshing.add(refresh)
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: manner.expiresIn }
  }
  const authorize = (query: URLSearchParams) => {
    const code = crypto.randomUUID()
    const redirect = query.get('redirect_uri') ?? ''
    const of = (name: string) => query.get(name) ?? ''
    issued.push(code)
    codes.set(code, {
      challenge: of('code_challenge'),
      client: of('client_id'),
      redirect,
      resource: of('resource'),
    })
    const back = new URL(redirect)
    const said = { code, state: of('state'), iss: manner.iss ?? url }
    for (const [name, value] of Object.entries(said)) back.searchParams.set(name, value)
    return Response.redirect(back.href, 302)
  }
  const token = (form: URLSearchParams, authorization = '') => {
    const [id, secret] = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')
    const shown = authorization === '' ? {} : { client_id: id ?? '', client_secret: secret ?? '' }
    const fields = { ...Object.fromEntries(form), ...shown }
    asked.push(fields)
    if (manner.breaks) return new Response('', { status: 503 })
    const ways: Record<string, () => boolean> = {
      refresh_token: () => manner.refreshes && refreshing.delete(form.get('refresh_token') ?? ''),
      client_credentials: () => secret === CLIENT_SECRET,
      authorization_code: () => fits(codes, fields),
    }
    const taken = ways[form.get('grant_type') ?? '']?.() ?? false
    return taken ? Response.json(tokens()) : Response.json({ error: 'invalid_grant' }, { status: 400 })
  }
  const register = (client: Record<string, unknown>) => {
    registered.push(client)
    return Response.json({ ...client, client_id: crypto.randomUUID() }, { status: 201 })
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    headers.push(request.headers)
    const chunks: Uint8Array[] = []
    for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    const answers: Record<string, () => Response> = {
      '/.well-known/oauth-authorization-server': () => Response.json(metadata()),
      '/authorize': () => authorize(searchParams),
      '/token': () => token(new URLSearchParams(text), request.headers.authorization),
      '/revocation': () => Response.json(revoked.push(new URLSearchParams(text).get('token') ?? '')),
      '/revoked': () => Response.json(revoked),
      '/register': () => register(JSON.parse(text) as Record<string, unknown>),
      '/control': () => Response.json(Object.assign(manner, MANNER, JSON.parse(text))),
      '/issued': () => Response.json(issued),
      '/revoke': () => Response.json(good.clear() ?? {}),
    }
    const answer = answers[pathname]?.() ?? new Response(null, { status: 404 })
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  }
  return {
    url,
    host,
    manner,
    asked,
    registered,
    headers,
    guard: (request) => {
      const { origin, pathname } = new URL(request.url)
      if (pathname.startsWith('/.well-known/oauth-protected-resource'))
        return Response.json({ resource: manner.resource ?? `${origin}/mcp`, authorization_servers: [url] })
      if (good.has(request.headers.get('authorization')?.replace('Bearer ', '') ?? '')) return null
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
      return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } })
    },
    revoke: () => good.clear(),
    close,
  }
}

/** Whether a code is redeemed by the one who asked for it, for the same resource; it counts once. */
function fits(codes: Map<string, Code>, fields: Record<string, string>): boolean {
  const code = codes.get(fields['code'] ?? '')
  codes.delete(fields['code'] ?? '')
  const challenge = createHash('sha256')
    .update(fields['code_verifier'] ?? '')
    .digest('base64url')
  return (
    code !== undefined &&
    code.challenge === challenge &&
    code.client === fields['client_id'] &&
    code.redirect === fields['redirect_uri'] &&
    code.resource === (fields['resource'] ?? '')
  )
}
