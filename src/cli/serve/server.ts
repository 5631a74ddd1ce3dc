import { join, resolve } from 'node:path'
import { workerFolder, type WorkerFolder } from '../../build/kept-worker.ts'
import { assetsFolder } from '../../build/pages.ts'
import { createClient } from '../../client/client.ts'
import type { Health } from '../../domain/health.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { CommandError } from '../exit.ts'
import type { TerminalTexts } from '../texts.ts'
import { type AdminKey, adminKeyOf, recordPort, givenSecret } from './admin-key.ts'
import { type FolderClaim, keptText } from './data-folder.ts'
import { type Environment, namedSecrets } from './environment.ts'
import { keepRunning } from './keep-running.ts'
import { loggedWords } from './log-lines.ts'
import { type Exit, launchWorkerd, type Workerd } from './launch.ts'
import type { Fetch } from '../../domain/ports.ts'
import * as z from 'zod'

const HEALTH_TIMEOUT_MS = 10_000
const HEALTH_PAUSE_MS = 20
/** Files that a server may have open before its operator is told. */
const FILES_MIN = 8_192

interface ServerOptions {
  /** Null: the config that the Worker is bundled with. */
  config: ServerConfig | null
  /** Is released when the server has ended. */
  data: FolderClaim
  port: number
  env: Environment
  texts: TerminalTexts
  onLine: (line: string) => void
  /** What is done while workerd starts. */
  meanwhile?: () => Promise<void>
}

export interface RunningServer {
  url: string
  port: number
  access: AdminKey
  health: Health
  /** When it was stopped, or ended by itself too often. */
  exited: Promise<Exit>
  /** Asks workerd to end, kills it after 3 s, and lets the data folder go. */
  stop(): Promise<void>
}

/** Builds the Worker, runs it in workerd, again when that ends by itself, and waits until `/healthz` answers. Throws one clear line. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { data, env, config, texts, port } = options
  try {
    const secret = givenSecret(env, 'YAA_SECRET', texts) ?? keptText(data.folder, 'secret', texts)
    const secretsKey = givenSecret(env, 'YAA_SECRETS_KEY', texts) ?? keptText(data.folder, 'secrets-key', texts)
    const access = adminKeyOf(env, config, data.folder, texts)
    const ollama = await defaultOllama(config)
    const given = {
      ...workerEnvironment(options, ollama),
      YAA_SECRET: secret,
      YAA_SECRETS_KEY: secretsKey,
      YAA_SECRETS_KEY_BEFORE: env['YAA_SECRETS_KEY_BEFORE'],
      YAA_API_KEY: access.key ?? undefined,
    }
    const [first] = await Promise.all([launched(options, given, port), options.meanwhile?.()])
    return await running(first, access, options, () => launched({ ...options, port: first.port }, given, first.port))
  } catch (error) {
    data.release()
    throw error
  }
}

interface Launched {
  workerd: Workerd
  port: number
}

/** workerd with the Worker as it is built now, once it listens. */
async function launched(options: ServerOptions, env: Environment, port: number): Promise<Launched> {
  const [worker, assets] = await built(options)
  try {
    const workerd = launchWorkerd({
      config: join(worker.path, 'config.bin'),
      dataFolder: resolve(options.data.folder),
      assetsFolder: assets,
      port,
      env,
      onLine: options.onLine,
    })
    const listening = await workerd.listening
    if (!listening.ok) throw new CommandError(whyItEnded(listening.exit, options))
    warnOfFewFiles(workerd.filesMax, options)
    return { workerd, port: listening.port }
  } finally {
    worker.release()
  }
}

/** Each session that is in use holds some files open. */
function warnOfFewFiles(filesMax: number, { onLine, texts }: ServerOptions): void {
  if (filesMax < FILES_MIN) onLine(texts.fewFiles(filesMax, FILES_MIN))
}

/** The Worker, and the folder of what its pages load. */
async function built({ texts }: ServerOptions): Promise<[WorkerFolder, string]> {
  try {
    return await Promise.all([workerFolder(), assetsFolder()])
  } catch (error) {
    throw new CommandError(texts.buildFailed(buildProblem(error)))
  }
}

/** The first of esbuild's errors on one line. */
function buildProblem(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n')
  return lines.find((line) => line.includes('ERROR')) ?? lines[0] ?? ''
}

/** The server once it answers. */
async function running(
  { workerd, port }: Launched,
  access: AdminKey,
  { data, texts, onLine }: ServerOptions,
  again: () => Promise<Launched>,
): Promise<RunningServer> {
  const forgetPort = recordPort(data.folder, port, (reason) => onLine(texts.dataUnwritable(data.folder, reason)))
  const onEnd = (exit: Exit) => onLine(texts.startsAgain(exit.code, lastLine(exit.output)))
  const kept = keepRunning(workerd, async () => (await again()).workerd, onEnd)
  const stop = async () => {
    await kept.stop()
    forgetPort()
    data.release()
  }
  try {
    const health = await waitForHealth(port, workerd)
    return { url: `http://localhost:${port}`, port, access, health, exited: kept.exited, stop }
  } catch (error) {
    await stop()
    throw new CommandError(texts.notHealthy(error instanceof Error ? error.message : String(error)))
  }
}

/** Asks until it answers; it listens already, so that is the time of the Worker's own start. */
async function waitForHealth(port: number, workerd: Workerd): Promise<Health> {
  const client = createClient({ server: `http://127.0.0.1:${port}` })
  const deadline = Date.now() + HEALTH_TIMEOUT_MS
  for (;;) {
    try {
      return await client.health(AbortSignal.timeout(HEALTH_TIMEOUT_MS))
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
    const exit = await Promise.race([workerd.exited, pause(HEALTH_PAUSE_MS)])
    if (exit !== undefined) throw new Error(lastLine(exit.output))
  }
}

function workerEnvironment({ config, env }: ServerOptions, ollama: string | null): Environment {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'YAA_CONFORMANCE']
  return {
    ...Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    ...(config === null
      ? {}
      : { YAA_CONFIG: JSON.stringify(config), YAA_SECRETS: JSON.stringify(namedSecrets(config, env).found) }),
    ...(ollama === null ? {} : { YAA_OLLAMA: ollama }),
  }
}

/** Looked for only where it would be the default. */
const defaultOllama = async (config: ServerConfig | null) =>
  config?.default_model === undefined ? ollamaModel(fetch) : null

function whyItEnded({ output, code }: Exit, { texts, port, data }: ServerOptions): string {
  if (/Address already in use/i.test(output)) return texts.portInUse(port)
  if (/Permission denied/i.test(output) && /bind/i.test(output)) return texts.portRefused(port)
  if (/database is locked/i.test(output)) return texts.dataInUse(data.folder)
  return texts.ended(code, lastLine(output))
}

function lastLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return loggedWords(lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? '')
}

const pause = (ms: number) => new Promise<undefined>((done) => void setTimeout(done, ms, undefined))

const OLLAMA = 'http://127.0.0.1:11434/api/tags'
const TIMEOUT_MS = 300

const tags = z.object({ models: z.array(z.object({ name: z.string() })) })

/** The first model of an Ollama that answers on this machine; null: there is none. Source: Ollama's API, "List local models". */
async function ollamaModel(fetch: Fetch, address: string = OLLAMA): Promise<string | null> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return tags.parse(await response.json()).models[0]?.name ?? null
  } catch {
    return null
  }
}
