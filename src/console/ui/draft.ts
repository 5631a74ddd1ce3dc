import { useSignal, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const keyOf = (name: string) => `yaa.draft.${name}`

export interface Draft {
  text: Signal<string>
  /** Takes away what was sent, also when nobody looks at it any more; what was typed meanwhile stays. */
  sent: (text: string) => void
}

/** A text that outlives the page until it is sent; `initial` is what there is before anything is typed, `kept` what of it is kept. */
export function useDraft(name: string, initial = '', kept: (text: string) => string = (text) => text): Draft {
  const text = useSignal(localStorage.getItem(keyOf(name)) ?? initial)
  useEffect(() => text.subscribe((value) => keep(name, kept(value), initial)), [name])
  const sent = (taken: string) => {
    const rest = text.value.trimStart()
    const gone = taken.trimStart()
    text.value = rest.startsWith(gone) ? rest.slice(gone.length).trimStart() : rest
    keep(name, kept(text.value), initial)
  }
  return { text, sent }
}

function keep(name: string, text: string, initial: string): void {
  if (text === '' || text === initial) localStorage.removeItem(keyOf(name))
  else localStorage.setItem(keyOf(name), text)
}
