import type { TokenUsage } from '../../domain/usage.ts'

/** Tokens of one model. What a service does not say is absent. */
interface ModelTokens {
  model: string
  inputTokens: number
  outputTokens: number
  totalTokens: number
  reasoningTokens?: number
  cachedInputTokens?: number
}

/** Tokens of the model calls of one run of theirs, by model. */
export class RunUsage {
  readonly #sums = new Map<string, TokenUsage>()

  add(model: string, spent: TokenUsage): void {
    const sum = this.#sums.get(model) ?? {
      prompt_tokens: 0,
      completion_tokens: 0,
      cached_tokens: 0,
      reasoning_tokens: 0,
    }
    this.#sums.set(model, {
      prompt_tokens: sum.prompt_tokens + spent.prompt_tokens,
      completion_tokens: sum.completion_tokens + spent.completion_tokens,
      cached_tokens: sum.cached_tokens + spent.cached_tokens,
      reasoning_tokens: sum.reasoning_tokens + spent.reasoning_tokens,
    })
  }

  /** None where no model was called. */
  get told(): { usage?: ModelTokens[] } {
    if (this.#sums.size === 0) return {}
    return { usage: [...this.#sums].map(([model, sum]) => tokensOf(model, sum)) }
  }
}

function tokensOf(model: string, sum: TokenUsage): ModelTokens {
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens, cached_tokens: cached } = sum
  return {
    model,
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(sum.reasoning_tokens > 0 ? { reasoningTokens: sum.reasoning_tokens } : {}),
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
  }
}
