import type { AppError } from '../domain/errors.ts'
import type { ServicePorts } from './ports.ts'

/** Where a request came to, and from which page. */
export interface Sender {
  /** Its address as the platform read it. */
  url: string
  /** Header `Host`. */
  host: string | undefined
  /** Header `Origin`: a browser sends it with all but plain GETs, and scripts cannot forge it. */
  origin: string | undefined
  /** Header `Sec-Fetch-Site`. */
  site: string | undefined
}

type Config = Pick<ServicePorts, 'config' | 'isLocal'>

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Why nobody is served by these names, whatever they show; null: they may ask. A server on this machine goes by the machine's own names, so
 *  that no name that somebody else points here is served. A page of another origin is refused though its script knew a key. */
export function foreignSender(ports: Config, sender: Sender): AppError | null {
  const names = [URL.parse(sender.url)?.hostname, hostOf(sender.host ?? '')?.hostname]
  if (ports.isLocal && !names.every((name) => name !== undefined && isOwnName(ports, name)))
    return { code: 'forbidden', detail: 'This name is not served: use localhost, or set public_url in the config.' }
  const { origin } = sender
  const origins = ports.config.cors?.origins ?? []
  if (origin === undefined || isOwnOrigin(ports, sender, origin) || origins.includes(origin)) return null
  return {
    code: 'forbidden',
    detail: 'Pages of this origin may not ask: cors.origins in the config names those that may.',
  }
}

/** Whether a page of this server sent it, or no page did. What a browser sends along by itself proves nothing else. */
export function isSameOrigin(ports: Config, sender: Sender): boolean {
  const { origin, site } = sender
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return origin === undefined || isOwnOrigin(ports, sender, origin)
}

function isOwnName({ config }: Config, name: string): boolean {
  return LOOPBACK_NAMES.has(name) || /^127(\.\d{1,3}){3}$/.test(name) || name === URL.parse(publicUrl(config))?.hostname
}

/** The server's own address with its port. What ends TLS before the server leaves it with `http`. */
function isOwnOrigin({ config }: Config, { url, host }: Sender, text: string): boolean {
  const origin = URL.parse(text)
  if (!origin || text !== origin.origin) return false
  if (text === URL.parse(url)?.origin || text === URL.parse(publicUrl(config))?.origin) return true
  return origin.protocol === 'https:' && origin.host === host?.toLowerCase()
}

const publicUrl = (config: Config['config']): string => config.public_url ?? ''

function hostOf(text: string): URL | null {
  return URL.parse(`http://${text}`)
}
