import { go } from '../route.ts'
import { navTexts } from '../setup-parts/nav-texts.ts'
import { SETUP_GROUPS, setupTitle } from '../setup-parts/titles.ts'

/** The way between the parts: beside them, and where there is no room a choice above them. */
export function SetupNav({ current }: { current: string }) {
  const t = navTexts()
  const isKnown = SETUP_GROUPS.some(([, parts]) => parts.includes(current))
  const groups = SETUP_GROUPS.map(([id, parts]) => ({ id, title: t.groups[id], parts }))
  return (
    <>
      <nav class="setup-nav" aria-label={t.choose}>
        {groups.map(({ id, title, parts }) => (
          <div key={id}>
            <h2>{title}</h2>
            {parts.map((part) => (
              <a key={part} href={`#/setup/${part}`} aria-current={part === current ? 'page' : undefined}>
                {setupTitle(part)}
              </a>
            ))}
          </div>
        ))}
      </nav>
      <select
        class="setup-choice"
        aria-label={t.choose}
        value={current}
        onChange={(event) => go(`#/setup/${event.currentTarget.value}`)}
      >
        {isKnown ? null : <option value={current}>{t.choose}</option>}
        {groups.map(({ id, title, parts }) => (
          <optgroup key={id} label={title}>
            {parts.map((part) => (
              <option key={part} value={part}>
                {setupTitle(part)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </>
  )
}
