import { effect } from '@preact/signals'
import { openSession } from './session/open-session.ts'
import { waiting } from './sessions/session-store.ts'

/** Names the browser's tab after the session that is looked at, with how many wait for a decision. */
export function nameTab(): void {
  effect(() => {
    const title = openSession.value?.head.value?.title ?? ''
    const count = waiting.value.length
    document.title = `${count === 0 ? '' : `(${count}) `}${title === '' ? '' : `${title} · `}yaa`
  })
}
