import type { SessionRecord } from '../../domain/session.ts'
import { languageOf, type Language } from '../../domain/language.ts'
import type { SessionSkill } from '../../domain/skill.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Cast } from '../../engine/work.ts'
import { languageFor } from '../../engine/settings.ts'
import { castOf } from './create.ts'

/** The skill and the team of a session in another language, when its first task shows that it is to be in that one: skills and teams that come with the
 *  product are written in both. Those that somebody brought along or changed stay as they are. `language`: BCP 47. */
export async function recast(
  engine: Engine,
  record: SessionRecord,
  language: string,
): Promise<Pick<SessionRecord, 'skill' | 'team'>> {
  const change = { engine, record, from: languageFor(engine, record), to: languageOf(language) }
  if (change.from === change.to) return { skill: record.skill }
  const skill = record.skill && (await skillIn(change, record.skill))
  const team = record.team && (await teamIn(change, skill))
  return { skill, ...(team ? { team } : {}) }
}

/** A session that changes its language. */
interface LanguageChange {
  engine: Engine
  record: SessionRecord
  from: Language
  to: Language
}

async function skillIn({ engine, record, from, to }: LanguageChange, skill: SessionSkill): Promise<SessionSkill> {
  const { definition } = skill
  const { texts = {} } = (await engine.skills.find(record.tenant, definition.name)) ?? {}
  const [known, other] = [texts[from], texts[to]]
  if (!known || !other || !isSame({ ...definition, ...known }, definition)) return skill
  return { ...skill, definition: { ...definition, ...other } }
}

/** The team is cast anew in both languages. If it comes out in the old one as it stands, nobody has brought it along or changed it. */
async function teamIn(
  { engine, record, from, to }: LanguageChange,
  skill: SessionSkill | null,
): Promise<SessionRecord['team']> {
  const { tenant, team, config, orchestrator, skill: before } = record
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
