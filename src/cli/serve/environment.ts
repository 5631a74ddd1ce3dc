import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ROOT } from '../../build/bundle.ts'
import type { ServerConfig } from '../../domain/server-config.ts'

export type Environment = Record<string, string | undefined>

/** The process's environment over `.dev.vars` of the working folder, or else of the project. */
export function loadEnvironment(
  processEnv: Environment,
  folders: readonly string[] = [process.cwd(), ROOT],
): Environment {
  const file = folders.map((folder) => join(folder, '.dev.vars')).find((path) => existsSync(path))
  return file === undefined ? { ...processEnv } : { ...parseEnv(readFileSync(file, 'utf8')), ...processEnv }
}

export interface NamedSecrets {
  /** Values by the name of their variable. */
  found: Record<string, string>
  /** Where the config names a variable that is not set: path of the field and the variable's name. */
  missing: { path: string; name: string }[]
}

/** Values of every variable that the config names in a field that ends in `_env`. */
export function namedSecrets(config: ServerConfig, env: Environment): NamedSecrets {
  const secrets: NamedSecrets = { found: {}, missing: [] }
  for (const [path, name] of envFields(config, '')) {
    const value = env[name]
    if (value === undefined || value === '') secrets.missing.push({ path, name })
    else secrets.found[name] = value
  }
  return secrets
}

function* envFields(value: unknown, path: string): Generator<[path: string, name: string]> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`
    if (key.endsWith('_env')) yield* namesIn(inner, at)
    else yield* envFields(inner, at)
  }
}

/** One name, or a list of them. */
function* namesIn(value: unknown, path: string): Generator<[path: string, name: string]> {
  if (typeof value === 'string') yield [path, value]
  if (!Array.isArray(value)) return
  for (const [index, name] of value.entries()) if (typeof name === 'string') yield [`${path}.${index}`, name]
}

/** The variable that the default model of a config takes its key from, and nobody set; null: it needs none. */
export function missingModelKey(
  { default_model: alias = '', models = {} }: ServerConfig,
  env: Environment,
): string | null {
  const name = models[alias]?.api_key_env
  return name !== undefined && !env[name] ? name : null
}
