import { useSignal, type Signal } from '@preact/signals'
import CLIENTS from '../../../docs/clients.md'
import AG_UI from '../../../docs/ag-ui.md'
import A2A from '../../../docs/a2a.md'
import FOREIGN_CLIENTS from '../../../docs/foreign-clients.md'
import type { Scope } from '../../domain/access.ts'
import { may } from '../api.ts'
import { viewTexts } from '../language.ts'
import { makeOnce } from '../setup/make-once.ts'
import { CopyTextButton, NewSecret } from '../ui/copy-button.tsx'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { filledIn, KEY, type Recipe, recipesIn } from './recipes.ts'

/** The blocks of these pages that are marked for it: a client that is added there is added here. */
const RECIPES = [CLIENTS, FOREIGN_CLIENTS, A2A, AG_UI].flatMap(recipesIn).filter(({ isShown }) => isShown)
const TITLES = [...new Set(RECIPES.map(({ title }) => title))]

/** How other programs reach this server: its address, a key that is made here, and what to write for each client. */
export function ConnectView() {
  const t = viewTexts().connect
  const key = useSignal<string | null>(null)
  const chosen = useSignal(TITLES[0] ?? '')
  return (
    <section class="page connect">
      <h1>{t.title}</h1>
      <p>{t.hint}</p>
      <h2>{t.address}</h2>
      <p class="copied-line">
        <code>{location.origin}</code> <CopyTextButton text={location.origin} what={t.address} />
      </p>
      <h2>{t.key}</h2>
      <KeyMaker made={key} />
      <h2>{t.clients}</h2>
      <div class="switch" role="group" aria-label={t.clients}>
        {TITLES.map((title) => (
          <button
            type="button"
            key={title}
            aria-pressed={title === chosen.value}
            onClick={() => (chosen.value = title)}
          >
            {title}
          </button>
        ))}
      </div>
      {RECIPES.filter(({ title }) => title === chosen.value).map((recipe) => (
        <Snippet key={recipe.file} recipe={recipe} secret={key.value} />
      ))}
    </section>
  )
}

function Snippet({ recipe, secret }: { recipe: Recipe; secret: string | null }) {
  const code = filledIn(recipe.code, location.origin, secret ?? KEY)
  return (
    <figure class="snippet">
      <figcaption>
        <span>{recipe.file}</span> <CopyTextButton text={code} what={recipe.file} />
      </figcaption>
      <pre class="plain" tabIndex={0} role="region" aria-label={recipe.file}>
        <code>{code}</code>
      </pre>
    </figure>
  )
}

const SCOPES = ['run', 'read', 'decide', 'admin'] as const satisfies readonly Scope[]

/** Makes a key, which is shown this once. Who may not is told so. */
function KeyMaker({ made }: { made: Signal<string | null> }) {
  const t = viewTexts().connect
  const { words } = viewTexts()
  const name = useSignal('')
  const scopes = useSignal<readonly Scope[]>(['run', 'read', 'decide'])
  const { isBusy, problem, run } = useAct()
  const make = () =>
    run(async () => {
      const given = name.value.trim() || t.name
      const { key } = await makeOnce('/v1/keys', { name: given, scopes: [...scopes.value] })
      made.value = typeof key === 'string' ? key : null
    })
  const set = (scope: Scope, on: boolean) =>
    (scopes.value = SCOPES.filter((one) => (one === scope ? on : scopes.value.includes(one))))
  if (!may('admin')) return <p class="empty">{t.notAdmin(KEY)}</p>
  return (
    <>
      <p>{t.keyHint(KEY)}</p>
      <form
        class="form card"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <label>
          {words.fields['name']}{' '}
          <input
            value={name.value}
            placeholder={t.name}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <fieldset>
          <legend>{words.fields['scopes']}</legend>
          {SCOPES.map((scope) => (
            <label key={scope} class="check">
              <input
                type="checkbox"
                checked={scopes.value.includes(scope)}
                onChange={(event) => set(scope, event.currentTarget.checked)}
              />
              {words.values[`scopes.${scope}`]}
            </label>
          ))}
        </fieldset>
        <div class="acts">
          <button type="submit" class="primary" disabled={isBusy.value || scopes.value.length === 0}>
            {t.make}
          </button>
        </div>
      </form>
      <ProblemLine text={problem.value} />
      {made.value === null ? null : <NewSecret secret={made.value} what={t.key} />}
    </>
  )
}
