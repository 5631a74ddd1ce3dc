import { useSignal } from '@preact/signals'
import { ApiProblem } from '../../client/client.ts'
import type { PendingInput } from '../../domain/session-input.ts'
import type { WantedConnection } from '../../domain/wanted-connection.ts'
import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { client } from '../api.ts'
import { viewTexts } from '../language.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'

interface Props {
  wanted: WantedConnection
  /** Whether a secret can be given here. */
  canKeep: boolean
  isBusy: boolean
  onDecide: (decision: PendingInput) => Promise<boolean>
}

/** What a call lacks of its user: the secret, which goes to the server's connections and nowhere else, or access, which is granted on a page of
 *  another server. Once it is there the run goes on by itself. */
export function ConnectionForm({ wanted, canKeep, isBusy, onDecide }: Props) {
  const t = viewTexts().connection
  const { name, origin, user, wants } = wanted
  const ofSecret = canKeep ? t.secretHint(user ?? '') : t.elsewhere
  const hint = wants === 'secret' ? ofSecret : t.grantHint
  return (
    <div class="form">
      <p class="question">{withHiddenShown(t.needs(name, origin))}</p>
      <p class="dim">{withHiddenShown(hint)}</p>
      {wants === 'grant' ? <GrantLink wanted={wanted} /> : null}
      {wants === 'secret' && canKeep ? <SecretField wanted={wanted} isBusy={isBusy} /> : null}
      <div class="acts">
        {wants === 'grant' ? (
          <button type="button" disabled={isBusy} onClick={() => void onDecide({ decision: 'answer', answer: t.done })}>
            {t.again}
          </button>
        ) : null}
        <button type="button" class="danger" disabled={isBusy} onClick={() => void onDecide({ decision: 'reject' })}>
          {t.decline}
        </button>
      </div>
    </div>
  )
}

/** Where access is granted. An address that no browser should open is not offered. */
function GrantLink({ wanted: { authorize_url: address = '' } }: Pick<Props, 'wanted'>) {
  return /^https?:\/\//i.test(address) ? (
    <p>
      <a class="button primary" href={address} target="_blank" rel="noreferrer">
        {viewTexts().connection.authorise}
      </a>
    </p>
  ) : null
}

/** A secret is in no draft: what is not kept is gone with the page. */
function SecretField({ wanted, isBusy }: Pick<Props, 'wanted' | 'isBusy'>) {
  const t = viewTexts().connection
  const secret = useSignal('')
  const isKept = useSignal(false)
  const act = useAct()
  const keep = () =>
    act.run(async () => {
      await keepSecret(wanted, secret.value)
      secret.value = ''
      isKept.value = true
    })
  return (
    <form
      class="acts"
      onSubmit={(event) => {
        event.preventDefault()
        if (secret.value !== '') void keep()
      }}
    >
      <input
        type="password"
        autocomplete="off"
        spellcheck={false}
        aria-label={t.secret}
        placeholder={t.secret}
        value={secret.value}
        onInput={(event) => (secret.value = event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={isBusy || act.isBusy.value || secret.value === ''}>
        {t.keep}
      </button>
      {isKept.value ? <span role="status">{t.kept}</span> : null}
      <ProblemLine text={act.problem.value} />
    </form>
  )
}

/** Keep a user's secret, in the place of one that does not do any more. */
async function keepSecret({ name, origin, user }: WantedConnection, secret: string): Promise<void> {
  const path = '/v1/connections'
  const whose = user === null ? {} : { user }
  try {
    await client.value.json({ method: 'POST', path, body: { name, origin, secret, ...whose } })
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'already_exists') throw error
    const one = `${path}/${encodeURIComponent(name)}`
    await client.value.json({ method: 'PATCH', path: one, query: whose, body: { secret } })
  }
}
