import { zipEntries, type ZipEntry } from '../../lib/unzip.ts'
import { toldName } from '../bylines.ts'
import { NO_METADATA, type PageMetadata } from '../page.ts'
import { firstWithin, parseXml, type XmlDocument, xmlText } from './xml.ts'

const ENTRIES_MAX = 10_000
/** Unpacked bytes of all parts that are read of one document, and of one part. */
const BYTES_MAX = 32 * 1_024 * 1_024
const PART_BYTES_MAX = 16 * 1_024 * 1_024
/** Of a larger one whose beginning is worth something. */
const BEGINNING_BYTES_MAX = 6 * 1_024 * 1_024

/** The parts of a document that is a zip inside. */
export class Archive {
  readonly #entries: ReadonlyMap<string, ZipEntry>
  #bytesLeft = BYTES_MAX
  /** A part is larger than what is read. */
  isCut = false

  constructor(entries: ReadonlyMap<string, ZipEntry>) {
    this.#entries = entries
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** A part as text; null: there is none, it is broken, or it is larger than what is read. */
  async text(name: string): Promise<string | null> {
    const entry = this.#entries.get(name)
    if (entry === undefined) return null
    if (entry.size > Math.min(PART_BYTES_MAX, this.#bytesLeft)) {
      this.isCut = true
      return null
    }
    this.#bytesLeft -= entry.size
    const bytes = await entry.read()
    return bytes === null ? null : decodedXml(bytes)
  }

  /** A part as text, or, where it is larger than what is read, its beginning up to the end of its last `element`; null: there is none, or it is broken. */
  async beginning(name: string, element: string): Promise<{ text: string; isCut: boolean } | null> {
    const entry = this.#entries.get(name)
    const room = Math.min(PART_BYTES_MAX, this.#bytesLeft)
    const size = entry?.size ?? 0
    const bytesMax = size > room ? Math.min(BEGINNING_BYTES_MAX, room) : size
    const bytes = bytesMax === 0 ? null : ((await entry?.read(bytesMax)) ?? null)
    if (entry === undefined || bytes === null) return null
    this.#bytesLeft -= bytesMax
    const text = decodedXml(bytes)
    if (bytesMax === size) return { text, isCut: false }
    const end = `${element}>`
    return { text: text.slice(0, text.lastIndexOf(end) + end.length), isCut: true }
  }

  async xml(name: string): Promise<XmlDocument | null> {
    const text = await this.text(name)
    return text === null ? null : parseXml(text)
  }

  /** Where the relations of a part lead, by their ids: names of parts, or addresses. */
  async relations(part: string): Promise<ReadonlyMap<string, Relation>> {
    const slash = part.lastIndexOf('/')
    const xml = await this.xml(`${part.slice(0, slash + 1)}_rels/${part.slice(slash + 1)}.rels`)
    const found = new Map<string, Relation>()
    for (const child of firstWithin(xml, 'Relationships')?.children ?? []) {
      if (typeof child === 'string') continue
      const { Id = '', Target = '', Type = '', TargetMode } = child.attributes
      const target = TargetMode === 'External' ? Target : partAt(part, Target)
      found.set(Id, { target, type: Type.slice(Type.lastIndexOf('/') + 1) })
    }
    return found
  }

  /** What an office document tells of itself. */
  async metadata(): Promise<PageMetadata> {
    const core = await this.xml('docProps/core.xml')
    const told = (name: string) => xmlText(firstWithin(core, name)).trim() || null
    return {
      ...NO_METADATA,
      title: told('title'),
      byline: toldName(told('creator')),
      publishedTime: told('created'),
      language: told('language'),
    }
  }
}

export interface Relation {
  target: string
  type: string
}

/** Null: the bytes are no zip, or one of too many parts. */
export function openArchive(bytes: Uint8Array): Archive | null {
  const entries = zipEntries(bytes, ENTRIES_MAX)
  return entries && new Archive(new Map(entries.filter((entry) => !entry.isFolder).map((entry) => [entry.name, entry])))
}

/** The part that a relative name means, seen from another. */
export function partAt(from: string, name: string): string {
  const url = URL.parse(name, `file:///${encodeURI(from.toWellFormed())}`)
  return url === null ? name : decoded(url.pathname.slice(1))
}

/** A percent sign may be one: some programs write names as they are. */
function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

function decodedXml(bytes: Uint8Array): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  return new TextDecoder(isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(bytes)
}
