import type { ComponentChildren } from 'preact'
import { showPalette } from './keys.ts'
import { texts } from './language.ts'
import { BackLink } from './ui/marks.tsx'

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
