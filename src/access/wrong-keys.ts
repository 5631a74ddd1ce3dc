import { ACCESS_LIMITS } from '../domain/access-limits.ts'
import { takeRequest } from './rates.ts'

/** How often each address showed a wrong key, in the memory of an isolate. Only addresses that did so lately are known. */
export class WrongKeys {
  /** By address, the one that was longest quiet first: when its bucket is full again, in Unix ms. */
  readonly #fullAt = new Map<string, number>()

  /** Whether any address showed one. */
  get areKnown(): boolean {
    return this.#fullAt.size > 0
  }

  /** Ms until a wrong key is taken from there again; 0: now. */
  waitMs(address: string, now: number): number {
    return this.#next(address, now).stand.retryAfterMs ?? 0
  }

  /** Count one. Ms as `waitMs` would have said before. */
  count(address: string, now: number): number {
    const { fullAt, stand } = this.#next(address, now)
    this.#fullAt.delete(address)
    this.#fullAt.set(address, fullAt)
    if (this.#fullAt.size > ACCESS_LIMITS.wrongKeyAddressesMax)
      for (const oldest of this.#fullAt.keys()) {
        this.#fullAt.delete(oldest)
        break
      }
    return stand.retryAfterMs ?? 0
  }

  #next(address: string, now: number) {
    return takeRequest(this.#fullAt.get(address) ?? now, ACCESS_LIMITS.wrongKeysPerMinuteMax, now)
  }
}

/** Under which name an address counts: of IPv6 the network of a site, since whoever has one address there has all. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head.split(':').filter((group) => group !== '')
  return [...groups, ...(tail === undefined ? [] : ['0', '0', '0', '0'])]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
