import type { Signal } from '@preact/signals'
import { EVERYBODY } from '../../domain/role.ts'
import { client, sendOnce } from '../api.ts'
import { viewTexts, texts } from '../language.ts'
import type { Followed } from '../sessions/followed.ts'
import { GrowingText, isTouched, useDraft } from '../ui/growing-text.tsx'
import { Icon } from '../ui/marks.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'

/** Where one puts a message on the bus of a team. What is written, and to whom, stays until it was taken. */
export function BusForm({ session, roles }: { session: Followed; roles: readonly string[] }) {
  const t = viewTexts().teams
  const { text: draft, sent } = useDraft(`${session.id}.team`)
  const { text: chosen } = useDraft(`${session.id}.team.to`)
  const { isBusy, problem, run } = useAct()
  const content = draft.value.trim()
  const send = () =>
    run(async () => {
      if (content === '') return
      const sendTo = namesOf(chosen.value)
      const message = { content, ...(sendTo.length === 0 ? {} : { send_to: sendTo }) }
      await sendOnce((key) => client.value.sessions.start(session.id, { type: 'tell-team', ...message }, { key }))
      sent(content)
      chosen.value = ''
      await session.refresh()
    })
  return (
    <form
      class="bus-form"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <ProblemLine text={problem.value} />
      <Addressees roles={roles} chosen={chosen} />
      <div class="composer-room">
        <GrowingText
          value={draft}
          label={t.message}
          placeholder={isTouched ? t.placeholderShort : t.placeholder}
          onSend={() => void send()}
        />
        <div class="composer-acts">
          <button type="submit" class="primary round" disabled={content === '' || isBusy.value}>
            <Icon name="send" />
            <span class="unseen">{texts().chat.send}</span>
          </button>
        </div>
      </div>
    </form>
  )
}

const SEPARATOR = '\n'
const namesOf = (chosen: string) => chosen.split(SEPARATOR).filter((name) => name !== '')

function Addressees({ roles, chosen }: { roles: readonly string[]; chosen: Signal<string> }) {
  const t = viewTexts().teams
  const names = namesOf(chosen.value)
  const choose = (name: string, isChosen: boolean) => {
    const others = names.filter((one) => one !== name)
    chosen.value = (isChosen ? [...others, name] : others).join(SEPARATOR)
  }
  return (
    <fieldset>
      <legend class="dim">{t.to}</legend>
      {[EVERYBODY, ...roles].map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={names.includes(name)}
            onChange={(event) => choose(name, event.currentTarget.checked)}
          />
          {name === EVERYBODY ? t.everybody : name}
        </label>
      ))}
    </fieldset>
  )
}
