import { strToU8, zipSync } from 'fflate'
import type { Json, OpenApiDocument } from '../support/document.ts'
import { toBase64 } from '../../src/lib/base64.ts'
import type { Random } from '../chaos/random.ts'
import { smallPdf, smallPng } from '../support/small-image.ts'

const TEXTS = [
  '',
  'x',
  'https://example.com',
  '2026-11-21T00:00:00Z',
  '../../etc/passwd',
  "'; DROP TABLE sessions; --",
  '{{user_input}}',
  '{{#a}}',
  '<script>alert(1)</script>',
  '\u0000',
  '\uD800',
  '👩‍👩‍👧‍👦'.repeat(3),
  'ａｂｃ',
  '‮abc',
  'null',
  '__proto__',
  'constructor',
  '%00',
  '%',
  '*',
  '"',
  'a'.repeat(300),
  '中'.repeat(500),
] as const

const NUMBERS = [0, -1, 1, 0.5, 1e308, -1e308, 2 ** 53, Number.MAX_SAFE_INTEGER, 101, 4_294_967_296] as const

const FIELDS = ['__proto__', 'constructor', 'toString', '', 'x', '名', 'id', 'config', 'length'] as const

/** Anything that JSON can say. */
export function junk(random: Random, depth = 3): unknown {
  const kind = random.int(0, depth > 0 ? 7 : 4)
  if (kind === 0) return null
  if (kind === 1) return random.chance(0.5)
  if (kind === 2) return random.pick(NUMBERS)
  if (kind <= 4) return random.pick(TEXTS)
  if (kind === 5) return Array.from({ length: random.int(0, 4) }, () => junk(random, depth - 1))
  return Object.fromEntries(
    Array.from({ length: random.int(0, 4) }, () => [random.pick(FIELDS), junk(random, depth - 1)]),
  )
}

const ZIP_PATHS = [
  'SKILL.md',
  'references/a.md',
  'scripts/run.py',
  '../a',
  '/a',
  'a/',
  'a\\b',
  '\u202e.md',
  '名.md',
] as const
const SKILL_TEXTS = [
  '---\nname: own\ndescription: x\nallowed-tools: Bash(git:*) web_access\nhooks: {a: [1]}\n---\nHello',
  '---\nname: own\ndescription: &a x\nmetadata: *a\n---\n',
  '---\nname: "\\0"\n---\n{{x}}',
  '',
] as const

/** The folder of a skill as a zip: mostly one, often broken. */
export function junkZip(random: Random): Uint8Array {
  const top = random.pick(['', 'own/', '../'])
  const paths = Array.from({ length: random.int(0, 4) }, () => random.pick(ZIP_PATHS))
  const files = paths.map((path) => [top + path, strToU8(junkText(random))] as const)
  const main = random.chance(0.9) ? [[`${top}SKILL.md`, strToU8(random.pick(SKILL_TEXTS))] as const] : []
  const zip = zipSync(Object.fromEntries([...files, ...main]), { level: random.pick([0, 6]) })
  for (let changes = random.pick([0, 0, 1, 5]); changes > 0; changes--)
    zip[random.int(0, zip.length - 1)] = random.int(0, 255)
  return random.chance(0.1) ? zip.slice(0, random.int(0, zip.length)) : zip
}

const PAGES = [
  '<!doctype html><main><h1>T</h1><p>x',
  'a,b\n1,2',
  '{"a":[1]}',
  '<approve><tool>x</tool></approve>',
] as const
const MEDIA_TYPES = [
  'image/png',
  'text/html',
  'application/pdf',
  'text/plain; charset=gbk',
  'x/y',
  'nonsense',
  '',
] as const
const ADDRESSES = [
  'http://127.0.0.1/',
  'https://[::1]:1/x',
  'data:,',
  'data:image/png,%ff',
  'data:;base64,eA',
  'ftp://x/',
] as const

/** A part of a message that brings bytes along: an image, a document or a text, mostly one, often broken. */
export function junkPart(random: Random): Record<string, unknown> {
  const whole = random.pick([smallPng(), smallPdf(junkText(random)), junkZip(random), strToU8(random.pick(PAGES))])
  const bytes = Uint8Array.from(whole)
  for (let changes = random.pick([0, 0, 1, 5]); changes > 0 && bytes.length > 0; changes--)
    bytes[random.int(0, bytes.length - 1)] = random.int(0, 255)
  const data = toBase64(random.chance(0.1) ? bytes.slice(0, random.int(0, bytes.length)) : bytes)
  const url = `data:${random.pick(MEDIA_TYPES)};base64,${data}`
  const source = random.pick<Record<string, unknown>>([
    { data },
    { url },
    { image_url: url },
    { image_url: { url } },
    { url: random.pick(ADDRESSES) },
    { path: 'a.txt' },
  ])
  const name = random.chance(0.5) ? { name: random.pick(ZIP_PATHS) } : {}
  const type = random.chance(0.3) ? { media_type: random.pick(MEDIA_TYPES) } : {}
  return { type: random.pick(['image', 'file']), ...source, ...name, ...type }
}

