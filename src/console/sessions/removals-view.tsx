import { viewTexts, texts } from '../language.ts'
import { forgetRemoval, removals, undoRemoval } from './removal.ts'

/** What was deleted, with the way back. */
export function RemovalsView() {
  const { removal: t } = viewTexts()
  return (
    <div class="toasts" role="status">
      {removals.value.map((one) => (
        <div class="toast" key={one.key}>
          <span>
            {(one.problem === null ? t.done : t.failed)(one.title || texts().untitled, one.ids.length)} {one.problem}
          </span>
          {one.problem === null ? (
            <button type="button" onClick={() => undoRemoval(one)}>
              {t.undo}
            </button>
          ) : (
            <button type="button" onClick={() => forgetRemoval(one.key)}>
              {texts().close}
            </button>
          )}
        </div>
      ))}
    </div>
  )
}
