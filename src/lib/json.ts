/** Every JSON object that stands in a text, in order, whatever is around it; those inside of others are not given apart. Takes time
 *  linear in the length of the text: a brace that begins no object is tried to its end at most `TRIES_MAX` times. */
export function jsonObjectsIn(text: string): unknown[] {
  const found: unknown[] = []
  let tries = 0
  for (let at = text.indexOf('{'); at >= 0 && tries < TRIES_MAX; at = text.indexOf('{', at)) {
    const end = endOfObject(text, at)
    const parsed = end < 0 ? undefined : parseJson(text.slice(at, end))
    if (parsed !== undefined) found.push(parsed)
    else tries++
    at = parsed === undefined ? at + 1 : end
  }
  return found
}

const TRIES_MAX = 40

/** Behind the brace that closes the one at `start`; -1: none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return at + 1
    if (at < 0) return -1
  }
  return -1
}

/** The quote that closes the string which begins at `start`; below 0: none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return -2
}

/** A value that is nested deeper is no use to anybody, and a burden to all that look through it. */
const LEVELS_MAX = 64

/** The value that a JSON text stands for; undefined: it is none, or nested deeper than `LEVELS_MAX`. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return opensMore(text, LEVELS_MAX) && isDeeper(value, LEVELS_MAX) ? undefined : value
  } catch {
    return undefined
  }
}

/** Whether a text has more than so many brackets that open: with fewer, no value in it is nested deeper. */
function opensMore(text: string, levelsMax: number): boolean {
  let left = levelsMax
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (--left < 0) return true
  }
  return false
}

/** The object that a JSON text stands for; null: it is none. */
export function jsonObject(text: string): Record<string, unknown> | null {
  const value = parseJson(text)
  return isObject(value) ? value : null
}

/** Whether a value is an object with members by name. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `patch` over `base`, objects member by member; null takes a member away. Source: RFC 7396. */
export function mergePatch<T>(base: T, patch: unknown): T {
  if (!isObject(patch)) return patch as T
  const merged: Record<string, unknown> = isObject(base) ? { ...base } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = isObject(value) ? mergePatch(merged[key], value) : value
  }
  return merged as T
}

/** A member of an object; undefined: the value is none, or has none of its own. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

/** Whether a JSON value is nested deeper than so many levels. Looks no deeper than that. */
export function isDeeper(value: unknown, levelsMax: number): boolean {
  if (levelsMax < 0) return true
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (isDeeper(Reflect.get(value, key), levelsMax - 1)) return true
  return false
}

/** A deep copy of plain data: arrays, objects without a prototype of their own, primitives. What is frozen is not copied: both share it. Some
 *  times faster than `structuredClone`, which has to look for much more. */
export function copyPlain<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (Array.isArray(value)) return copyList(value) as T
  const copy = { ...value } as Record<string, unknown>
  for (const key in copy) {
    const inner = copy[key]
    if (typeof inner === 'object' && inner !== null) copy[key] = copyPlain(inner)
  }
  return copy as T
}

function copyList(list: readonly unknown[]): unknown[] {
  const copy = list.slice()
  for (let at = 0; at < copy.length; at++) {
    const inner = copy[at]
    if (typeof inner === 'object' && inner !== null) copy[at] = copyPlain(inner)
  }
  return copy
}

/** Plain data frozen with all that is in it. What is frozen already is not looked into. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}

/** A text that is nothing but a JSON object or array as a block of Markdown, laid out to be read; any other as it is. */
export function withJsonLaidOut(text: string): string {
  const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  return value === undefined ? text : `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
}

/** Whether the texts in a JSON value have no more characters than these. */
export function hasCharsWithin(value: unknown, charsMax: number): boolean {
  return charsLeft(value, charsMax) >= 0
}

function charsLeft(value: unknown, chars: number): number {
  if (typeof value === 'string') return chars - value.length
  if (typeof value !== 'object' || value === null) return chars
  let left = chars
  for (const inner of Object.values(value)) {
    if (left < 0) break
    left = charsLeft(inner, left)
  }
  return left
}
