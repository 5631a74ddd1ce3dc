import { useSignal, useSignalEffect, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isUnreached, textInWords } from '../api.ts'
import { Component, type ComponentChildren } from 'preact'
import { texts } from '../language.ts'
import { heldFocus } from './form-focus.tsx'

/** Whether the page has a place that tells that the server cannot be reached: one that a link opens has none. */
let hasLine = false

/** What went wrong, told to who looks and to who listens. That the server cannot be reached is told once, above all. */
export function ProblemLine({ text }: { text: string | null }) {
  const { offline, again, broken } = texts().problem
  const isToldAbove = isUnreached.value && hasLine && (text === offline || text === again || text === broken)
  return text === null || isToldAbove ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  )
}

interface Act {
  isBusy: Signal<boolean>
  problem: Signal<string | null>
  /** Runs it, one at a time; true when it went well. */
  run: (act: () => Promise<void>) => Promise<boolean>
}

/** That the server cannot be reached; gone once it is. */
export function UnreachedLine() {
  useEffect(() => {
    hasLine = true
    return () => void (hasLine = false)
  }, [])
  return isUnreached.value ? (
    <p class="problem unreached" role="alert">
      {texts().problem.again}
    </p>
  ) : null
}

/** An act that takes a while and may fail: busy meanwhile, its failure in words. */
export function useAct(): Act {
  const isBusy = useSignal(false)
  const problem = useSignal<string | null>(null)
  useSignalEffect(() => {
    if (!isUnreached.value && problem.peek() === texts().problem.offline) problem.value = null
  })
  const run = async (act: () => Promise<void>) => {
    if (isBusy.value) return false
    // What is switched off meanwhile loses the focus.
    const giveBack = heldFocus()
    isBusy.value = true
    problem.value = null
    try {
      await act()
      return true
    } catch (error) {
      problem.value = await textInWords(error)
      return false
    } finally {
      isBusy.value = false
      giveBack()
    }
  }
  return { isBusy, problem, run }
}

interface Props {
  children: ComponentChildren
}

/** A view that breaks leaves the rest of the page as it is. */
export class ErrorRoom extends Component<Props, { error: string | null }> {
  override state = { error: null as string | null }

  static override getDerivedStateFromError(error: unknown): { error: string } {
    return { error: error instanceof Error ? error.message : String(error) }
  }

  override render({ children }: Props, { error }: { error: string | null }) {
    if (error === null) return children
    return (
      <div class="empty" role="alert">
        <p>{texts().told(texts().problem.unexpected, error)}</p>
        <button type="button" onClick={() => location.reload()}>
          {texts().retry}
        </button>
      </div>
    )
  }
}
