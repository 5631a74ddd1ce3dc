import { effect, signal } from '@preact/signals'
import { texts } from './language.ts'
import { go, sessionAddress } from './route.ts'
import { readWhileHidden, waiting } from './sessions/session-store.ts'

const STORED = 'yaa.notify'

/** Whether one wants to be told by the browser, while the page is not looked at, of what waits; nothing is, unless somebody says so. */
export const notifies = signal(localStorage.getItem(STORED) === 'yes')

/** The browser asks for permission; without it nothing is kept. */
export async function wishNotifications(isWanted: boolean): Promise<void> {
  notifies.value = isWanted && 'Notification' in globalThis && (await Notification.requestPermission()) === 'granted'
  if (notifies.value) localStorage.setItem(STORED, 'yes')
  else localStorage.removeItem(STORED)
}

/** Tells of each session once, when it begins to wait. */
export function watchWaiting(): void {
  let known: ReadonlySet<string> | null = null
  effect(() => readWhileHidden(notifies.value))
  effect(() => {
    const now = waiting.value
    const before = known
    known = new Set(now.map(({ id }) => id))
    if (before === null || !notifies.peek() || !document.hidden) return
    for (const { id, title } of now.filter((one) => !before.has(one.id))) {
      const told = new Notification(texts().inbox, { body: title || texts().untitled, tag: id, silent: true })
      told.addEventListener('click', () => {
        focus()
        go(sessionAddress(id))
      })
    }
  })
}
