import { stringify } from 'yaml'
import { skillDefinition, type SkillDefinition } from '../domain/skill.ts'
import { isObject } from '../lib/json.ts'
import { FIRST_VERSION } from './shipped.ts'
import { ALLOWED_TOOLS, namesIn, splitTools } from './warnings.ts'

/** A skill as a SKILL.md, which can be read again: what its author wrote beside our fields stands there as it came. */
export function skillMarkdown(skill: SkillDefinition): string {
  const { name, description, prompt, tools, extra = {}, files: _files, ...others } = skill
  const { metadata: own, [ALLOWED_TOOLS]: allowed, ...more } = extra
  const metadata = { ...(isObject(own) ? own : {}), ...changedSettings(others) }
  const written = allowedTools(tools, allowed)
  const head = {
    name,
    description,
    ...more,
    ...(written === undefined ? {} : { [ALLOWED_TOOLS]: written }),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  }
  return `---\n${stringify(head, { lineWidth: 0 })}---\n\n${prompt}\n`
}

/** Settings that are not what a SKILL.md without them has. */
function changedSettings(settings: Omit<SkillDefinition, 'name' | 'description' | 'prompt' | 'tools'>) {
  const usual: Record<string, unknown> = skillDefinition.parse({ name: 'a', version: FIRST_VERSION, description: 'a' })
  return Object.fromEntries(
    Object.entries(settings).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual[key])),
  )
}

/** The tools as the author wrote them, if those are still the ones that the skill has. */
function allowedTools(tools: readonly string[], written: unknown): unknown {
  const names = namesIn(written)
  const isSame = Array.isArray(names) && splitTools(tools, (name) => names.includes(name)).unknown.length === 0
  if (written !== undefined && isSame) return written
  return tools.length > 0 ? tools.join(' ') : undefined
}
