import { type Expression, evaluate, parseExpression, type Path, pathsIn } from '../../lib/expression.ts'
import { isObject } from '../../lib/json.ts'

/** A text with `{{ expression }}` in it, in parts. */
type Part = string | Expression

export type ParsedTemplate = { ok: true; parts: Part[] } | { ok: false; error: string }

/** A template in parts, or what of it cannot be read. */
function templateParts(text: string): ParsedTemplate {
  const parts: Part[] = []
  let at = 0
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const close = text.indexOf('}}', open)
    if (close < 0) return { ok: false, error: `"{{" at ${open + 1} has no "}}"` }
    const parsed = parseExpression(text.slice(open + 2, close))
    if (!parsed.ok) return { ok: false, error: `in {{ }} at ${open + 1}: ${parsed.error}` }
    if (open > at) parts.push(text.slice(at, open))
    parts.push(parsed.expression)
    at = close + 2
  }
  if (at < text.length) parts.push(text.slice(at))
  return { ok: true, parts }
}

/** Every path that the templates in a value look at, or what of them cannot be read. `path`: of the value. */
export function lookedAt(
  value: unknown,
  path: string,
): { paths: { at: string; path: Path }[]; issues: { path: string; message: string }[] } {
  if (typeof value === 'string') {
    const parsed = templateParts(value)
    if (!parsed.ok) return { paths: [], issues: [{ path, message: parsed.error }] }
    const paths = parsed.parts.flatMap((part) => (typeof part === 'string' ? [] : pathsIn(part)))
    return { paths: paths.map((one) => ({ at: path, path: one })), issues: [] }
  }
  const members = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  const found = members.map(([name, one]) => lookedAt(one, `${path}.${name}`))
  return { paths: found.flatMap(({ paths }) => paths), issues: found.flatMap(({ issues }) => issues) }
}

/** A value with its templates filled in. A text that is one `{{ }}` and nothing else becomes what that comes to; in others values stand as
 *  text. `shown`: how a value stands in a text. What is put in is not read as a template. */
export function fill(value: unknown, lookUp: (path: Path) => unknown, shown = shownPlain): unknown {
  if (typeof value === 'string') return fillText(value, lookUp, shown)
  if (Array.isArray(value)) return value.map((one) => fill(one, lookUp, shown))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one, lookUp, shown)]))
}

function fillText(text: string, lookUp: (path: Path) => unknown, shown: (value: unknown) => string): unknown {
  const parsed = templateParts(text)
  if (!parsed.ok) return text
  const { parts } = parsed
  const [only] = parts
  if (parts.length === 1 && only !== undefined && typeof only !== 'string') return evaluate(only, lookUp)
  return parts.map((part) => (typeof part === 'string' ? part : shown(evaluate(part, lookUp)))).join('')
}

/** A text of a template, whatever it comes to. */
export function fillAsText(text: string, lookUp: (path: Path) => unknown, shown = shownPlain): string {
  const parsed = templateParts(text)
  if (!parsed.ok) return text
  return parsed.parts.map((part) => (typeof part === 'string' ? part : shown(evaluate(part, lookUp)))).join('')
}

/** Text as it is, nothing as nothing, and all else as JSON. */
export function shownPlain(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
