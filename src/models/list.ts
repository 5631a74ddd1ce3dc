import type { PriceSource, Protocol } from '../domain/model.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import type { Price } from '../domain/usage.ts'
import { allAliases, aliasConfig, defaultAlias, type ModelEnv } from './aliases.ts'
import { aliasSpec } from './resolve.ts'

/** A model as GET /v1/models shows it: no address, no key. */
export interface ListedModel {
  id: string
  object: 'model'
  provider: string
  model: string
  protocol: Protocol
  /** Null: not known, so that its cost is not either. */
  price: Price | null
  price_source: PriceSource | null
  /** Tokens that the model itself takes; null: not known. */
  context_window: number | null
  context_tokens: number
  max_tokens: number
  default: boolean
}

/** Every model that a session of this server may name, those of the config first, the built-in one always among them. */
export function listModels(server: ServerConfig, env: ModelEnv): ListedModel[] {
  const chosen = defaultAlias(server, env)
  return Object.keys(allAliases(server, env)).flatMap((alias) => {
    const config = aliasConfig(alias, server, env)
    if (config === null) return []
    const spec = aliasSpec(alias, config, { secret: () => undefined })
    return [
      {
        id: alias,
        object: 'model',
        provider: spec.provider,
        model: spec.model,
        protocol: spec.protocol,
        price: spec.price,
        price_source: spec.priceSource,
        context_window: spec.contextWindow,
        context_tokens: spec.contextTokens,
        max_tokens: spec.maxTokens,
        default: alias === chosen,
      },
    ]
  })
}
