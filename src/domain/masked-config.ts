import type { SessionConfig } from './config.ts'

/** What is shown in the place of a secret. */
export const SECRET_MASK = '***'

/** A config as it is shown. */
export function maskConfig(config: SessionConfig): SessionConfig {
  return config.llm?.api_key === undefined ? config : { ...config, llm: { ...config.llm, api_key: SECRET_MASK } }
}

/** A config that came back masked keeps the secret that it stood for, or has none. */
export function unmasked(config: SessionConfig, known: SessionConfig): SessionConfig {
  if (config.llm?.api_key !== SECRET_MASK) return config
  const { api_key: _, ...llm } = config.llm
  const secret = known.llm?.api_key
  return { ...config, llm: secret === undefined ? llm : { ...llm, api_key: secret } }
}
