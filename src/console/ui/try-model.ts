import type { ModelInfo } from '../../domain/model.ts'
import { client } from '../api.ts'
import { viewTexts, moneyText } from '../language.ts'

interface Trial {
  usage: { model_calls: number }
  error: { code: string; detail: string; message?: string; hint?: string } | null
}

/** One short call of a model, of which nothing is kept; how long it took. Rejects with why it did not answer. */
export async function answerMs(model: string): Promise<number> {
  const began = performance.now()
  const body = {
    messages: [{ role: 'user', content: 'Say ok.' }],
    config: { model, llm: { max_tokens: 200 }, limits: { max_iterations: 1, max_iterations_total: 1 } },
  }
  const { usage, error } = await client.value.json<Trial>({ method: 'POST', path: '/v1/agent', body })
  if (usage.model_calls === 0) throw new Error(`${error?.code ?? ''}: ${error?.detail ?? ''}`)
  return Math.round(performance.now() - began)
}

/** What a million tokens cost. */
export function modelPriceText({ price }: Pick<ModelInfo, 'price'>): string | null {
  if (!price) return null
  const { prompt_per_mtok: prompt, completion_per_mtok: completion, currency } = price
  const money = (amount: number) => moneyText({ amount, currency })
  return viewTexts().words.price(money(prompt), money(completion))
}
