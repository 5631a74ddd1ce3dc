import bundled from '#server-config'
import type { ServerConfig } from '../domain/server-config.ts'
import type { Env } from './env.ts'

/** The config of the environment, once it was checked. */
let checked: { text: string; config: ServerConfig } | null = null

/** The config of the server; null: the environment has one that was not checked yet. The bundled one was checked when it was bundled
 *  (src/build/bundle.ts), so that nothing has to be loaded for it. */
export function knownConfig({ YAA_CONFIG: text }: Env): ServerConfig | null {
  if (!text) return bundled
  return checked?.text === text ? checked.config : null
}

/** The same, checked first where it was not yet. */
export async function readConfig(env: Env): Promise<ServerConfig> {
  const known = knownConfig(env)
  if (known) return known
  const { serverConfig } = await import('../models/providers.ts')
  return configCheckedBy((given) => serverConfig.parse(given), env)
}

/** The same at once, for whoever has loaded what checks it. */
export function configCheckedBy(check: (given: unknown) => ServerConfig, env: Env): ServerConfig {
  const known = knownConfig(env)
  if (known) return known
  const text = env.YAA_CONFIG ?? ''
  checked = { text, config: check(JSON.parse(text)) }
  return checked.config
}
