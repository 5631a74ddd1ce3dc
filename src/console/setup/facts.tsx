import { isObject } from '../../lib/json.ts'
import { clausesText, durationText, listText, momentText, labelledText, viewTexts } from '../language.ts'
import { zonedText } from './zoned-time.ts'

/** What a field is called. */
export const fieldText = (field: string): string => viewTexts().words.fields[field] ?? field

/** What a value of a field is called. */
export const valueText = (field: string, value: string): string =>
  viewTexts().words.values[`${field}.${value}`] ?? value

/** A value of an entry, as one reads it. */
export function factText(field: string, value: unknown): string {
  if (value === undefined || value === null || value === '') return ''
  if (field === 'event' && typeof value === 'string') return valueText('events', value)
  if (typeof value === 'string') return isTime(field) ? momentText(value) : valueText(field, value)
  if (typeof value === 'boolean') return viewTexts().words.values[String(value)] ?? ''
  if (field === 'every_ms' && typeof value === 'number') return durationText(value)
  if (Array.isArray(value) && value.every((part) => typeof part === 'string'))
    return listText(value.map((part) => valueText(field, part)))
  if (Array.isArray(value) && value.every(isIssue)) return clausesText(value.map(issueText))
  if (field === 'oauth2' && isObject(value)) return grantText(value)
  if (field === 'team' && isObject(value) && typeof value['name'] === 'string') return value['name']
  return JSON.stringify(value)
}

/** What is said of a field of an entry. */
interface Issue {
  path: string
  message: string
}

const isIssue = (value: unknown): value is Issue =>
  isObject(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string'

export const issueText = ({ path, message }: Issue): string => (path === '' ? message : labelledText(path, message))

export const isTime = (field: string) => field === 'at' || field === 'time' || field.endsWith('_time')

/** How tokens are got, and whether there are any. */
function grantText({ grant, authorized }: Record<string, unknown>): string {
  const how = valueText('oauth2', typeof grant === 'string' ? grant : '')
  return [how, ...(authorized === true ? [valueText('oauth2', 'authorized')] : [])].join(' · ')
}

/** Of these a few lines are shown. */
const LONG = new Set(['task', 'task_template'])

/** Fields of an entry by their names, below what is said of it; those without a value are left out. */
export function Facts({ shows, entry }: { shows: readonly string[]; entry: Record<string, unknown> }) {
  const facts = shows.flatMap((field) => {
    const value = entry[field]
    const isZoned = typeof value === 'string' && isTime(field) && 'timezone' in entry
    const text = isZoned ? zonedText(entry['timezone'], value) : value === false ? '' : factText(field, value)
    return text === '' || field === 'name' || field === 'description' ? [] : [[field, text] as const]
  })
  const { description } = entry
  return (
    <>
      {shows.includes('description') && typeof description === 'string' && description !== '' ? (
        <p class="what">{description}</p>
      ) : null}
      <dl class="facts">
        {facts.map(([field, text]) => (
          <div key={field}>
            <dt>{fieldText(field)}</dt>
            <dd class={LONG.has(field) ? 'long' : ''}>{text}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
