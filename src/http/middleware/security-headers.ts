import { factory } from '../context.ts'

const YEAR_SECONDS = 31_536_000

/** What every answer tells a browser; a page says more of itself. */
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
} as const

/** Answers run nothing, are framed by nobody and tell no other site where they were read; data stays in no cache. */
export const securityHeaders = factory.createMiddleware(async (c, next) => {
  for (const [name, value] of Object.entries(ALWAYS)) c.header(name, value)
  const { protocol } = new URL(c.req.url)
  if (protocol === 'https:') c.header('strict-transport-security', `max-age=${YEAR_SECONDS}; includeSubDomains`)
  if (c.req.path.startsWith('/v1') || c.req.method !== 'GET') c.header('cache-control', 'no-store')
  return next()
})
