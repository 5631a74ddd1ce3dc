import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ACCESS_LIMITS } from '../../domain/access-limits.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { SEAL_KEY_CHARS_MIN } from '../../lib/seal.ts'
import { SECRET_CHARS_MIN } from '../../lib/secret.ts'
import { CommandError, usageError } from '../exit.ts'
import type { TerminalTexts } from '../texts.ts'
import { isFolderHeld, keep, keptText, readKept, whyUnwritable } from './data-folder.ts'
import type { Environment } from './environment.ts'

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

const keyFile = (folder: string) => join(folder, 'key')
const portFile = (folder: string) => join(folder, 'port')

/** The admin key of a server. `made`: just now, so that nobody knows it yet. Null: its config says who is let in. */
export interface AdminKey {
  key: string | null
  source: 'environment' | 'folder' | 'made' | 'none'
}

/** The key of the environment; else, where the config says nothing of who is let in, that of the data folder, made at its first start. */
export function adminKeyOf(
  env: Environment,
  config: ServerConfig | null,
  folder: string,
  texts: TerminalTexts,
): AdminKey {
  const given = givenSecret(env, 'YAA_API_KEY', texts)
  if (given !== null) return { key: given, source: 'environment' }
  if (config?.auth) return { key: null, source: 'none' }
  const isKnown = readKept(keyFile(folder)) !== null
  return { key: keptText(folder, 'key', texts), source: isKnown ? 'folder' : 'made' }
}

/** A secret of the environment that nobody can guess; null: it is not set. */
export function givenSecret(env: Environment, name: keyof typeof CHARS_MIN, texts: TerminalTexts): string | null {
  return env[name] ? longEnough(name, env[name], texts, CHARS_MIN[name]) : null
}

const CHARS_MIN = {
  YAA_API_KEY: ACCESS_LIMITS.secretCharsMin,
  YAA_SECRET: SECRET_CHARS_MIN,
  YAA_SECRETS_KEY: SEAL_KEY_CHARS_MIN,
}

/** Throws a usage error that names what holds a secret which can be guessed. */
export function longEnough(
  name: string,
  secret: string,
  texts: TerminalTexts,
  minimum: number = ACCESS_LIMITS.secretCharsMin,
): string {
  if (secret.length >= minimum) return secret
  throw usageError(texts.told(name, texts.expected(texts.atLeast(minimum, 'string'))))
}

/** Where a running server is reached stands beside its key; the returned function forgets it. A disk that is full keeps no server from its start:
 *  then `onProblem` is told why, and the terminal is to be told where the server is. */
export function recordPort(folder: string, port: number, onProblem: (reason: string) => void): () => void {
  const forget = () => rmSync(portFile(folder), { force: true })
  try {
    keep(portFile(folder), String(port))
  } catch (error) {
    forget()
    onProblem(whyUnwritable(error))
  }
  return forget
}

/** Where the server is that runs on a folder; null: none does. */
export function servedAt(folder: string): string | null {
  const port = isFolderHeld(folder) ? readKept(portFile(folder)) : null
  return port === null ? null : `http://localhost:${port}`
}

/** What the terminal takes a key from, in this order: what it is told, the environment, the folder of a running server. The last is sent to
 *  that server alone: by plain HTTP to this machine, at the port that it wrote down, while it holds its folder. */
export function keyFor(server: string, told: string | undefined, env: Environment, folder: string): string | undefined {
  const given = told ?? (env['YAA_API_KEY'] || undefined)
  if (given !== undefined) return given
  const { protocol, hostname, port } = new URL(server)
  if (protocol !== 'http:' || !LOOPBACK_NAMES.includes(hostname)) return undefined
  const isIts = readKept(portFile(folder)) === (port || '80') && isFolderHeld(folder)
  return isIts ? (readKept(keyFile(folder)) ?? undefined) : undefined
}

/** The key that clients on this machine have to show. */
export function knownKey(env: Environment, folder: string, texts: TerminalTexts): string {
  const key = env['YAA_API_KEY'] || readKept(keyFile(folder))
  if (!key) throw new CommandError(texts.noKey(folder))
  return key
}
