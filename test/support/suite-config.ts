import { overridable } from '../../src/domain/config.ts'
import type { ServerConfig } from '../../src/domain/server-config.ts'
import type { PeerAddresses } from './peers.ts'

/** Values of the variables that the config names. */
export const SUITE_SECRETS: Readonly<Record<string, string>> = { PAGES_TOKEN: 'tok-7f3a/secret&"x"' }

/** The server that the suites speak to. Tests choose their script by `llm.extra_body.script`, everything else by the session's config. */
export function suiteConfig({ modelUrl, pagesHost, pagesUrl, receiversUrl }: PeerAddresses): ServerConfig {
  const scripted = {
    api_url: modelUrl,
    model: 'unnamed',
    max_tokens: 1_000,
    retry: { times: 0 },
    context_tokens: 200_000,
    allow_override: overridable.options,
  }
  return {
    budgets: {
      tenants: {
        'ten-thousand-a-day': { day: { max_total_tokens: 10_000 } },
        'four-fen-a-day': { day: { max_cost: { amount: 0.04, currency: 'CNY' } } },
      },
      user: { day: { max_total_tokens: 900_000 } },
    },
    models: {
      scripted,
      wide: { ...scripted, context_tokens: 8_000_000 },
      structured: { ...scripted, quirks: { structured_output: true } },
      small: { ...scripted, max_tokens: 500, context_tokens: 6_000 },
      'window-2k': { ...scripted, context_tokens: 2_000 },
      'window-4k': { ...scripted, context_tokens: 4_000 },
      'window-8k': { ...scripted, context_tokens: 8_000 },
      fixed: { ...scripted, allow_override: ['temperature'] },
      narrow: { ...scripted, max_concurrency: 1 },
      priced: { ...scripted, price: { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' } },
    },
    default_model: 'scripted',
    web: { allow_private_hosts: [pagesHost, new URL(receiversUrl).host], body_bytes_max: 200_000 },
    limits: { max_plan_rounds: 20 },
    secrets: { PAGES: { origin: new URL(pagesUrl).origin, value_env: 'PAGES_TOKEN' } },
  }
}
