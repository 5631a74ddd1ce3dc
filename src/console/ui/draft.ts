import { useSignal, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const keyOf = (name: string) => `yaa.draft.${name}`

/** A text that outlives the page until it is sent. */
export function useDraft(name: string): Signal<string> {
  const draft = useSignal(localStorage.getItem(keyOf(name)) ?? '')
  useEffect(() => draft.subscribe((text) => keep(name, text)), [name])
  return draft
}

function keep(name: string, text: string): void {
  if (text === '') localStorage.removeItem(keyOf(name))
  else localStorage.setItem(keyOf(name), text)
}
