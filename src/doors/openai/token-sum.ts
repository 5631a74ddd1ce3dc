import type { TokenUsage } from '../../domain/usage.ts'

/** Tokens of the model calls that one answer took. A run that waits for its caller has several: clients add up what each says. */
export class TokenSum {
  readonly #sum: TokenUsage = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }

  add(spent: TokenUsage): void {
    this.#sum.prompt_tokens += spent.prompt_tokens
    this.#sum.completion_tokens += spent.completion_tokens
    this.#sum.cached_tokens += spent.cached_tokens
    this.#sum.reasoning_tokens += spent.reasoning_tokens
  }

  get total(): Readonly<TokenUsage> {
    return this.#sum
  }
}
