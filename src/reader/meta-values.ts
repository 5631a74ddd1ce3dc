import { attribute, type Attributes } from './node.ts'

/** `<meta>` names (or properties) by what they tell, the most reliable first. */
const NAMES = {
  title: 'og:title dc.title dcterm.title dcterms.title parsely-title twitter:title weibo:article:title',
  byline: 'author dc.creator dcterm.creator dcterms.creator parsely-author article:author_name byl',
  publishedTime: 'article:published_time datepublished pubdate parsely-pub-date dc.date dcterms.created date',
  language: 'og:locale content-language dc.language',
  site: 'og:site_name application-name',
  canonicalUrl: 'og:url',
}

export type MetaField = keyof typeof NAMES

interface Meaning {
  field: MetaField
  /** The lower, the more reliable. */
  rank: number
}

const FIELDS = ['title', 'byline', 'publishedTime', 'language', 'site', 'canonicalUrl'] as const
const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  FIELDS.flatMap((field) => NAMES[field].split(' ').map((name, rank) => [name, { field, rank }] as const)),
)
const NAMING = ['property', 'name', 'itemprop', 'http-equiv'] as const

/** What the `<meta>` elements of a page tell, each fact by the most reliable name that tells it. */
export class MetaValues {
  readonly #known = new Map<MetaField, { rank: number; value: string }>()

  get(field: MetaField): string | null {
    return this.#known.get(field)?.value ?? null
  }

  add(attributes: Attributes): void {
    for (const naming of NAMING) {
      const names = attribute(attributes, naming)?.toLowerCase()
      if (names === undefined) continue
      for (const name of names.includes(' ') ? names.split(/\s+/) : [names]) this.#addNamed(name, attributes)
    }
  }

  /** Some write `dc:title`, most `dc.title`; the first value of a name counts. */
  #addNamed(name: string, attributes: Attributes): void {
    const meaning = MEANINGS.get(name.startsWith('dc') ? name.replace(':', '.') : name)
    if (meaning === undefined) return
    const { field, rank } = meaning
    const value = attribute(attributes, 'content')?.trim() ?? ''
    if (value !== '' && rank < (this.#known.get(field)?.rank ?? Infinity)) this.#known.set(field, { rank, value })
  }
}
