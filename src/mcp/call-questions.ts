import type { ElicitResult } from '@modelcontextprotocol/client'
import { LIMITS } from '../domain/limits.ts'
import { canonicalJson, fingerprint } from '../lib/hash.ts'
import type { InputWanted } from './elicitation.ts'

type Params = Record<string, unknown>

/**
 * What a server of an older revision asks in the middle of a call. No stream is held open until a human has time: what is not
 * answered yet is told `cancel`, and the call is made again when it is. A question is known by its words and its form.
 */
export class CallQuestions {
  readonly #responses: InputWanted['responses']
  readonly #requests: InputWanted['requests'] = {}
  readonly #times = new Map<string, number>()
  readonly #cancelled = new Set<string>()

  constructor(input: InputWanted | null) {
    this.#responses = input?.responses ?? {}
  }

  /** The user's answer to it, else `cancel`. */
  answer(params: Params): ElicitResult {
    const words = wordsOf(params)
    const print = fingerprint(canonicalJson(words))
    const times = this.#times.get(print) ?? 0
    this.#times.set(print, times + 1)
    const response = this.#responses[`${print}:${times}`]
    if (response !== undefined) return response as ElicitResult
    if (!this.#cancelled.has(print) && isBounded(words, this.#cancelled.size))
      this.#requests[`${print}:${times}`] = { method: 'elicitation/create', params: words }
    this.#cancelled.add(print)
    return { action: 'cancel' }
  }

  /** What the user is to be asked before the call is made again; null: nothing. */
  get wanted(): Pick<InputWanted, 'requests' | 'responses' | 'isCancelled'> | null {
    if (Object.keys(this.#requests).length === 0) return null
    return { requests: this.#requests, responses: this.#responses, isCancelled: true }
  }
}

function wordsOf({ mode, message, url, requestedSchema }: Params): Params {
  return mode === 'url' ? { mode, message, url } : { message, requestedSchema }
}

function isBounded(words: Params, questions: number): boolean {
  return questions < LIMITS.mcp.roundsMax && JSON.stringify(words).length <= LIMITS.mcp.schemaCharsMax
}
