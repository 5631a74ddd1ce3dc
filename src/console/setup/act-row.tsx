import { useSignal } from '@preact/signals'
import type { CallbackDeliveryInfo } from '../../client/triggers.ts'
import type { ScheduleInfo } from '../../domain/schedule.ts'
import type { WebhookTrialInfo } from '../../domain/webhook.ts'
import { client, sendOnce } from '../api.ts'
import { viewTexts, texts } from '../language.ts'
import { go, sessionAddress } from '../route.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import type { ConnectionAuthorization } from '../../domain/connection.ts'
import type { SetupAct } from '../setup-parts/parts.ts'
import { jsonObject } from '../../lib/json.ts'
import { GrowingText } from '../ui/growing-text.tsx'
import { Facts, valueText } from './facts.tsx'
import { isOtherZone, momentIn } from './zoned-time.ts'

interface ScheduleTrial {
  session_id: string | null
  run: { status: string; reason: string | null } | null
}

interface Props {
  act: SetupAct
  path: string
  /** Whose entry it is, where it is a user's. */
  query: Record<string, string>
  onDone: () => Promise<void>
}

/** Something that can be asked of an entry, and the answer. */
export function ActRow({ act, path, query, onDone }: Props) {
  const t = viewTexts().setup
  const input = useSignal('')
  const asked = { try: t.tryInput, newSecret: t.newSecretInput, grant: t.grantFor }[act.id as string]
  const isNeeded = act.id === 'newSecret' || act.id === 'try'
  const said = useSignal<string | null>(null)
  const authorisesAt = useSignal<string | null>(null)
  const { isBusy, problem, run } = useAct()
  const does = {
    probe: async () => {
      const { authorization_url: address = null } = await post<{ authorization_url?: string }>(path)
      authorisesAt.value = address
      await onDone()
    },
    send: async () => {
      const delivery = await post<CallbackDeliveryInfo>(path)
      const last = delivery.attempt_log?.at(-1)
      const status = valueText('status', delivery.status)
      const why = last?.error && attemptText(last.error)
      said.value = [status, last?.status, why].filter((part) => part != null).join(' · ')
    },
    nextRuns: async () => {
      const { next_runs: times, timezone: zone } = await client.value.json<ScheduleInfo>({ path })
      const head = isOtherZone(zone) ? [t.timesIn(zone)] : []
      said.value = times.length === 0 ? t.none : [...head, ...times.map((time) => momentIn(zone, time))].join('\n')
    },
    runNow: async () => {
      const { session_id: id, run: started } = await post<ScheduleTrial>(path, { run: true })
      if (id !== null) go(sessionAddress(id))
      else said.value = [valueText('status', started?.status ?? ''), started?.reason].filter(Boolean).join(' · ')
    },
    try: async () => {
      const headers = { prefer: 'respond-async' }
      const { session_id: id } = await post<{ session_id: string }>(path, { input: input.value }, headers)
      go(sessionAddress(id))
    },
    newSecret: async () => {
      const body = { secret: input.value }
      await client.value.json({ method: 'PATCH', path, query, body })
      input.value = ''
      await onDone()
    },
    grant: async () => {
      const whose = input.value === '' ? query : { user: input.value }
      authorisesAt.value = (
        await client.value.json<ConnectionAuthorization>({ method: 'POST', path, query: whose, body: {} })
      ).url
    },
  }
  return (
    <form
      class="acts act-row"
      onSubmit={(event) => {
        event.preventDefault()
        void run(does[act.id])
      }}
    >
      {asked === undefined ? null : (
        <input
          {...(act.id === 'newSecret' ? { type: 'password' as const } : {})}
          autocomplete="off"
          aria-label={asked}
          placeholder={asked}
          value={input.value}
          onInput={(event) => (input.value = event.currentTarget.value)}
        />
      )}
      <button type="submit" disabled={isBusy.value || (isNeeded && input.value.trim() === '')}>
        {isBusy.value ? t.testing : t[act.id]}
      </button>
      {authorisesAt.value === null ? null : (
        <a href={authorisesAt.value} target="_blank" rel="noreferrer">
          {t.authorise}
        </a>
      )}
      <ProblemLine text={problem.value} />
      {said.value === null ? null : (
        <pre class="plain" role="status" tabIndex={0}>
          {said.value}
        </pre>
      )}
    </form>
  )
}

/** Why a delivery was not taken. The server has it in its own language; what only it knows stays so. */
function attemptText({ code, detail }: { code: string; detail: string }): string {
  const words = valueText('attempt', code)
  return words === code ? detail : words
}

/** Happens once, however often it is sent. */
function post<T>(path: string, body?: Record<string, unknown>, headers?: Record<string, string>): Promise<T> {
  return sendOnce((key) =>
    client.value.json<T>({ method: 'POST', path, body, headers: { ...headers, 'idempotency-key': key } }),
  )
}

/** What a delivery of this body would do, or does. */
export function WebhookTrialForm({ path }: { path: string }) {
  const t = viewTexts().setup
  const text = useSignal('{}')
  const starts = useSignal(false)
  const trial = useSignal<WebhookTrialInfo | null>(null)
  const { isBusy, problem, run } = useAct()
  const delivered = jsonObject(text.value)
  const attempt = () =>
    run(async () => {
      const body = { body: delivered, run: starts.value }
      trial.value = await sendOnce((key) =>
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
          <label class="check">
            <input
              type="checkbox"
              checked={starts.value}
              onChange={(event) => (starts.value = event.currentTarget.checked)}
            />
            {t.startsRun}
          </label>
          <button type="submit" disabled={isBusy.value || delivered === null}>
            {t.try}
          </button>
        </div>
        <ProblemLine text={problem.value} />
        {trial.value === null ? null : <TrialResult trial={trial.value} />}
      </form>
    </details>
  )
}

const TRIAL_SHOWS = ['event', 'reason', 'task', 'inputs', 'missing', 'session_key']

/** What a delivery would start, or why nothing. */
function TrialResult({ trial }: { trial: WebhookTrialInfo }) {
  const { session_id: id } = trial
  return (
    <div role="status">
      {id === null ? null : <a href={sessionAddress(id)}>{viewTexts().setup.open}</a>}
      {trial.ignored ? <p>{valueText('status', 'ignored')}</p> : null}
      <Facts shows={TRIAL_SHOWS} entry={trial} />
      <details class="advanced">
        <summary>{viewTexts().failure.detail}</summary>
        <pre class="plain" tabIndex={0}>
          {JSON.stringify(trial, null, 2)}
        </pre>
      </details>
    </div>
  )
}
