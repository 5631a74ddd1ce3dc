import { modelFieldTexts } from './model-fields.ts'
import { settingsTexts } from './texts.ts'

/** A field of a version in words. */
export function changedText(path: string): string {
  const t = settingsTexts()
  const [group = '', ...rest] = path.split('.')
  const words = OWN_WORDS[group]?.(rest) ?? [knownText(rest)]
  return [t.groups[group] ?? group, ...words].filter((part) => part !== '').join(' · ')
}

type Words = (parts: readonly string[]) => string[] | null

/** The innermost name that is known; else all of them. */
function knownText(parts: readonly string[]): string {
  const { fields } = settingsTexts()
  const known = parts.findLast((part) => fields[part] !== undefined)
  return known === undefined ? parts.join(' · ') : (fields[known]?.[0] ?? known)
}

/** Whose budget it is, and what it bounds of which period. */
const budgetWords: Words = ([of = '', period = '', name = '']) => {
  const t = settingsTexts()
  if (period !== 'day' && period !== 'month') return null
  const whose = of === 'tenant' ? t.ofTenant : t.ofUser
  return [whose, name === 'max_total_tokens' ? t.tokensMax(t[period]) : t.costMax(t[period])]
}

/** Names of models may have dots, so it is the last field that is known. */
const modelWords: Words = (parts) => {
  const fields: Readonly<Record<string, string>> = modelFieldTexts()
  const at = parts.findLastIndex((part) => Object.hasOwn(fields, part))
  return at < 1 ? null : [parts.slice(0, at).join('.'), fields[parts[at] ?? ''] ?? '']
}

/** Of a tool only whether it may run is set in the page. */
const toolWords: Words = (parts) => (parts.at(-1) === 'permission' ? [parts.slice(0, -1).join('.')] : null)

const webWords: Words = ([service = '', name = '']) => {
  const t = settingsTexts()
  if (service !== 'search' && service !== 'render') return null
  const fields: Record<string, string> = {
    provider: t.service,
    connection: t.serviceKey,
    url: t.serviceUrl,
    account_id: t.serviceAccount,
  }
  return [t[service], fields[name] ?? name]
}

const OWN_WORDS: Readonly<Record<string, Words>> = {
  budgets: budgetWords,
  models: modelWords,
  tools: toolWords,
  web: webWords,
}
