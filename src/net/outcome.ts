import type { RedirectBar } from '../domain/tool.ts'
import type { Language } from '../domain/language.ts'
import { byteSize } from '../lib/text.ts'

/** Why an address may not be reached. */
export type AddressProblem = 'not_an_address' | 'too_long' | 'scheme' | 'credentials' | 'private'

/** Thrown by a `Fetch` for an address that may not be reached, or whose name turns out to mean one; told apart by its `name`. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly detail: AddressProblem

  constructor(detail: AddressProblem) {
    super(`The address may not be reached: ${detail}`)
    this.detail = detail
  }
}

/** An answer that was read to its end. `url` is where the last redirect led; `bytes` are decoded (no gzip). */
export interface GuardedResponse {
  status: number
  headers: Headers
  url: string
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * Why a request gave no whole answer. `redirects`: how many were followed before. `detail` is for the log only where it
 * is the raw reason of the platform (`unreachable`); the others are of our own making.
 */
export type NetFailure =
  | { code: 'address_refused'; detail: AddressProblem; redirects: number }
  | { code: 'unreachable'; detail: string; redirects: number }
  | { code: 'timeout'; detail: 'headers' | 'body'; timeoutMs: number; redirects: number }
  | { code: 'too_many_redirects'; detail: string; redirectsMax: number; redirects: number }
  | { code: 'bad_redirect'; detail: string; redirects: number }
  | { code: RedirectBar; detail: string; redirects: number }
  /** `partial` holds the first `bodyBytesMax` bytes. */
  | { code: 'too_large'; detail: string; bodyBytesMax: number; partial: GuardedResponse; redirects: number }
  | { code: 'cancelled'; detail: string; redirects: number }

export type GuardedOutcome = { ok: true; response: GuardedResponse } | ({ ok: false } & NetFailure)

export interface GuardedInit {
  method?: string
  headers?: Readonly<Record<string, string>>
  /** Kept until the end: a redirect may ask for it again. */
  body?: string | Uint8Array<ArrayBuffer>
  /** 0: a redirect is an answer like any other. Default: the limit `web.redirectsMax`. */
  maxRedirects?: number
  /** Why a redirect to an address is not followed; null: it is. */
  barsRedirect?: (target: string) => RedirectBar | null
  /** From the call to the last byte, redirects included. */
  timeoutMs: number
  /** Decoded bytes. Default: the limit `web.bodyBytesMax`. */
  bodyBytesMax?: number
  signal?: AbortSignal
}

/** The only way out for tools: every address is checked, redirects too; never throws for what the network does. */
export type GuardedFetch = (url: string, init: GuardedInit) => Promise<GuardedOutcome>

type Situation = Exclude<NetFailure['code'], 'address_refused' | 'timeout'> | 'timeout_headers' | 'timeout_body'

const REFUSED: Record<Language, Record<AddressProblem, string>> = {
  'zh-CN': {
    not_an_address: '地址无效，未访问。请给出完整的 http 或 https 地址，例如 https://example.com/page。',
    too_long: '地址过长，未访问。请使用更短的地址。',
    scheme: '只能访问 http 和 https 地址，未访问。请给出以 http:// 或 https:// 开头的地址。',
    credentials: '地址中带有用户名或密码，未访问。请使用不含“用户名:密码@”的地址。',
    private:
      '该地址指向本机、内网或保留的网络，不允许访问，未发送任何请求。请使用公网地址；确需访问时，由管理员把准确的“主机:端口”加入配置 web.allow_private_hosts。',
  },
  en: {
    not_an_address:
      'The address is not valid and was not visited. Give a whole http or https address, such as https://example.com/page.',
    too_long: 'The address is too long and was not visited. Use a shorter one.',
    scheme: 'Only http and https addresses can be visited. Give one that begins with http:// or https://.',
    credentials: 'The address holds a user name or password and was not visited. Use it without "user:password@".',
    private:
      'The address leads to this machine, a private or a reserved network, which is not allowed; nothing was sent. Use a public address; if it is really needed, the administrator can add its exact host:port to web.allow_private_hosts in the config.',
  },
}

/** What stands before the reason where a page leads to an address that is refused. */
export const REDIRECTED: Record<Language, string> = {
  'zh-CN': '该网页跳转到了不允许访问的地址，跳转目标未被访问。原因：',
  en: 'The page redirects to an address that may not be visited; the target was not visited. Reason: ',
}

const TEXTS: Record<Language, Record<Situation, string>> = {
  'zh-CN': {
    unreachable:
      '无法连接到该地址，或连接中途断开。请检查地址是否正确；网站也可能暂时不可用，或其域名指向不允许访问的内网。可稍后重试，或换一个来源。',
    timeout_headers: '等待 {limit} 秒后网站仍未响应，已放弃。可稍后重试，或换一个来源。',
    timeout_body: '网页在 {limit} 秒内未传输完毕，已放弃。可稍后重试，或换一个来源。',
    too_many_redirects: '跳转超过 {limit} 次，已放弃，可能是循环跳转。请尝试该网页的最终地址或换一个来源。',
    bad_redirect: '网页要求跳转，但跳转目标不是有效的地址。请检查地址，或换一个来源。',
    other_host:
      '该地址跳转到另一个网站，而上下文中已有不可信的内容：未跟随跳转，以免数据被带出去。请换一个来源，或请用户给出最终地址。',
    not_allowed:
      '该地址跳转到另一处，而该工具的规则不允许未经询问就访问那里：未跟随跳转。请直接访问最终地址（可能需要用户批准），或换一个来源。',
    too_large: '内容超过 {limit} 的上限，只读取了开头部分。',
    cancelled: '访问已被取消。',
  },
  en: {
    unreachable:
      'The address could not be reached, or the connection broke off. Check the address; the site may also be down for a while, or its name may lead into a private network, which is not allowed: try again later or use another source.',
    timeout_headers:
      'The site did not answer within {limit} s, so the visit was given up. Try again later or use another source.',
    timeout_body:
      'The page did not come to its end within {limit} s, so the visit was given up. Try again later or use another source.',
    too_many_redirects:
      "There were more than {limit} redirects, probably in a circle, so the visit was given up. Try the page's final address or another source.",
    bad_redirect: 'The page redirects to something that is not an address. Check the address or use another source.',
    other_host:
      'The address redirects to another site, and untrusted content is in the context: the redirect was not followed, so that no data is carried out. Use another source, or ask the user for the final address.',
    not_allowed:
      "The address redirects to a place that this tool's rules do not let it reach unasked: the redirect was not followed. Call the final address itself (a human may have to allow it), or use another source.",
    too_large: 'The content is over the limit of {limit}; only its beginning was read.',
    cancelled: 'The visit was cancelled.',
  },
}

/** All that is said here of addresses and failures, by what it is about. `{limit}` stands for a number. */
export const NET_TEXTS: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  'zh-CN': { ...REFUSED['zh-CN'], ...TEXTS['zh-CN'] },
  en: { ...REFUSED.en, ...TEXTS.en },
}

