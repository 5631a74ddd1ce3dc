import { isCollection, LineCounter, parseDocument, type Document } from 'yaml'
import type { InputIssue } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { iJsonFault } from '../lib/i-json.ts'
import { isDeeper, isObject } from '../lib/json.ts'

/** A workflow as YAML. `located`: issues with the line of the field that each is about. */
export type ReadYaml =
  | { ok: true; value: Record<string, unknown>; located: (issues: readonly InputIssue[]) => InputIssue[] }
  | { ok: false; issues: InputIssue[] }

export function readYaml(text: string): ReadYaml {
  const { definitionCharsMax: max } = LIMITS.workflow
  if (text.length > max) return refused('', `at most ${max} characters of YAML`)
  const lines = new LineCounter()
  const document = parsed(text, lines)
  if (!document) return refused('', 'YAML that is not nested so deep')
  const [fault] = document.errors
  if (fault) return refused('', `line ${lineAt(lines, fault.pos[0])}: ${fault.message.split('\n', 1)[0] ?? ''}`)
  const value = valueOf(document)
  if (value === undefined) return refused('', 'fewer aliases in the YAML')
  if (!isObject(value)) return refused('', 'line 1: an object with name, description and steps')
  if (isDeeper(value, LIMITS.http.jsonDepthMax)) return refused('', 'YAML that is not nested so deep')
  const located = (issues: readonly InputIssue[]) =>
    issues.map(({ path, message }) => ({ path, message: `line ${lineOf(document, lines, path)}: ${message}` }))
  const foreign = foreignIn(value, '')
  if (foreign) return { ok: false, issues: located([foreign]) }
  const broken = iJsonFault(JSON.stringify(value))
  return broken ? { ok: false, issues: located([broken]) } : { ok: true, value, located }
}

function refused(path: string, message: string): ReadYaml {
  return { ok: false, issues: [{ path, message }] }
}

/** Null: nested so deep that it cannot be read. */
function parsed(text: string, lineCounter: LineCounter): Document | null {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false })
  } catch {
    return null
  }
}

const ALIASES_MAX = 50

/** Undefined: aliases that multiply. */
function valueOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX }) as unknown
  } catch {
    return undefined
  }
}

/** A value that JSON does not have. */
function foreignIn(value: unknown, path: string): InputIssue | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : { path, message: 'a number' }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null
  const isPlain = Array.isArray(value) || (isObject(value) && Object.getPrototypeOf(value) === Object.prototype)
  if (!isPlain) return { path, message: 'a value that JSON has' }
  for (const [name, one] of Object.entries(value)) {
    const found = foreignIn(one, path === '' ? name : `${path}.${name}`)
    if (found) return found
  }
  return null
}

/** The line of a field, or of the innermost that is there around it. */
function lineOf(document: Document, lines: LineCounter, path: string): number {
  const parts = path === '' ? [] : path.split('.')
  for (let length = parts.length; length > 0; length--) {
    const keyed = keyStart(document, parts.slice(0, length))
    if (keyed !== null) return lineAt(lines, keyed)
  }
  return 1
}

/** Where the value of a path begins, or the key that names it. */
function keyStart(document: Document, path: readonly string[]): number | null {
  const around = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  if (!isCollection(around)) return null
  const name = path.at(-1) ?? ''
  for (const [index, item] of around.items.entries()) {
    const { key } = item as { key?: { value?: unknown; range?: [number, number, number] } }
    if (key?.range && String(key.value) === name) return key.range[0]
    const { range } = item as { range?: [number, number, number] }
    if (!key && String(index) === name && range) return range[0]
  }
  return null
}

function lineAt(lines: LineCounter, at: number): number {
  return lines.linePos(at).line
}
