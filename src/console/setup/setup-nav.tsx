import { viewTexts } from '../language.ts'
import { go } from '../route.ts'
import { navTexts } from './nav-texts.ts'
import { PARTS } from './parts.ts'

type GroupId = keyof ReturnType<typeof navTexts>['groups']

/** The parts in the order in which one sets up a server. */
const GROUPS: readonly (readonly [GroupId, readonly string[]])[] = [
  ['models', ['models', 'settings']],
  ['tools', ['mcp-servers', 'openapi-tools', 'connections', 'skills', 'workflows']],
  ['triggers', ['webhooks', 'schedules', 'callbacks']],
  ['access', ['keys', 'memory', 'audit']],
]

/** All parts, in this order. */
export const SETUP_PARTS: readonly string[] = GROUPS.flatMap(([, parts]) => parts)

/** What a part is called, by the texts of a language; null: there is none of this name. */
export function setupTitle(id: string, t = viewTexts().setup): string | null {
  const own: Record<string, string> = { models: t.models, memory: t.memory, audit: t.audit, settings: t.settings }
  return own[id] ?? PARTS.find((part) => part.id === id)?.title(t) ?? null
}

/** The way between the parts: beside them, and where there is no room a choice above them. */
export function SetupNav({ current }: { current: string }) {
  const t = navTexts()
  const isKnown = GROUPS.some(([, parts]) => parts.includes(current))
  const groups = GROUPS.map(([id, parts]) => ({ id, title: t.groups[id], parts }))
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
