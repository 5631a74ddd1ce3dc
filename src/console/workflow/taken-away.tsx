import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { workflowTexts } from './texts.ts'

/** What was taken out of a workflow last, and can be had back. */
export interface TakenAway {
  name: string
  undo: () => void
}

/** So long it can be had back, as sessions that are deleted. */
const UNDO_MS = 8_000

/** What was taken away, with the way back. */
export function TakenAwayToast({ taken }: { taken: Signal<TakenAway | null> }) {
  const t = workflowTexts()
  const last = taken.value
  useEffect(() => {
    if (last === null) return
    const timer = setTimeout(() => (taken.value = null), UNDO_MS)
    return () => clearTimeout(timer)
  }, [last])
  const undo = () => {
    taken.value = null
    last?.undo()
  }
  return (
    <div class="toasts" role="status">
      {last === null ? null : (
        <div class="toast">
          <span>{t.tookAway(last.name)}</span>
          <button type="button" onClick={undo}>
            {t.undo}
          </button>
        </div>
      )}
    </div>
  )
}
