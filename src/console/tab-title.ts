import { computed, effect, signal } from '@preact/signals'
import { texts } from './language.ts'
import { currentRoute } from './route.ts'
import { openSession } from './sessions/followed.ts'
import { waiting } from './sessions/session-store.ts'

/** What a view that is loaded later calls what it shows; it alone knows. */
export const shownPart = signal('')

/** What the page is about that is shown: the session, or the place. */
const pageTitle = computed(() => {
  const t = texts()
  const { page } = currentRoute.value
  switch (page) {
    case 'home':
      return ''
    case 'new':
      return t.newTask
    case 'inbox':
    case 'spend':
    case 'connect':
      return t[page]
    case 'session':
      return openSession.value?.isGone.value ? t.lost.session : (openSession.value?.head.value?.title ?? '')
    case 'setup':
      return shownPart.value === '' ? t.setUp : `${shownPart.value} · ${t.setUp}`
    case 'authorise':
      return shownPart.value
    case 'unknown':
      return t.lost.page
  }
})

/** Names the browser's tab after what is looked at, with how many wait for a decision. */
export function nameTab(): void {
  effect(() => {
    const count = waiting.value.length
    document.title = `${count === 0 ? '' : `(${count}) `}${titleOf(pageTitle.value)}`
  })
}

/** Names it after what a link opened. */
export function nameLink(title: string): void {
  document.title = titleOf(title)
}

const titleOf = (title: string) => (title === '' ? 'yaa' : `${title} · yaa`)
