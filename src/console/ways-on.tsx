import type { ComponentChildren } from 'preact'
import type { SessionData } from '../domain/session.ts'
import { may } from './api.ts'
import { showPalette } from './keys.ts'
import { texts } from './language.ts'
import { BackLink, Icon } from './ui/marks.tsx'
import { defaultModel, useOffers } from './ui/offers.ts'

interface Props {
  title: string
  why: string
  /** What is left of what was there. */
  children?: ComponentChildren
}

/** An address that shows nothing: why that may be, and the ways on. */
export function Lost({ title, why, children }: Props) {
  return (
    <section class="page lost">
      <h1>{title}</h1>
      <p>{why}</p>
      {children}
      <LostWays />
    </section>
  )
}

/** Ways on from where there is nothing. */
export function LostWays() {
  const t = texts()
  return (
    <p class="acts">
      <a class="button primary" href="#/new">
        {t.newTask}
      </a>
      <button type="button" onClick={showPalette}>
        {t.lost.search}
      </button>
    </p>
  )
}

/** A session that is deleted, or that there never was: which of them, nobody can know from its address. */
export function LostSession({ children }: Pick<Props, 'children'>) {
  const t = texts().lost
  return (
    <>
      <p class="back-row">
        <BackLink />
      </p>
      <Lost title={t.session} why={t.sessionWhy}>
        {children}
      </Lost>
    </>
  )
}

/** Below what the built-in model has answered: the way to a model that can do more. What it says itself holds for who has no page, too, and
 *  a model leads nowhere in the page. */
export function BuiltInHint({ head }: { head: Pick<SessionData, 'config' | 'status'> }) {
  const models = useOffers()?.models ?? []
  const { model: chosen = defaultModel(models) } = head.config
  const isBuiltIn = models.find(({ id }) => id === chosen)?.provider === 'built-in'
  if (!isBuiltIn || head.status !== 'completed') return null
  const others = models.filter(({ provider }) => provider !== 'built-in')
  const t = texts().builtIn
  return (
    <p class="notice built-in-hint">
      {others.length > 0 ? t.choose : t.limits}{' '}
      {others.length > 0 || !may('admin') ? null : (
        <a href="#/setup/models">
          <Icon name="link" /> {t.connect}
        </a>
      )}
    </p>
  )
}