/** What happened and what may help, for a person or a model. Holds no address and nothing that the page wrote. */
export function describeFailure(failure: NetFailure, language: Language): string {
  if (failure.code === 'address_refused') {
    return (failure.redirects > 0 ? REDIRECTED[language] : '') + describeAddressProblem(failure.detail, language)
  }
  return TEXTS[language][situationOf(failure)].replace('{limit}', limitOf(failure))
}

function situationOf(failure: Exclude<NetFailure, { code: 'address_refused' }>): Situation {
  return failure.code === 'timeout' ? `timeout_${failure.detail}` : failure.code
}

function limitOf(failure: NetFailure): string {
  if (failure.code === 'timeout') return String(Math.round(failure.timeoutMs / 100) / 10)
  if (failure.code === 'too_many_redirects') return String(failure.redirectsMax)
  return failure.code === 'too_large' ? byteSize(failure.bodyBytesMax) : ''
}

/** What is said of a body of which only the first `bodyBytesMax` bytes were read. */
export function describeCut(bodyBytesMax: number, language: Language): string {
  return TEXTS[language].too_large.replace('{limit}', byteSize(bodyBytesMax))
}

/** The same for an address that is refused when it is given (a model's `api_url`, a callback). */
export function describeAddressProblem(problem: AddressProblem, language: Language): string {
  return REFUSED[language][problem]
}
