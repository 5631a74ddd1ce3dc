import type { Language } from '../../domain/language.ts'
import { stepApproval, type Pending } from '../../domain/pending.ts'

const TEXTS = {
  en: {
    approval: (call: string, at: string, id: string) =>
      `Waiting for approval: ${call}\nDecide at ${at}, or answer \`approve ${id}\` or \`reject ${id} WHY\`.`,
    plan: (at: string, id: string) =>
      `Waiting for approval of the plan.\nDecide at ${at}, or answer \`approve ${id}\` or \`reject ${id} WHY\`.`,
    step: (says: string, at: string, id: string) =>
      `${says || 'The workflow needs an approval.'}\nDecide at ${at}, or answer \`approve ${id}\` or \`reject ${id} WHY\`.`,
  },
  'zh-CN': {
    approval: (call: string, at: string, id: string) =>
      `等待授权：${call}\n可在 ${at} 决定，或回复 \`批准 ${id}\` 或 \`拒绝 ${id} 原因\`。`,
    plan: (at: string, id: string) => `计划等待授权。\n可在 ${at} 决定，或回复 \`批准 ${id}\` 或 \`拒绝 ${id} 原因\`。`,
    step: (says: string, at: string, id: string) =>
      `${says || '工作流等待批准。'}\n可在 ${at} 决定，或回复 \`批准 ${id}\` 或 \`拒绝 ${id} 原因\`。`,
  },
} as const

/** What waits for a human, in words: the call with its arguments and where to decide, or the question. `at`: the page of its session. */
export function waitingWords(item: Pending, { language, at }: { language: Language; at: string }): string {
  if (item.type === 'question') {
    const options = (item.options ?? []).map((option) => `\n- ${option}`).join('')
    return `${item.question ?? ''}${options}`
  }
  const texts = TEXTS[language]
  if (item.tool === undefined) return texts.plan(at, item.id)
  const agreed = stepApproval(item)
  if (agreed !== null) return texts.step(agreed.trim(), at, item.id)
  return texts.approval(`${item.tool} ${JSON.stringify(item.arguments ?? {})}`, at, item.id)
}
