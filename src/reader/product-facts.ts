import { isObject } from '../lib/json.ts'
import { collapse } from './node.ts'
import { decodeReferences } from './text-reader.ts'

/** What a page tells machines of the one product that it is about: facts by the words of schema.org, and its description. */
export interface ToldProduct {
  facts: readonly (readonly [name: string, value: string])[]
  description: string
}

type Json = Record<string, unknown>

const DESCRIPTION_CHARS_MAX = 20_000
const VALUE_CHARS_MAX = 200
const PROPERTIES_MAX = 40
const VARIANTS_MAX = 40
const PLAIN = ['sku', 'mpn', 'gtin13', 'color', 'material', 'size'] as const

/** Null: it tells of none, or of several. Source: schema.org, Product and Offer. */
export function toldProduct(products: readonly Json[]): ToldProduct | null {
  const [product, another] = products
  if (product === undefined || another !== undefined) return null
  const told = product['description']
  const description = typeof told === 'string' ? collapse(decodeReferences(told).replace(/<[^<>]*>/g, ' ')) : ''
  return { facts: factsOf(product), description: description.slice(0, DESCRIPTION_CHARS_MAX) }
}

function factsOf(product: Json): ToldProduct['facts'] {
  const offer = firstOf(product['offers'])
  const variants = listOf(product['hasVariant']).slice(0, VARIANTS_MAX)
  const rating = firstOf(product['aggregateRating'])
  const told: [string, string][] = [
    ['brand', nameOf(product['brand'])],
    ['price', pricesOf(product['offers'])],
    ['availability', wordOf(offer?.['availability'])],
    ['itemCondition', wordOf(offer?.['itemCondition'])],
    ['ratingValue', rating === null ? '' : ratingOf(rating)],
    ...PLAIN.map((name): [string, string] => [name, valueOf(product[name])]),
    ...propertiesOf(product['additionalProperty']),
    ...variants.map((one): [string, string] => ['variant', variantOf(one)]),
  ]
  return told.filter(([name, value]) => name !== '' && value !== '')
}

function firstOf(value: unknown): Json | null {
  return listOf(value)[0] ?? null
}

function listOf(value: unknown): Json[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.filter(isObject)
}

/** What one of several forms of a product is told apart by. */
function variantOf(product: Json): string {
  const offer = firstOf(product['offers'])
  const properties = ['color', 'size', 'material', 'pattern'].map((name) => valueOf(product[name]))
  const names = valueOf(product['name']) || properties.filter(Boolean).join(' ') || valueOf(product['sku'])
  return [names, pricesOf(product['offers']), wordOf(offer?.['availability'])].filter(Boolean).join(', ')
}

/** The price of the only offer, or those of several from the lowest to the highest. */
function pricesOf(offers: unknown): string {
  const list = listOf(offers)
  const [first = '', ...others] = [...new Set(list.map(priceOf))].filter(Boolean)
  if (others.length === 0) return first
  const numbers = list.map((offer) => Number(valueOf(offer['price']) || Number.NaN))
  const currencies = new Set(list.map((offer) => valueOf(offer['priceCurrency'])))
  if (numbers.some(Number.isNaN) || currencies.size > 1) return first
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)].map((at) => list[numbers.indexOf(at)])
  return `${valueOf(low?.['price'])}–${high === undefined ? '' : priceOf(high)}`
}

function valueOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? collapse(decodeReferences(value)).slice(0, VALUE_CHARS_MAX) : ''
}

function nameOf(value: unknown): string {
  return valueOf(firstOf(value)?.['name'] ?? value)
}

/** The last word of an address of schema.org. */
function wordOf(value: unknown): string {
  return valueOf(value).replace(/^.*\//, '')
}

function priceOf(offer: Json): string {
  const told = firstOf(offer['priceSpecification']) ?? {}
  const [low, high] = [valueOf(offer['lowPrice']), valueOf(offer['highPrice'])]
  const range = low !== '' && high !== '' && low !== high ? `${low}–${high}` : low
  const price = valueOf(offer['price']) || range || valueOf(told['price'])
  const currency = valueOf(offer['priceCurrency']) || valueOf(told['priceCurrency'])
  return price === '' ? '' : `${price} ${currency}`.trim()
}

function ratingOf(rating: Json): string {
  const [value, best] = [valueOf(rating['ratingValue']), valueOf(rating['bestRating'])]
  const count = valueOf(rating['reviewCount']) || valueOf(rating['ratingCount'])
  return value === '' ? '' : value + (best === '' ? '' : `/${best}`) + (count === '' ? '' : ` (${count})`)
}

function propertiesOf(value: unknown): [string, string][] {
  const list: unknown[] = Array.isArray(value) ? value : []
  return list
    .slice(0, PROPERTIES_MAX)
    .map((one) => (isObject(one) ? [valueOf(one['name']), valueOf(one['value'])] : ['', '']))
}

/** Letters of a description by which it is known in a text. */
const KNOWN_CHARS = 40

/** The Markdown of a page with what only machines are told of its product before it. */
export function withProduct(markdown: string, { facts, description }: ToldProduct, text: string): string {
  const list = facts.map(([name, value]) => `- ${name}: ${value}`).join('\n')
  const isShown =
    description === '' || /%[0-9A-F]{2}/.test(description) || collapse(text).includes(description.slice(0, KNOWN_CHARS))
  return [list, isShown ? '' : description, markdown].filter((part) => part !== '').join('\n\n')
}
