import { webAddress } from './web-address.ts'

const SCHEMED = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,31}:\/\/[^\s<>"'`，。；、！？（）《》【】]+/gi

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** What ends a sentence rather than an address. */
const SENTENCE_END = /[.,;:!?)\]}*_|]+$/

/** Addresses of any scheme that a text holds, as they are written there. */
export function addressesIn(text: string): string[] {
  const found = text.match(SCHEMED)?.map((one) => one.replace(SENTENCE_END, '')) ?? []
  return found.filter((one) => URL.canParse(one))
}

/** Addresses in a value of an argument: those that its texts hold, names of fields too, and texts that are one without its scheme.
 *  What is nested deeper than `depthMax` is looked through as its JSON. */
export function addressesWithin(value: unknown, depthMax: number): string[] {
  const texts = textsWithin(value, depthMax)
  return [...new Set(texts.flatMap((text) => [...addressesIn(text), ...bareAddress(text)]))]
}

/** A file name has one dot at most. */
const BARE = /[/?#:]|\.[^.]+\.[a-z\u0080-\uffff-]+$/i

/** An address that stands alone without its scheme. */
function bareAddress(text: string): string[] {
  const bare = text.trim()
  const address = SCHEME.test(bare) ? null : webAddress(bare)
  return address !== null && BARE.test(bare.replace(/^\/\//, '')) ? [address] : []
}

/** Every text of a value, names of fields too. */
export function textsWithin(value: unknown, depthMax: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? [String(value)] : []
  if (depthMax === 0) return [JSON.stringify(value)]
  const names = Array.isArray(value) ? [] : Object.keys(value)
  return [...names, ...Object.values(value).flatMap((inner) => textsWithin(inner, depthMax - 1))]
}
