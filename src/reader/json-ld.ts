import { NO_METADATA, type PageMetadata } from './page.ts'
import { isObject } from '../lib/json.ts'

const CHARS_MAX = 512 * 1_024
/** Objects that are looked at in one block, whatever it holds. */
const OBJECTS_MAX = 200

const WORKS = /Article|BlogPosting|Posting|Report|WebPage|Recipe|Product|Book|Movie|QAPage|HowTo|Review|VideoObject$/i

/** Metadata, and the article itself where a page tells it to machines. */
export interface LinkedData extends PageMetadata {
  articleBody: string | null
}

export const NO_LINKED_DATA: LinkedData = { ...NO_METADATA, articleBody: null }

type Json = Record<string, unknown>

/** What a page says of itself in JSON-LD; nothing where it is broken or too long. `title` as `<title>` has it. */
export function readJsonLd(text: string, title: string): LinkedData {
  if (text.length > CHARS_MAX) return NO_LINKED_DATA
  const objects = objectsIn(parse(text))
  const work =
    objects.find((object) => isWork(object, /Article|Posting|Report/i)) ?? objects.find((o) => isWork(o, WORKS))
  if (work === undefined) return NO_LINKED_DATA
  return {
    title: titleOf(work, title),
    byline: nameOf(work['author']),
    publishedTime: stringOf(work['datePublished']),
    language: stringOf(work['inLanguage']),
    site: nameOf(work['publisher']),
    canonicalUrl: null,
    articleBody: stringOf(work['articleBody']) ?? stringOf(work['text']),
  }
}

/** The headline, or the name where that alone is in the page's title: a headline may be a description. */
function titleOf(work: Json, title: string): string | null {
  const headline = stringOf(work['headline'])
  const name = stringOf(work['name'])
  const isNamed = name !== null && headline !== null && title.includes(name) && !title.includes(headline)
  return isNamed ? name : (headline ?? name)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.trim().replace(/^<!(?:\[CDATA\[|--)|(?:\]\]|--)>$/g, ''))
  } catch {
    return null
  }
}

/** The object, those of an array, and those of `@graph`. */
function objectsIn(value: unknown): Json[] {
  const found: Json[] = []
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && found.length < OBJECTS_MAX) {
    const next = waiting.shift()
    if (Array.isArray(next)) waiting.push(...next.slice(0, OBJECTS_MAX))
    else if (isObject(next)) {
      found.push(next)
      if (Array.isArray(next['@graph'])) waiting.push(next['@graph'])
    }
  }
  return found
}

function isWork(object: Json, kinds: RegExp): boolean {
  const type = object['@type']
  return (Array.isArray(type) ? type : [type]).some((kind) => typeof kind === 'string' && kinds.test(kind))
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** The name of a person or organisation, or the names of several. */
function nameOf(value: unknown): string | null {
  if (Array.isArray(value)) {
    const names = value.slice(0, 10).map(nameOf)
    return names.filter((name) => name !== null).join(', ') || null
  }
  return isObject(value) ? stringOf(value['name']) : stringOf(value)
}
