import type { SessionRecord } from '../../domain/session.ts'
import { languageOf, type Language } from '../../domain/language.ts'
import type { SessionSkill } from '../../domain/skill.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Cast } from '../../engine/work.ts'
import { languageFor } from '../../engine/settings.ts'
import { castOf } from './create.ts'

/** What of a session's skill and team is told anew when it comes to be in this language, and was made in that of the server: what comes with the
 *  product is written in both. What somebody brought along, or has changed since, stays as it is. */
export async function recast(
  engine: Engine,
  record: SessionRecord,
  language: string,
): Promise<Pick<SessionRecord, 'skill' | 'team'>> {
  const [from, to] = [languageFor(engine, record), languageOf(language)]
  if (from === to) return { skill: record.skill }
  const skill = record.skill && (await skillIn(engine, record, record.skill, from, to))
  const team = record.team && (await teamIn(engine, record, skill, from, to))
  return { skill, ...(team ? { team } : {}) }
}

async function skillIn(
  engine: Engine,
  { tenant }: SessionRecord,
  skill: SessionSkill,
  from: Language,
  to: Language,
): Promise<SessionSkill> {
  const { definition } = skill
  const { texts = {} } = (await engine.skills.find(tenant, definition.name)) ?? {}
  const [known, other] = [texts[from], texts[to]]
  if (!known || !other || !isSame({ ...definition, ...known }, definition)) return skill
  return { ...skill, definition: { ...definition, ...other } }
}

/** It is cast again in both languages: one that came out as it stands was not brought along. */
async function teamIn(
  engine: Engine,
  { tenant, team, config, orchestrator, skill: before }: SessionRecord,
  skill: SessionSkill | null,
  from: Language,
  to: Language,
): Promise<SessionRecord['team']> {
  const { name, n_round, investment } = team ?? {}
  const named =
    name === null || name === undefined ? {} : { team: { name, n_round, ...(investment ? { investment } : {}) } }
  const teamOf = async (language: Language, of: SessionSkill | null): Promise<Cast['team']> => {
    const cast = await castOf(engine, tenant, { ...named, orchestrator, config: { ...config, language } }, of)
    return cast.ok ? cast.value.team : null
  }
  if (!isSame(await teamOf(from, before), team)) return team
  return (await teamOf(to, skill)) ?? team
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
