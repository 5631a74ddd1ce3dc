import { ApiProblem } from '../../client/client.ts'
import { EVERY_MS_MAX, EVERY_MS_MIN } from '../../domain/trigger-limits.ts'
import type { FieldBounds, RefusalPlace } from '../forms/field.ts'
import { AUTHORIZATION } from '../setup-parts/headers.ts'
import { type Field, MINUTE_MS, WHEN_KINDS } from '../setup-parts/parts.ts'

type Entry = Record<string, unknown>

/** Fields that an entry has to have and that are empty, before anything is sent. */
export function missingInEntry(fields: readonly Field[], entry: Entry): string[] {
  return fields.flatMap(({ name, kind, isNeeded, isLasting }) => {
    if (kind === 'when') {
      const given = WHEN_KINDS.find((one) => entry[one] !== undefined) ?? 'cron'
      return isEmpty(entry[given]) ? [given] : []
    }
    // A workflow needs no words beside it.
    const isWanted = isLasting ? isEmpty(entry['workflow']) : isNeeded
    return isWanted && isEmpty(entry[name]) ? [name] : []
  })
}

/** The bound that the interval of a schedule does not keep to, in ms; null: none. */
export function intervalBeyond(fields: readonly Field[], { every_ms: every }: Entry): FieldBounds | null {
  if (!fields.some(({ kind }) => kind === 'when') || typeof every !== 'number') return null
  if (every < EVERY_MS_MIN) return { least: EVERY_MS_MIN }
  return every > EVERY_MS_MAX ? { most: EVERY_MS_MAX } : null
}

/** Of an address the begin alone is none yet. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return /^(https?:\/\/)?$/.test(value.trim())
  return value === undefined || value === null || value === 0
}

/** An entry without the words that a workflow does not need: empty ones would be refused. */
export function withoutEmptyWords(fields: readonly Field[], entry: Entry): Entry {
  const words = fields.flatMap(({ name, isLasting, isNeeded }) => (isLasting && !isNeeded ? [name] : []))
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => !words.includes(name) || !isEmpty(value)))
}

/** Where it is told what the server says of an entry; what is of no field is told below them. */
export const placesOf = (fields: readonly Field[]): RefusalPlace[] =>
  fields.flatMap(({ name, kind }): RefusalPlace | RefusalPlace[] =>
    kind === 'when'
      ? WHEN_KINDS.map((one) => (one === 'every_ms' ? { path: [one], size: MINUTE_MS } : { path: [one] }))
      : kind === 'headers'
        ? [{ path: [name] }, { path: [name, AUTHORIZATION] }]
        : { path: [name] },
  )

/** Inputs of a workflow have places of their own, which nobody knows before the workflow is chosen: those that the server names. */
export function inputPlaces(fields: readonly Field[], error: unknown): RefusalPlace[] {
  if (!(error instanceof ApiProblem) || !fields.some(({ kind }) => kind === 'workflow')) return []
  return error.errors.flatMap(({ path }) => {
    const [of = '', input] = path.split('.')
    return of === 'inputs' && input !== undefined ? [{ path: [of, input] }] : []
  })
}
