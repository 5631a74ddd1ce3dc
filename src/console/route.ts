import { computed, signal } from '@preact/signals'

export const SESSION_TABS = ['conversation', 'plan', 'workflow', 'team', 'files'] as const
export type SessionTab = (typeof SESSION_TABS)[number]

/** Where one is; the part of the address behind `#`, so that no server sees it. */
export type Route =
  | { page: 'home' }
  | { page: 'new' }
  | { page: 'inbox' }
  | { page: 'spend' }
  | { page: 'connect' }
  | { page: 'setup'; part: string }
  /** `file`: the path of the file that is looked at; empty: none. */
  | { page: 'session'; id: string; tab: SessionTab; file: string }
  | { page: 'authorise'; query: string }
  | { page: 'unknown' }

const hash = signal(location.hash)
addEventListener('hashchange', () => (hash.value = location.hash))

export const currentRoute = computed<Route>(() => routeOf(hash.value))

function routeOf(text: string): Route {
  // The address that `yaa serve` prints; api.ts takes the key out of it.
  if (text.startsWith('#key=')) return { page: 'home' }
  const [page = '', first = '', second = '', file = ''] = text.replace(/^#\/?/, '').split('/').map(decoded)
  switch (page) {
    case '':
      return { page: 'home' }
    case 'new':
    case 'inbox':
    case 'spend':
    case 'connect':
      return { page }
    case 'authorise':
      return { page, query: first }
    case 'setup':
      return { page, part: first || 'models' }
    case 's':
      return { page: 'session', id: first, tab: SESSION_TABS.find((tab) => tab === second) ?? 'conversation', file }
    default:
      return { page: 'unknown' }
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** `file`: of the files of the session, by its path. */
export function sessionAddress(id: string, tab: SessionTab = 'conversation', file = ''): string {
  const parts = [id, ...(tab === 'conversation' ? [] : [tab]), ...(file === '' ? [] : [file])]
  return `#/s/${parts.map(encodeURIComponent).join('/')}`
}

export function go(address: string): void {
  location.hash = address
}

/** Goes there by keys: the next Tab is within the page, unless something of it has the focus by then. */
export function goByKeys(address: string): void {
  go(address)
  setTimeout(() => {
    const main = document.getElementById('main')
    if (main?.contains(document.activeElement) === false) main.focus()
  })
}