export const junkText = (random: Random): string => random.pick(TEXTS)

const BYTES_PART = /\/(?:Image|File)PartInput$/

/** Values that fit a schema, or nearly: each part is something else with a probability of `wrong`. */
export class Sampler {
  readonly #schemas: Record<string, Json>
  readonly #random: Random
  readonly #idFor: (field: string) => string | undefined

  /** `idFor`: one that a field of this name may hold. */
  constructor(document: OpenApiDocument, random: Random, idFor: (field: string) => string | undefined) {
    this.#schemas = document.components.schemas
    this.#random = random
    this.#idFor = idFor
  }

  sample(schema: Json, wrong: number, depth = 6): unknown {
    const random = this.#random
    if (random.chance(wrong)) return junk(random)
    if (BYTES_PART.test(String(schema['$ref'])) && random.chance(0.8)) return junkPart(random)
    const known = this.#resolved(schema)
    const { examples, anyOf, oneOf } = known as { examples?: unknown[]; anyOf?: Json[]; oneOf?: Json[] }
    if (examples?.length && random.chance(0.3)) return examples[0]
    if ('const' in known) return known['const']
    if (Array.isArray(known['enum'])) return known['enum'][random.int(0, known['enum'].length - 1)]
    const either = anyOf ?? oneOf
    if (either?.length) return this.sample(either[random.int(0, either.length - 1)] ?? {}, wrong, depth)
    return this.#ofType(known, wrong, depth)
  }

  #resolved(schema: Json): Json {
    const { $ref } = schema
    const name = typeof $ref === 'string' ? /^#\/components\/schemas\/(.+)$/.exec($ref)?.[1] : undefined
    return name === undefined ? schema : (this.#schemas[name] ?? {})
  }

  #ofType(schema: Json, wrong: number, depth: number): unknown {
    const random = this.#random
    if (schema['type'] === 'object') return depth === 0 ? {} : this.#object(schema, wrong, depth)
    if (schema['type'] === 'array') {
      const items = (schema['items'] ?? {}) as Json
      const length = depth === 0 ? 0 : random.int(0, 3)
      return Array.from({ length }, () => this.sample(items, wrong, depth - 1))
    }
    if (schema['type'] === 'string') return this.#text(schema)
    if (schema['type'] === 'boolean') return random.chance(0.5)
    if (schema['type'] === 'null') return null
    if (schema['type'] === 'integer' || schema['type'] === 'number') return this.#number(schema)
    return junk(random, 2)
  }

  #object(schema: Json, wrong: number, depth: number): Json {
    const random = this.#random
    const required = new Set((schema['required'] ?? []) as string[])
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
    const taken = properties.filter(([name]) => required.has(name) || random.chance(0.35))
    const fields = taken.map(([name, inner]) => {
      const id = random.chance(0.7) ? this.#idFor(name) : undefined
      return [name, id ?? this.sample(inner, wrong, depth - 1)] as const
    })
    const extra = random.chance(wrong) ? [[random.pick(FIELDS), junk(random)] as const] : []
    return Object.fromEntries([...fields, ...extra])
  }

  #text({ minLength, maxLength, format, pattern }: Json): string {
    const random = this.#random
    if (format === 'date-time') return random.pick(['2026-11-21T00:00:00Z', '2099-01-01T00:00:00+08:00', '0000-00-00'])
    if (format === 'uri')
      return random.pick(['https://example.com/x', 'http://127.0.0.1/', 'http://[::1]:1/', 'file:///etc'])
    if (pattern !== undefined) return random.pick(['a1', 'CNY', 'en', '0'.repeat(64), 'zh-CN', '*', '7'])
    const text = random.chance(0.6) ? random.pick(['a', 'Hello', '读一下', 'name-1']) : junkText(random)
    return text.slice(0, Number(maxLength ?? 1_000)).padEnd(Math.min(Number(minLength ?? 0), 50), 'x')
  }

  #number({ minimum, maximum }: Json): number {
    const [low, high] = [Number(minimum ?? 0), Number(maximum ?? 1_000)]
    return this.#random.chance(0.2)
      ? this.#random.pick([low, high, low - 1, high + 1])
      : this.#random.int(Math.max(low, -1_000), Math.min(high, 1_000))
  }
}
