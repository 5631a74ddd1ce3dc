import { openSync, writeSync } from 'node:fs'
import type { ServerConfig } from '../../domain/server-config.ts'
import type { Context } from '../context.ts'
import { CommandError, EXIT, usageError } from '../exit.ts'
import { quoted } from '../run/connect.ts'
import { onInterrupt } from '../run/input.ts'
import type { AdminKey } from '../serve/admin-key.ts'
import { claimDataFolder, DATA_FOLDER } from '../serve/data-folder.ts'
import { RESTARTS_MAX } from '../serve/keep-running.ts'
import { namedSecrets } from '../serve/environment.ts'
import { bannerLines, openLine, type Started } from '../serve/banner.ts'
import { humanLine, isHealthRequest, isInnerNote } from '../serve/log-lines.ts'
import { startServer, type RunningServer } from '../serve/server.ts'
import type { TerminalTexts } from '../texts.ts'
import { colorsFor } from '../view/text.ts'

export interface ServeFlags {
  port: number
  config?: string
  data: string
  log?: string
}

/** Serves until SIGINT or SIGTERM. */
export async function serve(context: Context, flags: ServeFlags): Promise<number> {
  const { env, texts, stdout } = context
  const config =
    flags.config === undefined ? null : (await import('../serve/config-file.ts')).readConfigFile(flags.config, texts)
  const log = flags.log === undefined ? null : openLog(flags.log, texts.logUnwritable(flags.log))
  const print = (line: string) => {
    stdout.write(`${line}\n`)
    log?.(JSON.stringify({ timestamp: Date.now(), level: 'info', message: line.trim() }))
  }
  const warnings = await warningsOf(config, context)
  const checkSkills = async () => {
    const { skillProblems } = await import('../serve/skills.ts')
    for (const { skill, path, message } of await skillProblems(config ?? {}))
      warnings.push(texts.skillLeftOut(skill, path, message))
  }
  const interrupted = new Promise<'interrupted'>(
    (resolve) =>
      void onInterrupt(
        () => resolve('interrupted'),
        () => process.exit(EXIT.failed),
      ),
  )
  const data = claimDataFolder([flags.data], texts)
  const lines = log === null ? heldLines(context) : { onLine: log, release: () => {} }
  const { onLine } = lines
  const starting = startServer({ config, data, port: flags.port, env, texts, onLine, meanwhile: checkSkills })
  const server = await Promise.race([starting, interrupted])
  if (server === 'interrupted') return stopped(starting, () => print(texts.stopping))
  const started = startedOf(server, flags.data, wayIn(server.access, config, flags.data, texts))
  for (const line of bannerLines(started, texts)) print(line)
  // The key itself goes to who started the server, and into no log.
  stdout.write(`${openLine(started, texts)}\n`)
  for (const line of warnings) print(`! ${line}`)
  lines.release()
  return untilTheEnd(server, interrupted, () => print(texts.stopping), texts)
}

/** What of a config will not work, or not as it may seem. */
async function warningsOf(config: ServerConfig | null, { env, texts }: Context): Promise<string[]> {
  if (config === null) return []
  const missing = namedSecrets(config, env).missing.map(({ name, path }) => texts.secretMissing(name, path))
  const place = config.place ? [texts.placeIgnored] : []
  if (config.models === undefined) return [...missing, ...place]
  const { unheldBounds } = await import('../serve/prices.ts')
  const unheld = unheldBounds(config).map(({ alias, path, currency }) => texts.boundUnheld(alias, path, currency))
  return [...missing, ...place, ...unheld]
}

/** The lines of the server on stderr, none of them before `release`: JSON for programs, words for who looks at a terminal.
 *  What workerd notes for its makers is in a log alone. */
function heldLines({ stderr, env }: Context): { onLine: (line: string) => void; release: () => void } {
  const colors = colorsFor(stderr, env)
  const write = (line: string) => void stderr.write(`${stderr.isTTY ? humanLine(line, colors) : line}\n`)
  let held: string[] | null = []
  return {
    onLine: (line) => {
      if (isInnerNote(line)) return
      if (held === null) write(line)
      else held.push(line)
    },
    release: () => {
      for (const line of held ?? []) if (!isHealthRequest(line)) write(line)
      held = null
    },
  }
}

function startedOf({ url, health, access }: RunningServer, dataFolder: string, key: string): Started {
  const newKey = access.source === 'made' ? access.key : null
  return { url, model: health.default_model ?? null, dataFolder, key, newKey }
}

/** One line that says how clients are let in. */
function wayIn({ source }: AdminKey, config: ServerConfig | null, data: string, texts: TerminalTexts): string {
  if (source === 'made' || source === 'folder')
    return texts.keptKey(data === DATA_FOLDER ? '' : ` --data ${quoted(data)}`)
  const { keys = [], jwt = [], access } = config?.auth ?? {}
  const isClosed = source === 'none' && keys.length === 0 && jwt.length === 0 && access === undefined
  return isClosed ? texts.noWayIn : texts.keyed
}

/** A server that is stopped before it is there: what its start makes of that is of no interest. */
async function stopped(starting: Promise<RunningServer>, onStop: () => void): Promise<number> {
  onStop()
  await starting.then(
    (server) => server.stop(),
    () => {},
  )
  return EXIT.ok
}

async function untilTheEnd(
  server: RunningServer,
  interrupted: Promise<'interrupted'>,
  onStop: () => void,
  texts: TerminalTexts,
): Promise<number> {
  const first = await Promise.race([interrupted, server.exited])
  if (first === 'interrupted') onStop()
  await server.stop()
  if (first === 'interrupted') return EXIT.ok
  throw new CommandError(texts.endedTooOften(RESTARTS_MAX, first.output.trim().split('\n').at(-1) ?? ''))
}

/** A function that appends one line to the file; it is made if need be. */
function openLog(file: string, problem: string): (line: string) => void {
  try {
    const descriptor = openSync(file, 'a', 0o600)
    return (line) => void writeSync(descriptor, `${line}\n`)
  } catch {
    throw usageError(problem)
  }
}
