import { fromBase64, toBase64 } from '../lib/base64.ts'

/** The protocol of our WebSockets. A client that offers none may use them too. */
const SOCKET_PROTOCOL = 'yaa'

const KEY_PREFIX = `${SOCKET_PROTOCOL}.key.`

/** What a client offers where it cannot set headers, as in a browser: our protocol, and its key as another one, in base64url. */
export function offeredProtocols(key: string | undefined): string[] {
  if (key === undefined) return [SOCKET_PROTOCOL]
  const text = toBase64(new TextEncoder().encode(key))
  return [SOCKET_PROTOCOL, KEY_PREFIX + text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')]
}

const protocolsIn = (header: string | null) => (header ?? '').split(',').map((one) => one.trim())

/** The protocol that the server speaks of those in a `Sec-WebSocket-Protocol`; null: none of them is ours. The key is never told back. */
export function spokenProtocol(header: string | null): string | null {
  return protocolsIn(header).find((one) => one === SOCKET_PROTOCOL) ?? null
}

/** The key in a `Sec-WebSocket-Protocol`; null: it holds none. */
export function offeredKey(header: string | null): string | null {
  const text = protocolsIn(header).find((one) => one.startsWith(KEY_PREFIX))
  const bytes =
    text === undefined ? null : fromBase64(text.slice(KEY_PREFIX.length).replaceAll('-', '+').replaceAll('_', '/'))
  const key = bytes === null ? '' : new TextDecoder().decode(bytes)
  return /^\S+$/.test(key) ? key : null
}
