import { texts } from '../language.ts'
import type { CallItem, Item } from '../timeline/item.ts'
import { Icon } from '../ui/marks.tsx'
import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { isObject } from '../../lib/json.ts'

/** The model's own to-do list, which each call of `plan_notes` gives anew. */
export const NOTES_TOOL = 'plan_notes'

/** Keys of the calls that gave the newest list, one for each branch: those stand open. */
export function newestNotes(items: readonly Item[]): ReadonlySet<string> {
  const newest = new Map<string | null, string>()
  for (const item of items)
    if (item.kind === 'call' && item.tool === NOTES_TOOL && item.status !== 'failed') newest.set(item.scope, item.key)
  return new Set(newest.values())
}

const ICONS = { done: 'boxDone', doing: 'boxHalf', todo: 'box' } as const

/** The list as it was at this call. */
export function Notes({ call }: { call: CallItem }) {
  const t = texts().chat
  return (
    <ul class="notes">
      {notesIn(call).map(({ text, state }, index) => (
        <li key={index} data-state={String(state)}>
          <Icon name={state === 'done' || state === 'doing' ? ICONS[state] : ICONS.todo} />
          <span>
            <span class="unseen">{t.noteStates[String(state)] ?? String(state)}: </span>
            {withHiddenShown(String(text))}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** How many are done, and what is being done. */
export function notesLine(call: CallItem): string {
  const notes = notesIn(call)
  const doing = notes.find(({ state }) => state === 'doing')
  const count = `${notes.filter(({ state }) => state === 'done').length}/${notes.length}`
  return doing ? withHiddenShown(`${count} · ${String(doing['text'])}`) : count
}

function notesIn({ arguments: { items } }: CallItem): Record<string, unknown>[] {
  return Array.isArray(items) ? items.filter(isObject) : []
}
