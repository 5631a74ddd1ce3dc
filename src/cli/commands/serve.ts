import { openSync, writeSync } from 'node:fs'
import type { ServerConfig } from '../../domain/server-config.ts'
import type { Context } from '../context.ts'
import { CommandError, EXIT, usageError } from '../exit.ts'
import { onInterrupt } from '../run/input.ts'
import type { AdminKey } from '../serve/admin-key.ts'
import { claimDataFolder } from '../serve/data-folder.ts'
import { RESTARTS_MAX } from '../serve/keep-running.ts'
import { namedSecrets } from '../serve/environment.ts'
import { startServer, type RunningServer } from '../serve/server.ts'
import type { TerminalTexts } from '../texts.ts'

export interface ServeFlags {
  port: number
  config?: string
  data: string
  log?: string
}

/** Serves until SIGINT or SIGTERM. */
export async function serve(context: Context, flags: ServeFlags): Promise<number> {
  const { env, texts, stdout, stderr } = context
  const config =
    flags.config === undefined ? null : (await import('../serve/config-file.ts')).readConfigFile(flags.config, texts)
  const log = flags.log === undefined ? null : openLog(flags.log, texts.logUnwritable(flags.log))
  const print = (line: string) => {
    stdout.write(`${line}\n`)
    log?.(JSON.stringify({ timestamp: Date.now(), level: 'info', message: line }))
  }
  for (const { name, path } of config === null ? [] : namedSecrets(config, env).missing)
    print(texts.secretMissing(name, path))
  if (config?.place) print(texts.placeIgnored)
  if (config?.models !== undefined) {
    const { unheldBounds } = await import('../serve/prices.ts')
    for (const { alias, path, currency } of unheldBounds(config)) print(texts.boundUnheld(alias, path, currency))
  }
  const checkSkills = async () => {
    const { skillProblems } = await import('../serve/skills.ts')
    for (const { skill, path, message } of await skillProblems(config ?? {}))
      print(texts.skillLeftOut(skill, path, message))
  }
  const interrupted = new Promise<'interrupted'>(
    (resolve) =>
      void onInterrupt(
        () => resolve('interrupted'),
        () => process.exit(EXIT.failed),
      ),
  )
  const data = claimDataFolder([flags.data], texts)
  const onLine = log ?? ((line: string) => void stderr.write(`${line}\n`))
  const server = await startServer({ config, data, port: flags.port, env, texts, onLine, meanwhile: checkSkills })
  print(texts.model(server.health.default_model ?? texts.modelUnknown))
  print(wayIn(server.access, config, texts))
  // The key itself goes to who started the server, and into no log.
  if (server.access.source === 'made') stdout.write(`${texts.openConsole(`${server.url}/#key=${server.access.key}`)}\n`)
  print(texts.ready(server.url))
  return untilTheEnd(server, interrupted, () => print(texts.stopping), texts)
}

/** One line that says how clients are let in. */
function wayIn({ source }: AdminKey, config: ServerConfig | null, texts: TerminalTexts): string {
  if (source === 'made' || source === 'folder') return texts.keptKey
  const { keys = [], jwt = [], access } = config?.auth ?? {}
  const isClosed = source === 'none' && keys.length === 0 && jwt.length === 0 && access === undefined
  return isClosed ? texts.noWayIn : texts.keyed
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
