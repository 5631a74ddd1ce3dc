import { render } from 'preact'
import { App } from './app.tsx'
import { language, speak } from './language.ts'
import { watchSessions } from './sessions/session-store.ts'

await speak(language.value)
const root = document.getElementById('app')
if (root) render(<App />, root)
watchSessions()
