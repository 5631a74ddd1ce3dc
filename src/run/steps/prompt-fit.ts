import type { Language } from '../../domain/language.ts'
import type { ModelRequest, ModelSpec } from '../../domain/model.ts'
import { estimateTokens } from '../../lib/text.ts'
import { leastBudget } from '../../log/window.ts'
import { estimateRequest } from '../../models/estimate.ts'
import type { MoveContext } from '../../engine/engine.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import { codecFor } from '../../agent/codec.ts'
import { SECTIONS } from '../../agent/prompt-parts.ts'
import { promptFor, protocolOf } from './request.ts'

/** Parts of a prompt that are named: the largest ones. */
const NAMED_MAX = 6
/** Where a part of a prompt begins: at a title, or at the tag of a section. */
const PART = new RegExp(`^(?=#{1,6} |<(?:${Object.values(SECTIONS).flat().join('|')})>)`, 'm')

const TEXTS = {
  'zh-CN': (total: number, reply: number, window: number, parts: string) =>
    `提示词和工具约 ${total} 个 Token，回复最多 ${reply} 个，而窗口（context_tokens）只有 ${window} 个。占用最多的是：${parts}。`,
  en: (total: number, reply: number, window: number, parts: string) =>
    `The prompt and the tools take about ${total} tokens and the reply up to ${reply}, but the window (context_tokens) has ${window}. The largest parts: ${parts}.`,
} as const satisfies Record<Language, unknown>

/** Why a branch cannot ask its model anything: what is always said leaves no room for a message. Null: it does. */
export function promptMisfit(worker: Worker, context: MoveContext): { code: string; detail: string } | null {
  const { choice, offered: tools, language } = worker
  if (!choice.ok) return null
  const { spec } = choice
  const protocol = protocolOf(spec, context)
  const prompt = promptFor(protocol, worker, context.journal)
  const request = codecFor(protocol).encode({ prompt, messages: [], tools, language })
  const total = estimateRequest(request)
  if (total + spec.maxTokens + leastBudget(spec) <= spec.contextTokens) return null
  const parts = largestOf(request, prompt ?? '').map(([name, tokens]) => `${name} (${tokens})`)
  return { code: 'prompt_too_long', detail: detailOf(language, total, spec, parts) }
}

function detailOf(language: Language, total: number, spec: ModelSpec, parts: readonly string[]): string {
  return TEXTS[language](total, spec.maxTokens, spec.contextTokens, parts.join(language === 'en' ? ', ' : '、'))
}

/** What takes most: tools by their names, sections of the prompt (the skills, the memory, the instructions) by their titles. */
function largestOf({ tools = [] }: ModelRequest, prompt: string): [name: string, tokens: number][] {
  const offered = tools.map((tool): [string, number] => [tool.name, estimateTokens(JSON.stringify(tool))])
  const sections = prompt.split(PART).map((section): [string, number] => {
    const [title = ''] = section.split('\n', 1)
    return [
      `“${title
        .replace(/^#+ /, '')
        .replace(/^(<[^<>]+>).*/, '$1')
        .slice(0, 60)}”`,
      estimateTokens(section),
    ]
  })
  return [...offered, ...sections].toSorted(([, a], [, b]) => b - a).slice(0, NAMED_MAX)
}
