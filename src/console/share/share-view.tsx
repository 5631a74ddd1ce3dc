import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { client } from '../api.ts'
import { viewTexts, momentText, texts } from '../language.ts'
import { copyText } from '../ui/copied.ts'
import { besideRow, goOnAt, openerOf, rowOf } from '../ui/form-focus.tsx'
import { useLoaded } from '../ui/loaded.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'

const DAY_MS = 86_400_000
const DAYS = [1, 7, 30] as const
const LINKS_MAX = 100

/** Makes a link. */
const MAKE = 'links'
const rowName = (id: string) => `links.${id}`

interface Props {
  session: string
  /** Where who opens the link begins to read: the key of an item. */
  at: string | null
}

/** Links to read a session: made, copied, revoked. */
export function ShareView({ session, at }: Props) {
  const { share: t } = viewTexts()
  const days = useSignal<number>(7)
  const made = useSignal<{ id: string; url: string } | null>(null)
  const { isBusy, problem, run } = useAct()
  const known = useLoaded(async () => (await client.value.links.list(session, { limit: LINKS_MAX })).data)
  const make = () =>
    run(async () => {
      const expires = new Date(Date.now() + days.value * DAY_MS).toISOString()
      const { id, url = '' } = await client.value.links.create(session, { scope: 'read', expires_time: expires })
      made.value = { id, url: at === null ? url : `${url}#${at}` }
      await known.reload()
    })
  const revoke = (id: string) =>
    run(async () => {
      await client.value.links.delete(session, id)
      if (made.value?.id === id) made.value = null
      const beside = besideRow(rowName(id))
      await known.reload()
      goOnAt(...beside, { opener: MAKE })
    })
  return (
    <section class="share">
      <h2>{t.title}</h2>
      <p class="dim">{t.hint}</p>
      <form
        class="share-make"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <label>
          {t.ends}{' '}
          <select value={days.value} onChange={(event) => (days.value = Number(event.currentTarget.value))}>
            {DAYS.map((one) => (
              <option key={one} value={one}>
                {t.days[one]}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary" {...openerOf(MAKE)} disabled={isBusy.value}>
          {t.make}
        </button>
      </form>
      {made.value === null ? null : <Made url={made.value.url} />}
      <ProblemLine text={problem.value ?? known.problem.value} />
      <h3>{t.known}</h3>
      {known.value.value?.length === 0 ? <p class="dim">{t.none}</p> : null}
      <ul class="share-links">
        {known.value.value?.map(({ id, scope, expires_time: ends }) => (
          <li key={id} {...rowOf(rowName(id))}>
            <span>
              {t.scope[scope] ?? scope} · <span class="dim">{t.until(momentText(ends))}</span>{' '}
              {id === made.value?.id ? <span class="tag">{t.fresh}</span> : null}
            </span>
            <button type="button" class="quiet danger" disabled={isBusy.value} onClick={() => void revoke(id)}>
              {t.revoke}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A link that was just made: its token is in no later answer. */
function Made({ url }: { url: string }) {
  const { share: t } = viewTexts()
  const isCopied = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    isCopied.value = false
    field.current?.focus()
  }, [url])
  const copy = async () => {
    await copyText(url)
    isCopied.value = true
  }
  return (
    <div class="share-made" role="status">
      <input ref={field} readOnly aria-label={t.link} value={url} onFocus={(event) => event.currentTarget.select()} />
      <button type="button" onClick={() => void copy()}>
        {isCopied.value ? texts().copied : t.copy}
      </button>
      <p class="dim">{t.once}</p>
    </div>
  )
}
