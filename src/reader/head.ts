import { attribute, type Attributes } from './node.ts'

const JSON_LD_BLOCKS_MAX = 100
const FRAMES_MAX = 20

/** Gathers what elements that are not read tell about a page. */
export class PageHead {
  readonly meta = new MetaValues()
  readonly jsonLd: string[] = []
  title: string | null = null
  base: string | null = null
  language: string | null = null
  canonical: string | null = null
  /** Addresses of the pages that it is a frame for. */
  readonly frames: string[] = []
  /** What the text that comes tells, null when it tells nothing. */
  open: 'title' | 'json-ld' | 'tex' | 'display-tex' | null = null

  /** A start tag whose element holds no text for a reader. */
  add(name: string, attributes: Attributes): void {
    if (attributes.length === 0) return
    if (name === 'meta') this.meta.add(attributes)
    else if (name === 'frame') this.#addFrame(attribute(attributes, 'src'))
    else if (name === 'html') this.language ??= attribute(attributes, 'lang') ?? null
    else if (name === 'base') this.base ??= attribute(attributes, 'href') ?? null
    else if (name === 'link' && attribute(attributes, 'rel')?.toLowerCase() === 'canonical')
      this.canonical ??= attribute(attributes, 'href') ?? null
  }

  #addFrame(address: string | undefined): void {
    if (address !== undefined && this.frames.length < FRAMES_MAX) this.frames.push(address)
  }

  /** A start tag whose text may tell about the page. */
  begin(name: string, attributes: Attributes): void {
    if (name === 'title') this.open = 'title'
    else if (name === 'script' && attributes.length > 0) this.open = toldByScript(attribute(attributes, 'type'))
  }

  addText(text: string): void {
    if (this.open === 'title') this.title ??= text
    else if (this.jsonLd.length < JSON_LD_BLOCKS_MAX) this.jsonLd.push(text)
  }

  end(name: string): void {
    if (name === 'title' || name === 'script') this.open = null
  }
}

function toldByScript(written: string | undefined): PageHead['open'] {
  const type = written?.toLowerCase() ?? ''
  if (type.includes('ld+json')) return 'json-ld'
  if (!type.startsWith('math/tex')) return null
  return type.includes('display') ? 'display-tex' : 'tex'
}

/** `<meta>` names (or properties) by what they tell, the most reliable first. */
const NAMES = {
  title: 'og:title dc.title dcterm.title dcterms.title parsely-title twitter:title weibo:article:title citation_title',
  byline:
    'author dc.creator dcterm.creator dcterms.creator parsely-author article:author_name og:article:author byl citation_author',
  publishedTime:
    'article:published_time datepublished pubdate parsely-pub-date dc.date dcterms.created date dc.date.issued dcterms.issued citation_publication_date citation_date',
  language: 'og:locale content-language dc.language language',
  site: 'og:site_name application-name',
  canonicalUrl: 'og:url',
  kind: 'og:type',
  description: 'og:description description twitter:description',
  generator: 'generator',
  refresh: 'refresh',
}

type MetaField = keyof typeof NAMES

interface Meaning {
  field: MetaField
  /** The lower, the more reliable. */
  rank: number
}

const FIELDS = [
  'title',
  'byline',
  'publishedTime',
  'language',
  'site',
  'canonicalUrl',
  'kind',
  'description',
  'generator',
  'refresh',
] as const
const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  FIELDS.flatMap((field) => NAMES[field].split(' ').map((name, rank) => [name, { field, rank }] as const)),
)
const NAMING = ['property', 'name', 'itemprop', 'http-equiv'] as const

/** As lists of papers write it. */
const SURNAME_FIRST = /^([^,]{1,60}),\s*([^,]{1,60})$/
const AUTHORS_CHARS_MAX = 400

/** Some name each author in an element of their own. */
function addAuthor(known: { value: string }, name: string): void {
  const isTold = known.value.split(', ').includes(name)
  if (!isTold && known.value.length + name.length < AUTHORS_CHARS_MAX) known.value += `, ${name}`
}

/** What the `<meta>` elements of a page tell, each fact by the most reliable name that tells it. */
class MetaValues {
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
    const told = attribute(attributes, 'content')?.trim() ?? ''
    if (told === '') return
    const value = name === 'citation_author' ? told.replace(SURNAME_FIRST, '$2 $1') : told
    const known = this.#known.get(field)
    if (known === undefined || rank < known.rank) this.#known.set(field, { rank, value })
    else if (field === 'byline' && rank === known.rank) addAuthor(known, value)
  }
}
