import catalogue from '../../configs/models.json' with { type: 'json' }
import type { Protocol } from '../domain/model.ts'
import type { Price } from '../domain/usage.ts'

/** A model of a service that is known beyond its config. */
export interface KnownModel {
  /** Tokens that the model takes at most. */
  contextWindow: number
  protocol: Protocol
  /** It takes images. */
  vision: boolean
  price: Price
  /** The page that the price is from, and the day of which it is. */
  source: { url: string; date: string }
  /** Prompts up to which the price holds; longer ones are dearer. Null: any. */
  promptTokensMax: number | null
}

/** One service of configs/models.json. Prices are per million tokens, at the dearest time of the day; `cached` absent: as the prompt. */
export interface ListedProvider {
  provider: string
  /** Hosts of its addresses; none for a service that is reached by a binding. */
  hosts: string[]
  protocol: Protocol
  /** Its models take images, unless one says otherwise; absent: they do not. */
  vision?: boolean
  currency: string
  source: string
  date: string
  models: Record<string, ListedPrice>
}

interface ListedPrice {
  context_window: number
  prompt_tokens_max?: number
  vision?: boolean
  prompt: number
  cached?: number
  completion: number
  /** Where they are others than those of its service. */
  source?: string
  date?: string
}

/** Every service that is known. The file is checked by test/unit/models/catalogue.test.ts. */
export const LISTED_PROVIDERS = catalogue.providers as readonly ListedProvider[]

/** What is known of a model at an address: by the host and the exact name, since a name means another price elsewhere. */
export function knownModel(provider: string, apiUrl: string, model: string): KnownModel | null {
  const listed = LISTED_PROVIDERS.find((one) => isOf(one, provider, apiUrl) && Object.hasOwn(one.models, model))
  const found = listed?.models[model]
  if (!listed || !found) return null
  return {
    contextWindow: found.context_window,
    protocol: listed.protocol,
    vision: found.vision ?? listed.vision ?? false,
    price: priceOf(found, listed.currency),
    source: { url: found.source ?? listed.source, date: found.date ?? listed.date },
    promptTokensMax: found.prompt_tokens_max ?? null,
  }
}

function isOf({ provider: name, hosts }: ListedProvider, provider: string, apiUrl: string): boolean {
  if (provider !== 'openai') return name === provider
  const url = URL.parse(apiUrl)
  return url !== null && url.protocol === 'https:' && hosts.includes(url.host)
}

function priceOf({ prompt, cached, completion }: ListedPrice, currency: string): Price {
  return {
    prompt_per_mtok: prompt,
    ...(cached === undefined ? {} : { cached_per_mtok: cached }),
    completion_per_mtok: completion,
    currency,
  }
}
