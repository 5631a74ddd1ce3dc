import { useLayoutEffect, useRef } from 'preact/hooks'
import { viewTexts, texts } from '../language.ts'
import { goOnAt, goOnIfLost } from '../ui/form-focus.tsx'
import { forgetRemoval, type Removal, removals, undoRemoval } from './removal.ts'
import { SELECT } from './session-store.ts'

/** What was deleted, with the way back. */
export function RemovalsView() {
  return (
    <div class="toasts" role="status">
      {removals.value.map((one) => (
        <Toast key={one.key + String(one.problem)} removal={one} />
      ))}
    </div>
  )
}

/** Who deleted something can have it back with the next press; once it is too late, the focus goes on in the list. */
function Toast({ removal }: { removal: Removal }) {
  const { removal: t } = viewTexts()
  const { problem, title, ids, key } = removal
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (problem === null) goOnAt(button.current)
    return () => goOnIfLost({ opener: SELECT }, document.getElementById('main'))
  }, [])
  return (
    <div class="toast">
      <span>
        {(problem === null ? t.done : t.failed)(title || texts().untitled, ids.length)} {problem}
      </span>
      <button type="button" ref={button} onClick={() => (problem === null ? undoRemoval(removal) : forgetRemoval(key))}>
        {problem === null ? t.undo : texts().close}
      </button>
    </div>
  )
}
