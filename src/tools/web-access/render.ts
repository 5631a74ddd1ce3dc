import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { WebRenderConfig } from '../../domain/web-config.ts'
import { hostPort } from '../../lib/addresses.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { maskOf } from '../../lib/mask.ts'
import { checkAddress } from '../../net/address.ts'
import { createGuardedFetch, type GuardPorts } from '../../net/guarded-fetch.ts'
import { describeFailure, type GuardedFetch, type GuardedInit } from '../../net/outcome.ts'
import { decodeBytes } from '../../reader/decode.ts'
import { PLACE, serviceUrl } from './render-address.ts'

/** A service that runs the scripts of a page and gives what it shows then. */
export interface Renderer {
  config: WebRenderConfig
  key: string | undefined
  /** To the service and nowhere else beside public addresses. */
  fetch: GuardedFetch
  /** Hosts of the config's own network, whose addresses a service outside of it is not told. */
  privateHosts: readonly string[]
  timeoutMs: number
}

/** The service of a config; null: there is none, or its key is missing. `isTenants`: a tenant named it, so that it is reached as any other address. */
export function rendererOf(
  config: WebRenderConfig | undefined,
  guard: GuardPorts,
  secret: (name: string) => string | undefined,
  isTenants = false,
): Renderer | null {
  if (config === undefined) return null
  const key = config.api_key_env === undefined ? undefined : secret(config.api_key_env)
  if (config.api_key_env !== undefined && !key) return null
  // The config's own address is trusted as that of its search is, and nothing beside it.
  const own = isTenants ? guard : { ...guard, allowPrivateHosts: [hostPort(serviceUrl(config, ''))] }
  const fetch = createGuardedFetch(own)
  const timeoutMs = config.timeout_ms ?? LIMITS.web.renderTimeoutMs
  return { config, key, fetch, privateHosts: guard.allowPrivateHosts, timeoutMs }
}

/** `isCut`: it is over the limit, and `html` its beginning. */
export type RenderOutcome = { ok: true; html: string; isCut: boolean } | { ok: false; reason: string }

/** Ask the service once for what a page shows in a browser. An address that is no public one stays in its network. */
export async function render(
  renderer: Renderer,
  address: string,
  { bodyBytesMax, language, signal }: { bodyBytesMax: number; language: Language; signal: AbortSignal },
): Promise<RenderOutcome> {
  const { config, key, fetch, privateHosts, timeoutMs } = renderer
  const checked = checkAddress(address, privateHosts)
  if (!checked.ok || (checked.listed && !isNear(renderer))) return { ok: false, reason: NOT_PUBLIC[language] }
  const outcome = await fetch(serviceUrl(config, address), {
    ...requestOf(config, key, address),
    timeoutMs,
    bodyBytesMax,
    maxRedirects: 0,
    signal,
  })
  // JSON that is cut is none; a page that is cut is read like any other.
  const isCut = !outcome.ok && outcome.code === 'too_large' && config.provider === 'custom'
  if (!outcome.ok && !isCut) return { ok: false, reason: describeFailure(outcome, language) }
  const { status, bytes, headers } = outcome.ok ? outcome.response : outcome.partial
  if (status >= 300) return { ok: false, reason: STATUS[language](status) }
  const contentType = headers.get('content-type')
  if (config.provider === 'custom' && !HTML_TYPE.test(contentType ?? 'text/html')) {
    return { ok: false, reason: NOT_UNDERSTOOD[language] }
  }
  const text = decodeBytes(bytes, contentType)
  const html = config.provider === 'cloudflare' ? htmlOf(text) : text
  if (html === null) return { ok: false, reason: NOT_UNDERSTOOD[language] }
  return { ok: true, html: key === undefined ? html : maskOf([key])(html), isCut }
}

/** Whether the service is in the config's own network, as the pages of its private hosts are. */
function isNear({ config, privateHosts }: Renderer): boolean {
  const address = serviceUrl(config, '')
  const listed = checkAddress(address, privateHosts)
  return (listed.ok && listed.listed) || !checkAddress(address, []).ok
}

const HTML_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i

const NOT_PUBLIC: Record<Language, string> = {
  'zh-CN': '该地址不在公网上，不会发送给公网上的渲染服务。',
  en: 'the address is not a public one and is not told to a service on the public web.',
}
const STATUS: Record<Language, (status: number) => string> = {
  'zh-CN': (status) => `状态码 ${status}。`,
  en: (status) => `it answered with status ${status}.`,
}
const NOT_UNDERSTOOD: Record<Language, string> = {
  'zh-CN': '渲染服务的答复不是预期的内容。',
  en: 'the answer of the service was not understood.',
}

/** Cloudflare, and a service whose address has no place for that of the page, are told it as JSON. */
function requestOf(config: WebRenderConfig, key: string | undefined, address: string): Partial<GuardedInit> {
  const { provider, url = '', key_header: header = 'authorization' } = config
  const value = config.key_header === undefined ? `Bearer ${key}` : (key ?? '')
  const headers = { accept: 'text/html, application/json', ...(key === undefined ? {} : { [header]: value }) }
  if (provider === 'custom' && url.includes(PLACE)) return { headers }
  const wait = provider === 'cloudflare' ? { gotoOptions: { waitUntil: 'networkidle2' } } : {}
  return {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url: address, ...wait }),
  }
}

/** `{"success": true, "result": "<html>…"}` */
function htmlOf(text: string): string | null {
  const answer = parseJson(text)
  return isObject(answer) && typeof answer['result'] === 'string' ? answer['result'] : null
}
