import { computed, signal } from '@preact/signals'
import { ApiProblem, createClient, Unreachable, type Client } from '../client/client.ts'
import type { Me, Scope } from '../domain/access.ts'
import { randomKey } from '../lib/random-key.ts'
import { byteSize } from '../lib/text.ts'
import { language, texts } from './language.ts'

const STORED = 'yaa.key'

const key = signal<string | null>(sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED))

/** Whether the server wants a key, or another one. */
export const keyNeeded = signal<'no' | 'missing' | 'refused'>('no')
export const hasKey = computed(() => key.value !== null)

/** Rights that the key of the page lacks, as far as that is known. */
export const lackedScopes = signal<ReadonlySet<string>>(new Set())
export const may = (scope: Scope): boolean => !lackedScopes.value.has(scope)
const SCOPES = ['run', 'read', 'decide', 'admin'] as const satisfies readonly Scope[]

const lackedBy = ({ scopes }: Pick<Me, 'scopes'>): ReadonlySet<string> =>
  new Set(scopes.includes('admin') ? [] : SCOPES.filter((one) => !scopes.includes(one)))

/** Asks what the page may do, so that nothing is offered that would be refused. Where that is not told, the first refusal tells. */
export async function learnScopes(): Promise<void> {
  const asking = client.value
  const told = await asking.me().catch(() => null)
  if (told && asking === client.value) lackedScopes.value = lackedBy(told)
}

/** The one client of the page. It speaks to the server that the page came from. */
export const client = computed<Client>(() =>
  createClient({ server: location.origin, key: key.value ?? undefined, fetch: watchedFetch }),
)

/** Cookies go along for what stands before the server and asks who it is, such as Cloudflare Access, and for who is sent to authorise an MCP server. */
async function watchedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const shown = key.value
  const headers = new Headers(init?.headers)
  headers.set('accept-language', language.value)
  const options = { ...init, headers, credentials: 'same-origin', cache: 'no-store' } as const
  // What is deleted by leaving the page is sent all the same.
  const send = () => fetch(url, { ...options, keepalive: init?.method === 'DELETE' })
  const response = await reached(shown === null || shown === taken ? send() : sentInTurn(shown, send), init)
  if (response.status === 401 && key.value === shown) keyNeeded.value = shown === null ? 'missing' : 'refused'
  noteLack(response)
  return response
}

/** The key that the server took, so that what is asked with it waits for nothing. */
let taken: string | null = null
/** The first request with a key that the server has not seen yet; `refusal`: that the key is none. */
let trying: Promise<{ response: Response; refusal: Response | null }> | null = null

/** A key that was stored is shown once before all ask with it: the audit has a line of each that is refused. */
async function sentInTurn(shown: string, send: () => Promise<Response>): Promise<Response> {
  if (trying !== null) {
    const before = await trying.catch(() => null)
    return before?.refusal && key.value === shown ? before.refusal.clone() : send()
  }
  const asked = send().then((response) => ({ response, refusal: response.status === 401 ? response.clone() : null }))
  trying = asked
  try {
    const { response, refusal } = await asked
    if (refusal === null) taken = shown
    return response
  } finally {
    if (trying === asked) trying = null
  }
}

/** Source: RFC 6750 §3.1. */
function noteLack({ status, headers }: Response): void {
  const [, scope] = /error="insufficient_scope", scope="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? []
  if (status !== 403 || scope === undefined || lackedScopes.value.has(scope)) return
  lackedScopes.value = new Set([...lackedScopes.value, scope])
}

/** Whether the last request got no answer at all. */
export const isUnreached = signal(false)

async function reached(asked: Promise<Response>, init?: RequestInit): Promise<Response> {
  try {
    const response = await asked
    isUnreached.value = false
    return response
  } catch (error) {
    if (!init?.signal?.aborted) isUnreached.value = true
    throw error
  }
}

/** Where one who authorised an MCP server is taken back, asked with the key; what its page says. */
export async function confirmReturn(query: string): Promise<{ ok: boolean; text: string }> {
  const shown = key.value === null ? {} : { authorization: `Bearer ${key.value}` }
  const response = await watchedFetch(`/oauth/callback${query}`, { headers: { ...shown, accept: 'text/plain' } })
  return { ok: response.ok, text: await response.text() }
}

