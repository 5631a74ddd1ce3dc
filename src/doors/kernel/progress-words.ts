import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { PlanData } from '../../domain/plan.ts'
import type { TeamMessage } from '../../domain/team.ts'
import { cutText } from '../../lib/text.ts'

/** What a run comes to on its way, in words, where a protocol has no other place for it. */

/** The newest round of a plan; empty: nothing is planned. */
export function planWords({ round, tasks }: PlanData, language: Language): string {
  const lines = tasks.filter((task) => task.round === round).map(({ name, description }) => `- ${name}: ${description}`)
  if (lines.length === 0) return ''
  const title = language === 'en' ? `Plan, round ${round}:` : `第 ${round} 轮计划：`
  return cutText([title, ...lines].join('\n'), LIMITS.door.noteCharsMax)
}

export function teamWords({ sent_from: from, content }: TeamMessage): string {
  return cutText(`${from}: ${content}`, LIMITS.door.noteCharsMax)
}
