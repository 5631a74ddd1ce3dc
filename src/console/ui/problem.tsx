import { useSignal, type Signal } from '@preact/signals'
import { problemText } from '../api.ts'

/** What went wrong, told to who looks and to who listens. */
export function ProblemLine({ text }: { text: string | null }) {
  return text === null ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  )
}

export interface Act {
  isBusy: Signal<boolean>
  problem: Signal<string | null>
  /** Runs it, one at a time; true when it went well. */
  run: (act: () => Promise<void>) => Promise<boolean>
}

/** An act that takes a while and may fail: busy meanwhile, its failure in words. */
export function useAct(): Act {
  const isBusy = useSignal(false)
  const problem = useSignal<string | null>(null)
  const run = async (act: () => Promise<void>) => {
    if (isBusy.value) return false
    isBusy.value = true
    problem.value = null
    try {
      await act()
      return true
    } catch (error) {
      problem.value = problemText(error)
      return false
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy, problem, run }
}
