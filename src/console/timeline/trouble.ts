import type { EndItem, Item, NoteItem } from './item.ts'

/** What failed on the way of a run, and the end that it came to. */
export interface Failure {
  end: EndItem
  /** Each once, with how often it happened. */
  attempts: FailedCall[]
}

export interface FailedCall {
  code: string
  detail: string
  times: number
}

/** Codes of calls of a model. */
export const OF_A_CALL = /^(model_|address_refused$)/

/** A call that failed, what is said of it beside, or that it is made again. Other errors tell of what a run goes without. */
const isAttempt = (item: Item) =>
  item.kind === 'note' && (item.note.type === 'again' || (item.note.type === 'error' && OF_A_CALL.test(item.note.code)))

/** Items without calls that failed: those are told with the end of their run, or while it is tried again. What else went wrong is
 *  told once. */
export function withoutAttempts(items: readonly Item[]): Item[] {
  return toldOnce(
    items.filter((item) => !isAttempt(item)),
    () => false,
  )
}

/** All items, with each call that failed; what is only said of it once more is left out. */
export const withoutRepeats = (items: readonly Item[]): Item[] => toldOnce(items, ({ isCall }) => isCall === true)

type ErrorNote = NoteItem['note'] & { type: 'error' }

/** Each error once in a run, and not where its end tells it; but those that are to stay. */
function toldOnce(items: readonly Item[], stays: (note: ErrorNote) => boolean): Item[] {
  const ends = items.flatMap((item) => (item.kind === 'end' && item.error ? [sign(item.run, item.error)] : []))
  const told = new Set(ends)
  return items.filter((item) => {
    if (item.kind !== 'note' || item.note.type !== 'error') return true
    const what = sign(item.run, item.note)
    const isNew = !told.has(what)
    told.add(what)
    return isNew || stays(item.note)
  })
}

const sign = (run: string | null, { code, detail }: { code: string; detail: string }) => `${run} ${code} ${detail}`

/** The failure that a session has ended with; null: it did not, or has gone on since. */
export function lastFailure(items: readonly Item[]): Failure | null {
  const last = items.findLast((item) => item.kind === 'end' || (item.kind === 'said' && item.scope === null))
  return last?.kind === 'end' && last.status === 'failed' ? { end: last, attempts: attemptsOf(last.run, items) } : null
}

function attemptsOf(run: string | null, items: readonly Item[]): FailedCall[] {
  const found = new Map<string, FailedCall>()
  for (const item of items) {
    if (item.kind !== 'note' || item.run !== run || item.note.type !== 'error' || !item.note.isCall) continue
    const { code, detail } = item.note
    const known = found.get(sign(run, item.note)) ?? { code, detail, times: 0 }
    found.set(sign(run, item.note), { ...known, times: known.times + 1 })
  }
  return withDetails([...found.values()])
}

/** Tries that failed within one call are told without details: those of the same kind have them. */
function withDetails(calls: readonly FailedCall[]): FailedCall[] {
  const bare = calls.filter(({ detail }) => detail === '')
  const told = calls.filter(({ detail }) => detail !== '')
  for (const { code, times } of bare) {
    const last = told.findLast((one) => one.code === code)
    if (last) last.times += times
  }
  return [...bare.filter(({ code }) => told.every((one) => one.code !== code)), ...told]
}

/** Why a call is being made again just now, and for which time; null: nothing failed, or something has come since. */
export function currentTrouble(items: readonly Item[]): (FailedCall & { attempt: number }) | null {
  const last = items.at(-1)
  if (!last || !isAttempt(last)) return null
  const failed = attemptsOf(last.run, items.slice(items.findLastIndex((item) => !isAttempt(item)) + 1))
  const newest = failed.at(-1)
  return newest ? { ...newest, attempt: failed.reduce((sum, { times }) => sum + times, 1) } : null
}
