import { useSignal } from '@preact/signals'
import type { WebhookTrialInfo } from '../../client/triggers.ts'
import { jsonObject } from '../../lib/json.ts'
import { client, sendOnce } from '../api.ts'
import { texts } from '../language.ts'
import { sessionAddress } from '../route.ts'
import { GrowingText } from '../ui/growing-text.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'

/** What a delivery of this body would do, or does. */
export function WebhookTrialForm({ path }: { path: string }) {
  const t = texts().setup
  const text = useSignal('{}')
  const starts = useSignal(false)
  const told = useSignal<WebhookTrialInfo | null>(null)
  const { isBusy, problem, run } = useAct()
  const delivered = jsonObject(text.value)
  const attempt = () =>
    run(async () => {
      const body = { body: delivered, run: starts.value }
      told.value = await sendOnce((key) =>
        client.value.json<WebhookTrialInfo>({ method: 'POST', path, body, headers: { 'idempotency-key': key } }),
      )
    })
  return (
    <details class="trial">
      <summary>{t.try}</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void attempt()
        }}
      >
        <GrowingText value={text} label={t.body} rows={3} mono />
        {delivered ? null : (
          <p class="problem" role="status">
            {texts().decide.badJson}
          </p>
        )}
        <div class="acts">
          <label>
            <input
              type="checkbox"
              checked={starts.value}
              onChange={(event) => (starts.value = event.currentTarget.checked)}
            />{' '}
            {t.startsRun}
          </label>
          <button type="submit" disabled={isBusy.value || delivered === null}>
            {t.try}
          </button>
        </div>
        <ProblemLine text={problem.value} />
        {told.value === null ? null : <Told trial={told.value} />}
      </form>
    </details>
  )
}

function Told({ trial }: { trial: WebhookTrialInfo }) {
  const { session_id: id } = trial
  return (
    <div role="status">
      {id === null ? null : <a href={sessionAddress(id)}>{texts().setup.open}</a>}
      <pre class="plain" tabIndex={0}>
        {JSON.stringify(trial, null, 2)}
      </pre>
    </div>
  )
}
