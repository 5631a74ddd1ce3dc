import Mustache, { type OpeningAndClosingTags, type TemplateSpans } from 'mustache'
import type { InputIssue } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'

/** What a variable may be filled with. */
export type Variables = Readonly<Record<string, string | number | boolean>>

const TAGS: OpeningAndClosingTags = ['{{', '}}']

/** Mustache without its unbounded memory of templates. */
class PlainWriter extends Mustache.Writer {
  readonly templateCache = undefined
}

/** What is wrong with a template: allowed are `{{NAME}}` of a known variable, `{{#NAME}}…{{/NAME}}` and `{{^NAME}}…{{/NAME}}`
 *  (there if the variable is neither empty nor false, or if it is), and comments `{{! … }}`. Null: nothing. */
export function checkTemplate(template: string, known: ReadonlySet<string>): InputIssue | null {
  try {
    return issueIn(Mustache.parse(template, TAGS), known, 0)
  } catch (error) {
    return issue(error instanceof Error ? error.message : 'a template that can be read')
  } finally {
    Mustache.clearCache()
  }
}

/** The template with its variables filled in once: what is put in is not read as a template, and nothing is escaped. */
export function renderTemplate(template: string, values: Variables): string {
  const view = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(value)]))
  return new PlainWriter().render(template, view, undefined, { tags: TAGS, escape: String }).trim()
}

function shown(value: string | number | boolean): string | false {
  return value === false ? false : String(value)
}

function issueIn(spans: TemplateSpans, known: ReadonlySet<string>, depth: number): InputIssue | null {
  if (depth > LIMITS.skill.sectionDepthMax) return issue(`sections nested at most ${LIMITS.skill.sectionDepthMax} deep`)
  for (const span of spans) {
    const [kind, name, , , inner] = span
    if (kind === 'text' || kind === '!') continue
    if (kind === '>') return issue(`no partials: {{>${name}}}`)
    if (kind === '=') return issue('no other delimiters than {{ and }}')
    if (!known.has(name)) return issue(`unknown variable ${name}; there are ${[...known].join(', ')}`)
    const found = Array.isArray(inner) ? issueIn(inner, known, depth + 1) : null
    if (found) return found
  }
  return null
}

function issue(message: string): InputIssue {
  return { path: 'prompt', message }
}
