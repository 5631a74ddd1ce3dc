import type { ContinueInput } from '../../domain/session-input.ts'
import { client, may, sendOnce } from '../api.ts'
import { durationText, language, viewTexts, moneyText, numberText, texts } from '../language.ts'
import type { Followed } from '../sessions/followed.ts'
import { OF_A_CALL, type Failure } from '../timeline/trouble.ts'
import { Chip } from '../ui/compose-room.tsx'
import { Icon, troubleText } from '../ui/marks.tsx'
import { useOffers } from '../ui/offers.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'

type Kind = 'refused' | 'key' | 'name' | 'credit' | 'service' | 'model' | 'limit' | 'other'

const KINDS: Readonly<Record<string, Kind>> = {
  model_unauthorized: 'key',
  model_unreachable: 'service',
  model_timeout: 'service',
  model_rate_limited: 'service',
  model_unavailable: 'service',
  model_cancelled: 'service',
  model_rejected: 'model',
  model_overflow: 'model',
  model_bad_answer: 'model',
  unknown_model: 'model',
  output_invalid: 'model',
  stuck: 'model',
  loop: 'model',
  going_in_circles: 'model',
  iteration_limit: 'limit',
  budget_exhausted: 'limit',
  deadline: 'limit',
}

interface Props {
  session: Followed
  failure: Failure
}

/** What a run failed of: what happened, why, and what to do now. Attempts, and the words of the service, are folded. */
export function FailureCard({ session, failure: { end, attempts } }: Props) {
  const { isBusy, problem, run } = useAct()
  const t = viewTexts().failure
  const { code, detail, message, hint } = end.error ?? { code: '', detail: '' }
  // What a service said is in English: in Chinese it is among the details, unless the session speaks no Chinese either.
  const isInOwnWords = OF_A_CALL.test(code) && (language.value === 'en' || !/\p{Script=Han}/u.test(message ?? ''))
  const raised = raisedLimit(session, code, end.time)
  const kind = end.isRefused ? 'refused' : kindOf(code, detail)
  const check = kind === 'key' || kind === 'name' ? t.checks[kind] : null
  const title = (kind === 'credit' ? null : t.titlesOf[code]) ?? t.titles[kind]
  const why = t.why[code] ?? t.told(isInOwnWords ? detail : (message ?? detail))
  const isUndone = session.head.value?.workflow?.stage === 'rolled_back'
  const canAct = !isUndone && may('run')
  const isAdvised = canAct && (kind !== 'limit' || raised !== null)
  const goOn = (input: ContinueInput = {}) =>
    void run(async () => {
      await sendOnce((key) => client.value.sessions.start(session.id, { type: 'continue', ...input }, { key }))
      await session.refresh()
    })
  return (
    <section class="failure" role="alert" aria-label={title}>
      <h3>
        <Icon name="warn" /> {title}
      </h3>
      {bare(why) === bare(title) ? null : <p>{why}</p>}
      <p class="dim">{canAct ? t.advice[isAdvised ? kind : 'budget'] : hint?.replaceAll('（continue）', '')}</p>
      {!canAct ? null : (
        <div class="acts">
          {check !== null && may('admin') ? (
            <a class="button primary" href="#/setup/models">
              {check}
            </a>
          ) : null}
          {raised === null ? (
            <button
              type="button"
              class={check === null ? 'primary' : ''}
              disabled={isBusy.value}
              onClick={() => goOn()}
            >
              <Icon name="retry" /> {texts().retry}
            </button>
          ) : (
            <button
              type="button"
              class="primary"
              disabled={isBusy.value}
              onClick={() => goOn({ config: { limits: raised.limits } })}
            >
              {t.raise(raised.text)}
            </button>
          )}
          {kind === 'limit' || kind === 'refused' ? null : (
            <OtherModel session={session} onChoose={(model) => goOn({ config: { model } })} />
          )}
        </div>
      )}
      <ProblemLine text={problem.value} />
      <details>
        <summary>
          {attempts.length === 0 ? t.detail : t.attempts(attempts.reduce((sum, one) => sum + one.times, 0))}
        </summary>
        <ul>
          {(attempts.length === 0 ? [{ code, detail, times: 1 }] : attempts).map((one) => (
            <li key={one.code + one.detail}>
              {OF_A_CALL.test(one.code) ? troubleText(one.code) : title} {one.times === 1 ? '' : `× ${one.times}`}
              <p class="dim" title={one.code}>
                {t.told(one.detail)}
              </p>
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}

/** What services say of an account without money; OpenAI says so with the status of requests that come too fast. */
const NO_CREDIT =
  / answered 402\b|insufficient_quota|exceeded your current quota|insufficient balance|credit balance|余额不足|欠费/i

/** Where the details tell more than the code: what is not found at a service is the model, or all of it. */
function kindOf(code: string, detail: string): Kind {
  if ((code === 'model_rejected' || code === 'model_rate_limited') && NO_CREDIT.test(detail)) return 'credit'
  return code === 'model_rejected' && / answered 404\b/.test(detail) ? 'name' : (KINDS[code] ?? 'other')
}

/** A sentence without its full stop. */
const bare = (sentence: string) => sentence.replace(/[.。]$/, '')

/** Goes on with another model. */
function OtherModel({ session, onChoose }: { session: Followed; onChoose: (model: string) => void }) {
  const models = useOffers()?.models ?? []
  const current = session.head.value?.config.model
  const others = models.filter(({ id, default: isDefault }) => (current === undefined ? !isDefault : id !== current))
  if (others.length === 0) return null
  return (
    <Chip
      label={viewTexts().failure.otherModel}
      value=""
      none={viewTexts().failure.otherModel}
      options={others.map(({ id }) => [id, id])}
      onChoose={onChoose}
    />
  )
}

const FIRST_ITERATIONS = 200
/** A few calls with their tools take as much. */
const FIRST_TOKENS = 5_000
const FACTOR = 2

/** The limit that ended a run, doubled; null: it was none, or is not the session's to raise. */
function raisedLimit({ head, timeline }: Followed, code: string, endedTime: string) {
  const { limits = {} } = head.value?.config ?? {}
  if (code === 'iteration_limit') {
    const count = FACTOR * (limits.max_iterations_total ?? FIRST_ITERATIONS)
    return { limits: { max_iterations_total: count }, text: viewTexts().failure.iterations(numberText(count)) }
  }
  if (code === 'deadline') {
    const began = timeline.items.find(({ run }) => run === timeline.items.at(-1)?.run)?.time ?? endedTime
    const ms = FACTOR * Math.max(limits.deadline_ms ?? 0, Date.parse(endedTime) - Date.parse(began))
    return { limits: { deadline_ms: ms }, text: durationText(ms) }
  }
  if (code !== 'budget_exhausted') return null
  if (limits.max_total_tokens !== undefined) {
    const count = FACTOR * Math.max(limits.max_total_tokens, FIRST_TOKENS)
    return { limits: { max_total_tokens: count }, text: texts().chat.tokens(numberText(count)) }
  }
  if (limits.max_cost === undefined) return null
  const cost = { ...limits.max_cost, amount: FACTOR * limits.max_cost.amount }
  return { limits: { max_cost: cost }, text: moneyText(cost) }
}
