import { viewTexts } from '../language.ts'
import type { navTexts } from './nav-texts.ts'
import { PARTS } from './parts.ts'

type GroupId = keyof ReturnType<typeof navTexts>['groups']

/** The parts in the order in which one sets up a server. */
export const SETUP_GROUPS: readonly (readonly [GroupId, readonly string[]])[] = [
  ['models', ['models', 'settings']],
  ['tools', ['mcp-servers', 'openapi-tools', 'connections', 'skills', 'workflows']],
  ['triggers', ['webhooks', 'schedules', 'callbacks']],
  ['access', ['keys', 'memory', 'audit']],
]

/** All parts, in this order. */
export const SETUP_PARTS: readonly string[] = SETUP_GROUPS.flatMap(([, parts]) => parts)

/** What a part is called, by the texts of a language; null: there is none of this name. */
export function setupTitle(id: string, t = viewTexts().setup): string | null {
  const own: Record<string, string> = { models: t.models, memory: t.memory, audit: t.audit, settings: t.settings }
  return own[id] ?? PARTS.find((part) => part.id === id)?.title(t) ?? null
}
