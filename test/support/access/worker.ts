// The product, unchanged, behind what Cloudflare Access does: who signed in (`GET /sign-in` sets the cookie) comes with an assertion, which a browser
// sends along by itself, whichever page asks; nobody else comes in. The keys that sign are those which the team's domain gives.
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as product from '../../../src/index.ts'
import type { Env } from '../../../src/objects/env.ts'

export * from '../../../src/index.ts'

const TEAM = 'https://acme.cloudflareaccess.com'
const COOKIE = 'CF_Authorization=ana'

let made: Promise<CryptoKeyPair> | undefined
const keys = () => (made ??= generateKeyPair('ES256', { extractable: true }))

const assertion = async () =>
  new SignJWT({ email: 'ana@acme.example' })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setIssuer(TEAM)
    .setAudience('yaa-access')
    .setExpirationTime('1h')
    .sign((await keys()).privateKey)

const certs = async () =>
  Response.json({ keys: [{ ...(await exportJWK((await keys()).publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] })

/** The way out, on which the team's domain answers. */
function withTeam(env: Env): Env {
  const way = env.PRIVATE_NETWORK
  const network: Fetcher = {
    fetch: (input, init) =>
      String(input instanceof Request ? input.url : input) === `${TEAM}/cdn-cgi/access/certs`
        ? certs()
        : (way ?? globalThis).fetch(input, init),
    connect: () => {
      throw new TypeError('nothing here speaks anything but HTTP')
    },
  }
  return { ...env, PRIVATE_NETWORK: network }
}

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === '/sign-in')
      return new Response(null, {
        status: 302,
        headers: { location: '/', 'set-cookie': `${COOKIE}; Path=/; HttpOnly` },
      })
    if (!request.headers.get('cookie')?.includes(COOKIE)) return new Response('Sign in.', { status: 401 })
    const headers = new Headers(request.headers)
    headers.set('cf-access-jwt-assertion', await assertion())
    return product.default.fetch(new Request(request, { headers }), withTeam(env), ctx)
  },
}
