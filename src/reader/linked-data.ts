import { isObject } from '../lib/json.ts'
import { type ToldProduct, toldProduct } from './product-facts.ts'
import { decodeReferences } from './text-reader.ts'
import { keepShape } from './shapes.ts'

const JSON_LD_CHARS_MAX = 512 * 1_024
/** Objects that are looked at in all blocks of a page, whatever they hold. */
const OBJECTS_MAX = 400
const PEOPLE_MAX = 20

const ARTICLES = /Article|Posting|Report|^(?:Question|Review|Recipe|HowTo)$/i
const THREADS = /^(?:DiscussionForumPosting|Question|QAPage)$/
const WORKS =
  /Article|BlogPosting|Posting|Report|WebPage|Recipe|Product|Book|Movie|QAPage|Question|HowTo|Review|VideoObject$/i

/** What a page tells machines of itself, and the article itself where it tells that. */
export interface LinkedData {
  title: string | null
  byline: string | null
  /** Nobody in person: the author is a site or a firm. */
  isByNobody: boolean
  /** It is a thread of posts, of which the first is told. */
  isThread: boolean
  publishedTime: string | null
  modifiedTime: string | null
  language: string | null
  site: string | null
  articleBody: string | null
  product: ToldProduct | null
  /** Types of what is told, and of what is told within that. */
  types: readonly string[]
  innerTypes: readonly string[]
  /** Descriptions and texts, wherever they are told. */
  texts: readonly string[]
}

export const NO_LINKED_DATA: LinkedData = {
  title: null,
  byline: null,
  isByNobody: false,
  isThread: false,
  publishedTime: null,
  modifiedTime: null,
  language: null,
  site: null,
  articleBody: null,
  product: null,
  types: [],
  innerTypes: [],
  texts: [],
}

type Json = Record<string, unknown>

/** What a page says of itself in JSON-LD; nothing where it is broken or too long. `title` as `<title>` has it. */
export function readLinkedData(blocks: readonly string[], title: string): LinkedData {
  const objects: Json[] = []
  const texts = new ToldTexts()
  for (const text of blocks) {
    if (text.length > JSON_LD_CHARS_MAX) continue
    const value = parse(text)
    addObjects(objects, value)
    texts.addAll(value)
  }
  const works = objects.filter((object) => isOf(object, WORKS))
  const work = works.find((object) => isOf(object, ARTICLES)) ?? works[0]
  const types = [...new Set(objects.flatMap(typesOf))]
  const within = { innerTypes: [...texts.types], texts: texts.found }
  const site = stringOf(objects.find((object) => isOf(object, /^WebSite$/))?.['name'])
  if (work === undefined) return { ...NO_LINKED_DATA, types, ...within, site }
  const named = byId(objects)
  const author = work['author'] ?? work['creator']
  const isThread = isOf(work, THREADS)
  return {
    title: titleOf(work, title),
    byline: nameOf(author, named),
    isByNobody: isNobody(author, named),
    isThread,
    types,
    ...within,
    publishedTime: firstString(work, works, ['datePublished', 'dateCreated', 'uploadDate']),
    modifiedTime: firstString(work, works, ['dateModified']),
    language: stringOf(work['inLanguage']),
    site: nameOf(work['publisher'], named) ?? site,
    product: toldProduct(works.filter((object) => isOf(object, /^Product(?:Group|Model)?$/))),
    articleBody: isThread ? null : (stringOf(work['articleBody']) ?? stringOf(work['text'])),
  }
}

/** The headline, or the name where that alone is in the page's title: a headline may be a description. */
function titleOf(work: Json, title: string): string | null {
  const headline = stringOf(work['headline'])
  const name = stringOf(work['name'])
  const isNamed = name !== null && headline !== null && title.includes(name) && !title.includes(headline)
  return isNamed ? name : (headline ?? name)
}

/** Of the work itself, else of one of the page's that is no part of a list. */
function firstString(work: Json, works: readonly Json[], keys: readonly string[]): string | null {
  const pages = works.filter((other) => isOf(other, /WebPage$/i))
  for (const object of [work, ...pages]) {
    for (const key of keys) {
      const value = stringOf(object[key])
      if (value !== null) return value
    }
  }
  return null
}

