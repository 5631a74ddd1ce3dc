import type { Usage } from '../../domain/usage.ts'
import { compactText, moneyText, texts } from '../language.ts'

/** What a run or a session took, in a few words. */
export function UsageText({ usage }: { usage: Usage }) {
  const t = texts().chat
  if (usage.total_tokens === 0) return null
  return (
    <span class="usage" title={t.calls(usage.model_calls, usage.tool_calls)}>
      {t.tokens(compactText(usage.total_tokens))}
      {usage.cost === null ? '' : ` · ${moneyText(usage.cost)}`}
    </span>
  )
}
