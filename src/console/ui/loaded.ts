import { useSignal, type Signal } from '@preact/signals'
import { useCallback, useEffect } from 'preact/hooks'
import { problemText } from '../api.ts'

export interface Loaded<T> {
  value: Signal<T | null>
  problem: Signal<string | null>
  reload: () => Promise<void>
}

/** What the server says to a question, asked when it is first shown and whenever `on` is another. */
export function useLoaded<T>(ask: () => Promise<T>, on: readonly unknown[] = []): Loaded<T> {
  const value = useSignal<T | null>(null)
  const problem = useSignal<string | null>(null)
  const reload = useCallback(async () => {
    try {
      value.value = await ask()
      problem.value = null
    } catch (error) {
      problem.value = problemText(error)
    }
  }, on)
  useEffect(() => void reload(), [reload])
  return { value, problem, reload }
}