/** Some write line breaks within strings, which JSON does not let them. */
const RAW_CONTROLS = /[\n\r\t]+/g

function parse(text: string): unknown {
  const json = text.trim().replace(/^(?:\/\/)?<!(?:\[CDATA\[|--)|(?:\/\/)?(?:\]\]|--)>$/gi, '')
  return parsed(json) ?? parsed(json.replace(RAW_CONTROLS, ' ').replace(/;\s*$/, ''))
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

/** The object, those of an array, those of `@graph`, and what a page is about. */
function addObjects(found: Json[], value: unknown): void {
  const waiting: unknown[] = [value]
  for (let index = 0; index < waiting.length && found.length < OBJECTS_MAX; index += 1) {
    const next = waiting[index]
    if (Array.isArray(next)) waiting.push(...next.slice(0, OBJECTS_MAX))
    else if (isObject(next)) {
      found.push(next)
      waiting.push(next['@graph'], next['mainEntity'], next['mainEntityOfPage'])
    }
  }
}

/** Values that are looked through for texts, and letters of those that are told. */
const VALUES_MAX = 2_000
const TEXTS_CHARS_MAX = 20_000
const TEXT_KEYS: ReadonlySet<string> = new Set(['description', 'articleBody', 'text', 'reviewBody'])

/** Gathers what a page tells machines in sentences. */
class ToldTexts {
  readonly found: string[] = []
  readonly types = new Set<string>()
  #values = VALUES_MAX
  #chars = TEXTS_CHARS_MAX

  addAll(value: unknown): void {
    const waiting: unknown[] = [value]
    for (let index = 0; index < waiting.length && this.#values > 0; index += 1) {
      const next = waiting[index]
      this.#values -= 1
      if (Array.isArray(next)) waiting.push(...next.slice(0, this.#values))
      else if (isObject(next)) for (const [key, inner] of Object.entries(next)) this.#see(key, inner, waiting)
    }
  }

  #see(key: string, value: unknown, waiting: unknown[]): void {
    if (typeof value === 'object' && value !== null) waiting.push(value)
    if (key === '@type') for (const type of [value].flat()) if (typeof type === 'string') this.types.add(type)
    if (typeof value !== 'string' || !TEXT_KEYS.has(key) || this.#chars <= 0) return
    const text = value.slice(0, this.#chars)
    this.#chars -= text.length
    this.found.push(decodeReferences(text).replace(/<[^<>]*>/g, ' '))
  }
}

function isOf(object: Json, kinds: RegExp): boolean {
  return typesOf(object).some((type) => kinds.test(type))
}

function typesOf(object: Json): string[] {
  const type = object['@type']
  return (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string')
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? decodeReferences(value.trim()) : null
}

type Named = ReadonlyMap<string, Json>

function byId(objects: readonly Json[]): Named {
  const known = new Map<string, Json>()
  for (const object of objects) {
    const id = object['@id']
    if (typeof id === 'string' && typeof object['name'] === 'string' && !known.has(id)) known.set(id, object)
  }
  return known
}

/** What is told in another place of the page is only referred to. */
function resolved(value: unknown, named: Named): unknown {
  if (!isObject(value) || value['name'] !== undefined) return value
  const id = value['@id']
  return typeof id === 'string' ? (named.get(id) ?? value) : value
}

/** The name of a person or organisation, or the names of several. */
function nameOf(value: unknown, named: Named): string | null {
  if (Array.isArray(value)) {
    const names = value.slice(0, PEOPLE_MAX).map((one) => nameOf(one, named))
    return [...new Set(names.filter((name) => name !== null))].join(', ') || null
  }
  const one = resolved(value, named)
  if (!isObject(one)) return stringOf(one)
  return Array.isArray(one['name']) ? nameOf(one['name'], named) : stringOf(one['name'])
}

function isNobody(value: unknown, named: Named): boolean {
  const all = (Array.isArray(value) ? value : [value]).slice(0, PEOPLE_MAX).map((one: unknown) => resolved(one, named))
  return all.every((one) => isObject(one) && isOf(one, /Organization|WebSite|Corporation|Brand/i))
}

keepShape(new ToldTexts())
