import { attribute, type ElementNode } from './node.ts'

const LETTERS = 26
const A = 0x61
const BY_STYLE = /list-style(?:-type)?\s*:[^;]*?\b(?:(lower|upper)-(alpha|latin|roman))\b/i
const ROMAN: readonly (readonly [number, string])[] = [
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]
const ROMAN_MAX = 39

/** The whole number that an attribute of an element says. */
export function numberIn({ attributes }: ElementNode, name: 'start' | 'value'): number | null {
  const number = attributes.length === 0 ? Number.NaN : Number.parseInt(attribute(attributes, name) ?? '', 10)
  return Number.isNaN(number) ? null : number
}

/** The number of an item as its list shows it: `b` or `ii` where laws and rules refer to it so. */
export function numbered(list: ElementNode, number: number): string {
  const type = typeOf(list)
  const lower = type.toLowerCase()
  const text = lower === 'a' ? letterOf(number) : lower === 'i' ? romanOf(number) : null
  if (text === null) return String(number)
  return lower === type ? text : text.toUpperCase()
}

function typeOf({ attributes }: ElementNode): string {
  if (attributes.length === 0) return ''
  const [, size, script] = BY_STYLE.exec(attribute(attributes, 'style') ?? '') ?? []
  if (size === undefined) return attribute(attributes, 'type') ?? ''
  const type = script?.toLowerCase() === 'roman' ? 'i' : 'a'
  return size.toLowerCase() === 'upper' ? type.toUpperCase() : type
}

function letterOf(number: number): string | null {
  return number >= 1 && number <= LETTERS ? String.fromCharCode(A + number - 1) : null
}

function romanOf(number: number): string | null {
  if (number < 1 || number > ROMAN_MAX) return null
  let left = number
  return ROMAN.map(([worth, letters]) => {
    const count = Math.floor(left / worth)
    left -= count * worth
    return letters.repeat(count)
  }).join('')
}
