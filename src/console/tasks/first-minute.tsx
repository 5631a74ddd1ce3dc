import { type Signal, useSignal } from '@preact/signals'
import { may } from '../api.ts'
import { viewTexts } from '../language.ts'
import { Icon } from '../ui/marks.tsx'
import { ConnectModel } from './connect-model.tsx'

interface Props {
  isBuiltIn: boolean
  /** No task was given yet. */
  isFirst: boolean
  /** A model was connected here, since the page was opened. */
  isConnected: Signal<boolean>
  onTake: (hint: string) => void
}

/** What who is new begins with: a model, a task such as it can do, and where to read on. */
export function FirstMinute({ isBuiltIn, isFirst, isConnected, onTake }: Props) {
  const t = viewTexts().firstMinute
  const isOpen = useSignal(isFirst)
  return (
    <>
      {(isBuiltIn && may('admin')) || isConnected.value ? (
        <details
          class="card connect-card"
          open={isOpen.value}
          onToggle={(event) => (isOpen.value = event.currentTarget.open)}
        >
          <summary>
            <Icon name="link" /> {t.connectModel}
          </summary>
          <ConnectModel onDone={() => (isConnected.value = true)} />
        </details>
      ) : null}
      {isFirst ? (
        <div class="hints">
          {isBuiltIn ? <p>{t.builtIn}</p> : null}
          <p class="dim">{t.examples}</p>
          {t[isBuiltIn ? 'builtInHints' : 'hints'].map((hint) => (
            <button type="button" key={hint} onClick={() => onTake(hint)}>
              {hint}
            </button>
          ))}
          <p class="dim">
            <a href="/docs">{t.docs}</a> · <a href="#/connect">{t.programs}</a>
          </p>
        </div>
      ) : null}
    </>
  )
}
