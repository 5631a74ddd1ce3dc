import { LIMITS } from './limits.ts'

/** A text, or the names that lead to a value: `{{body.a.0}}` is `['body', 'a', '0']`. */
export type TemplatePart = string | readonly string[]

type Parsed = { ok: true; parts: TemplatePart[] } | { ok: false; message: string }

/** Headers that a template may show: none of them holds a secret or a signature. */
const TEMPLATE_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
  'x-event-type',
  'x-github-delivery',
  'x-github-event',
  'x-github-hook-id',
  'x-slack-request-timestamp',
  'x-slack-retry-num',
  'x-slack-retry-reason',
])

const NAMES_MESSAGE = 'names are body, body.PATH, headers.NAME, event and delivery_id'

/** Read a template: text with names in double braces, `{{body.issue.title}}`. There is no logic in it. */
export function parseTemplate(text: string): Parsed {
  const parts: TemplatePart[] = []
  let at = 0
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const close = text.indexOf('}}', open)
    if (close < 0) return { ok: false, message: `{{ at character ${open + 1} is not closed` }
    const name = text.slice(open + 2, close).trim()
    const path = (name.startsWith('headers.') ? name.toLowerCase() : name).split('.')
    const message = problemOf(name, path)
    if (message !== null) return { ok: false, message }
    parts.push(text.slice(at, open), path)
    if (parts.length > 2 * LIMITS.trigger.namesMax)
      return { ok: false, message: `at most ${LIMITS.trigger.namesMax} names` }
    at = close + 2
  }
  parts.push(text.slice(at))
  return { ok: true, parts: parts.filter((part) => part !== '') }
}

function problemOf(name: string, [root = '', ...rest]: string[]): string | null {
  const shown = `{{${name.slice(0, 100)}}}`
  if (/^[#^/>=&!{]/.test(name)) return `${shown}: a template has names only, no sections, conditions or parts`
  if (/[{}\s]/.test(name) || rest.includes('')) return `${shown}: ${NAMES_MESSAGE}`
  if (root === 'body') return null
  if (root === 'headers' && rest.length === 1)
    return TEMPLATE_HEADERS.has(rest.join())
      ? null
      : `${shown}: headers that can be shown are ${[...TEMPLATE_HEADERS].join(', ')}`
  return (root === 'event' || root === 'delivery_id') && rest.length === 0 ? null : `${shown}: ${NAMES_MESSAGE}`
}
