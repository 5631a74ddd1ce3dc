import { render } from 'preact'
import { App } from './app.tsx'
import { watchFocus } from './focus.ts'
import { watchKeys } from './keys.ts'
import { watchWaiting } from './notifications.ts'
import './theme.ts'
import { language, speak } from './language.ts'
import { watchSessions, waiting } from './sessions/session-store.ts'
import { Later } from './ui/loaded.tsx'
import { effect } from '@preact/signals'
import { openSession } from './sessions/followed.ts'

await speak(language.value)
const root = document.getElementById('app')
watchFocus()
const isLink = location.pathname.startsWith('/links/')
if (root && isLink)
  render(<Later load={async () => (await import('./link/link-page.tsx')).LinkPage} props={{}} />, root)
if (root && !isLink) {
  render(<App />, root)
  watchSessions()
  watchKeys()
  watchWaiting()
  nameTab()
}

/** Names the browser's tab after the session that is looked at, with how many wait for a decision. */
function nameTab(): void {
  effect(() => {
    const title = openSession.value?.head.value?.title ?? ''
    const count = waiting.value.length
    document.title = `${count === 0 ? '' : `(${count}) `}${title === '' ? '' : `${title} · `}yaa`
  })
}
