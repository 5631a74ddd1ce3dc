import { useSignal } from '@preact/signals'
import type { ListedSettings } from '../../domain/settings.ts'
import { client } from '../api.ts'
import { listText, momentText, texts } from '../language.ts'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { settingsTexts } from './texts.ts'
import { changedText } from './version-words.ts'

interface Props {
  /** The version that holds; 0: nothing was set. */
  current: number
  onChanged: () => Promise<void>
}

const PAGE = 10
const FIELDS_SHOWN = 6

/** What was changed when and by whom, newest first, and the way back to each. */
export function Versions({ current, onChanged }: Props) {
  const t = settingsTexts()
  const entries = useSignal<readonly ListedSettings[]>([])
  const cursor = useSignal<string | null>(null)
  const { isBusy, problem, run } = useAct()
  const read = async (after: string | null) => {
    const page = await client.value.settings.versions({ limit: PAGE, ...(after === null ? {} : { cursor: after }) })
    entries.value = after === null ? page.data : [...entries.value, ...page.data]
    cursor.value = page.next_cursor
    return true
  }
  const first = useLoaded(() => read(null), [current])
  const rollBack = (version: number) =>
    run(async () => {
      if (!confirm(version === 0 ? t.fileAloneAsk : t.rollBackAsk(version))) return
      await client.value.settings.rollBack(version)
      await onChanged()
    })
  if (current === 0) return <p class="empty">{t.noVersions}</p>
  return (
    <>
      <ProblemLine text={problem.value ?? first.problem.value} />
      <ol class="versions card">
        {entries.value.map((entry) => (
          <li key={entry.version}>
            <div>
              <strong>{t.version(entry.version)}</strong>
              {entry.version === current ? <span class="tag on">{t.now}</span> : null}
              <p class="hint">
                <time dateTime={entry.time}>{momentText(entry.time)}</time> · {t.by(entry.by)}
              </p>
              <p class="facts">{entry.restores === null ? whatChanged(entry) : t.rolledBack(entry.restores)}</p>
            </div>
            {entry.version === current ? null : (
              <button type="button" disabled={isBusy.value} onClick={() => void rollBack(entry.version)}>
                {t.rollBack}
              </button>
            )}
          </li>
        ))}
      </ol>
      <div class="acts">
        {cursor.value === null ? null : (
          <button
            type="button"
            disabled={isBusy.value}
            onClick={() => void run(async () => void (await read(cursor.value)))}
          >
            {texts().more}
          </button>
        )}
        <button type="button" class="quiet danger" disabled={isBusy.value} onClick={() => void rollBack(0)}>
          {t.fileAlone}
        </button>
      </div>
    </>
  )
}

function whatChanged({ changed }: ListedSettings): string {
  const t = settingsTexts()
  const names = [...new Set(changed.map(changedText))]
  const shown = listText(names.slice(0, FIELDS_SHOWN))
  const rest = names.length - FIELDS_SHOWN
  return t.changed(rest > 0 ? `${shown} ${t.moreFields(rest)}` : shown)
}
