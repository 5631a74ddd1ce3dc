import type { ModelInfo } from '../../domain/model.ts'
import { client } from '../api.ts'
import { language, viewTexts, moneyText, texts } from '../language.ts'

/** What a test of a model found. */
export interface ModelTrial {
  ms: number
  answer: string
}

interface Answer {
  result: string | null
  usage: { model_calls: number }
  messages: { role: string; content: unknown }[]
  /** `detail`: in English, with what the service said; `message`: in the language of the page. */
  error: { code: string; detail: string; message?: string } | null
}

/** One short call, of which nothing is kept: of a model that is there (`llm`: with what is changed of it), or of one as it is written. Rejects
 *  with why it did not answer, in words, and what to do. */
export async function askModel(chosen: { model?: string; llm?: Record<string, unknown> }): Promise<ModelTrial> {
  const began = performance.now()
  const llm = { max_tokens: 200, ...chosen.llm }
  const { usage, error, messages, result } = await client.value.json<Answer>({
    method: 'POST',
    path: '/v1/agent',
    body: {
      messages: [{ role: 'user', content: 'Say ok.' }],
      config: { ...chosen, llm, limits: { max_iterations: 1, max_iterations_total: 1 } },
    },
  })
  if (usage.model_calls === 0) throw new Error(silenceText(error))
  const said = messages.find(({ role }) => role === 'assistant')?.content
  return { ms: Math.round(performance.now() - began), answer: result ?? (typeof said === 'string' ? said : '') }
}

/** Why a model did not answer, and what is to be checked. What its service said is in English. */
function silenceText(error: Answer['error']): string {
  const { why, other } = viewTexts().modelTrial
  if (error === null) return other
  const { code, detail, message } = error
  const words = why[code] ?? (language.value === 'en' ? detail : (message ?? detail))
  return code === 'model_rejected' ? texts().told(words, detail) : words
}

/** What a million tokens cost. */
export function modelPriceText({ price }: Pick<ModelInfo, 'price'>): string | null {
  if (!price) return null
  const { prompt_per_mtok: prompt, completion_per_mtok: completion, currency } = price
  const money = (amount: number) => moneyText({ amount, currency })
  return viewTexts().words.price(money(prompt), money(completion))
}
