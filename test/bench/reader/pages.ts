import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildTree } from '../../../src/reader/build-tree.ts'
import { decodeBytes } from '../../../src/reader/decode.ts'
import { plainText } from '../../../src/reader/plain-text.ts'

/** A page with its known answer. `metadata`: as `expected-metadata.json` names it; empty without one. */
export interface KnownPage {
  name: string
  bytes: Uint8Array
  html: string
  expected: string
  metadata: Record<string, unknown>
}

/** The pages of a folder: one folder each with `source.html`, `expected.html` and perhaps `expected-metadata.json`. */
export function loadPages(folder: string): KnownPage[] {
  const names = readdirSync(folder).toSorted()
  return names.filter((name) => existsSync(join(folder, name, 'source.html'))).map((name) => load(folder, name))
}

function load(folder: string, name: string): KnownPage {
  const file = (part: string) => join(folder, name, part)
  const bytes = readFileSync(file('source.html'))
  const metadata: unknown = existsSync(file('expected-metadata.json'))
    ? JSON.parse(readFileSync(file('expected-metadata.json'), 'utf8'))
    : {}
  return {
    name,
    bytes,
    html: decodeBytes(bytes, null),
    expected: textOfHtml(decodeBytes(readFileSync(file('expected.html')), null)),
    metadata: typeof metadata === 'object' && metadata !== null ? { ...metadata } : {},
  }
}

/** The plain text of a piece of HTML, all of it: the one rule for expected texts and for those of other readers. */
export function textOfHtml(html: string): string {
  return plainText(buildTree(html).root)
}
