import { render } from 'preact'
import { learnScopes } from './api.ts'
import { App } from './app.tsx'
import { watchFocus } from './lost-focus.ts'
import { watchKeys } from './keys.ts'
import { watchWaiting } from './notifications.ts'
import './theme.ts'
import { language, speak } from './language.ts'
import { watchSessions } from './sessions/session-store.ts'
import { nameTab } from './tab-title.ts'
import { Later } from './ui/loaded.tsx'

await speak(language.value)
const root = document.getElementById('app')
watchFocus()
const isLink = location.pathname.startsWith('/links/')
if (root && isLink)
  render(<Later load={async () => (await import('./link/link-page.tsx')).LinkPage} props={{}} />, root)
if (root && !isLink) {
  void learnScopes()
  render(<App />, root)
  watchSessions()
  watchKeys()
  watchWaiting()
  nameTab()
}