/** Takes the key out of an address such as `yaa serve` prints, so that it stays in no history and is sent to nobody. It is of this tab:
 *  whoever made the address has no say in what the device keeps. */
function takeFromAddress(): boolean {
  const [, found] = /^#key=(.+)$/.exec(location.hash) ?? []
  if (found === undefined) return false
  history.replaceState(null, '', location.pathname + location.search)
  shows(found, sessionStorage)
  return true
}

takeFromAddress()
addEventListener('hashchange', () => takeFromAddress() && location.reload())

/** The key that the server did not accept, to be mended; empty: there is none. */
export const refusedKey = (): string => (keyNeeded.peek() === 'refused' ? (key.peek() ?? '') : '')

/** Takes a key for this tab, or for this device. `told`: what it may do, where that is known. */
export function takeKey(value: string, keep: boolean, told?: Me): void {
  forgetStored()
  shows(value, keep ? localStorage : sessionStorage, told)
}

function shows(value: string, storage: Storage, told?: Me): void {
  storage.setItem(STORED, value)
  key.value = value
  lackedScopes.value = told ? lackedBy(told) : new Set()
  keyNeeded.value = 'no'
}

/** What a key may do, which one request tells before any other shows it; null: the server does not take it. */
export async function askedWho(value: string): Promise<Me | null> {
  try {
    return await createClient({ server: location.origin, key: value, language: language.value, fetch: plainFetch }).me()
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) return null
    throw error
  }
}

/** Of a key that is only tried. */
const plainFetch = (url: string | URL | Request, init?: RequestInit) =>
  reached(fetch(url, { ...init, credentials: 'same-origin', cache: 'no-store' }), init)

export function forgetKey(): void {
  forgetStored()
  key.value = null
  lackedScopes.value = new Set()
  keyNeeded.value = 'missing'
}

function forgetStored(): void {
  sessionStorage.removeItem(STORED)
  localStorage.removeItem(STORED)
}

/** What went wrong and what to do, in one line for a person. */
export function errorText(error: unknown): string {
  if (error instanceof ApiProblem)
    // It is for who runs the server, and looks for what went wrong there.
    return error.requestId === null || error.status < 500
      ? withPermissions(withSizes(error.message))
      : texts().aside(error.message, texts().problem.request(error.requestId))
  if (error instanceof Unreachable) return texts().problem.offline
  return error instanceof Error ? error.message : String(error)
}

/** The same where a JSON Schema may have refused a value; what its validator says is told in words, which are loaded for it. */
export async function textInWords(error: unknown): Promise<string> {
  const text = errorText(error)
  if (!(error instanceof ApiProblem && error.errors.length > 0)) return text
  const words = await import('../domain/schema-words.ts').catch(() => null)
  return words?.withSchemaWords(language.peek(), text) ?? text
}

/** Many bytes as one reads them. */
const withSizes = (text: string) =>
  text.replaceAll(/(\d{4,}) (?:bytes|字节)/g, (_, bytes: string) => byteSize(Number(bytes)))

/** What the API calls the scope of a key is a permission on the page. */
const withPermissions = (text: string) =>
  text.replace(/key with scope (\w+)|权限范围 (\w+) ?/, (_, en?: string, zh = '') =>
    texts().problem.permission(en ?? zh),
  )

const WAIT_MAX_MS = 60_000

/** How long a refusal for too many requests says to wait; 0: it was none. */
export const retryAfterMs = (error: unknown): number =>
  error instanceof ApiProblem && error.status === 429 ? Math.min(error.retryAfterMs ?? WAIT_MAX_MS, WAIT_MAX_MS) : 0

const RETRIES = 4
const RETRY_MS = 400

/** Sends a change, again under the same key when no answer came: it happens once however often it is sent. */
export async function sendOnce<T>(act: (key: string) => Promise<T>): Promise<T> {
  const sameKey = randomKey()
  for (let tries = 0; ; tries++) {
    try {
      return await act(sameKey)
    } catch (error) {
      const cut = error instanceof Unreachable || (error instanceof ApiProblem && error.code === 'unavailable')
      if (!cut || tries >= RETRIES) throw error
      await new Promise((done) => setTimeout(done, RETRY_MS * 2 ** tries))
    }
  }
}

/** Gives bytes to the browser to be saved under a name. */
export function saveAs(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
