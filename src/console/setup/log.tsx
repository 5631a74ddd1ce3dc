import { useSignal } from '@preact/signals'
import type { Page } from '../../client/http.ts'
import { client, sendOnce } from '../api.ts'
import { viewTexts, texts } from '../language.ts'
import { sessionAddress } from '../route.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { factText, fieldText, isTime } from './facts.tsx'
import { isOtherZone, momentIn } from './zoned-time.ts'
import type { SetupPart } from '../setup-parts/parts.ts'

const PAGE = 20

type Entry = { id: string; session_id: string | null } & Record<string, unknown>

interface Props {
  log: NonNullable<SetupPart['log']>
  path: string
  /** By whose clocks its times are shown, where that is not who reads. */
  zone: unknown
}

/** What came of an entry, newest first, read when it is asked for. */
export function LogView({ log, path, zone }: Props) {
  const t = viewTexts().setup
  const entries = useSignal<Entry[] | null>(null)
  const cursor = useSignal<string | null>(null)
  const { isBusy, problem, run } = useAct()
  const read = (after: string | null) =>
    run(async () => {
      const query = { limit: PAGE, cursor: after ?? undefined }
      const page = await client.value.json<Page<Entry>>({ path, query })
      entries.value = after === null ? page.data : [...(entries.value ?? []), ...page.data]
      cursor.value = page.next_cursor
    })
  const sendAgain = (id: string) =>
    run(async () => {
      const retry = `${path}/${encodeURIComponent(id)}/retry`
      await sendOnce((key) => client.value.json({ method: 'POST', path: retry, headers: { 'idempotency-key': key } }))
    }).then((went) => (went ? read(null) : undefined))
  return (
    <div class="log">
      <button type="button" disabled={isBusy.value} onClick={() => void read(null)}>
        {t[log.title]}
      </button>
      <ProblemLine text={problem.value} />
      {entries.value?.length === 0 ? <p class="dim">{t.none}</p> : null}
      {entries.value === null || entries.value.length === 0 ? null : (
        <Rows
          log={log}
          zone={zone}
          entries={entries.value}
          isBusy={isBusy.value}
          onRetry={(id) => void sendAgain(id)}
        />
      )}
      {cursor.value === null ? null : (
        <button type="button" disabled={isBusy.value} onClick={() => void read(cursor.value)}>
          {texts().more}
        </button>
      )}
    </div>
  )
}

interface RowsProps {
  log: Props['log']
  zone: unknown
  entries: readonly Entry[]
  isBusy: boolean
  onRetry: (id: string) => void
}

function Rows({ log, zone, entries, isBusy, onRetry }: RowsProps) {
  const t = texts()
  const head = (field: string) =>
    isTime(field) && isOtherZone(zone) ? t.aside(fieldText(field), zone) : fieldText(field)
  const cell = (field: string, value: unknown) =>
    isTime(field) && typeof value === 'string' ? momentIn(zone, value) : factText(field, value)
  return (
    <div class="table-room" tabIndex={0} role="region" aria-label={viewTexts().setup[log.title]}>
      <table>
        <thead>
          <tr>
            {log.shows.map((field) => (
              <th key={field}>{head(field)}</th>
            ))}
            <th>{fieldText('session_id')}</th>
            {log.retries ? <th>{t.retry}</th> : null}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              {log.shows.map((field) => (
                <td key={field}>{cell(field, entry[field])}</td>
              ))}
              <td>
                {entry.session_id === null ? (
                  '—'
                ) : (
                  <a href={sessionAddress(entry.session_id)}>{viewTexts().setup.open}</a>
                )}
              </td>
              {log.retries ? (
                <td>
                  <button type="button" disabled={isBusy} onClick={() => onRetry(entry.id)}>
                    {t.retry}
                  </button>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
