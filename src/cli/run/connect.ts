import { randomBytes } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type Client } from '../../client/client.ts'
import type { Language } from '../../domain/language.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import type { Context } from '../context.ts'
import { requestLanguage } from '../texts.ts'
import { keyFor, longEnough, servedAt } from '../serve/admin-key.ts'
import { claimDataFolder, DATA_FOLDER, type FolderClaim } from '../serve/data-folder.ts'
import { readConfigFile } from '../serve/config-file.ts'
import { type Environment, missingModelKey } from '../serve/environment.ts'
import { CommandError, usageError } from '../exit.ts'
import { startServer } from '../serve/server.ts'
import { fetchOfYaa } from './yaa-alone.ts'

export interface ClientFlags {
  server?: string
  key?: string
  config?: string
  data?: string
  /** It changes what is kept, or goes on with it: beside a running server another folder would not do. */
  kept?: boolean
}

export interface Connected {
  client: Client
  /** Flags with which another command reaches the same sessions. */
  flags: string[]
  /** True where nobody has said which language sessions are in: the words of the task may. */
  languageOpen: boolean
  /** Ends the server if it was started for this command. */
  close: () => Promise<void>
}

const OWN_KEY_BYTES = 32
/** Folders tried when the default one is in use by a running server: `.yaa/2`, `.yaa/3`, … */
const OWN_FOLDERS_MAX = 9

/** The server that is named, or one of our own. Ours listens on a free port, with the key of its data folder. It keeps its data in `.yaa/`, so that later commands can carry on its sessions; while another yaa runs there it takes `.yaa/2`, and so on.
 *  `fallback`: the language to ask for where the locale names none; without it sessions are in that of their words. */
export async function connect(context: Context, flags: ClientFlags, fallback?: Language): Promise<Connected> {
  const { env, texts } = context
  const named = requestLanguage(env)
  const language = named ?? fallback
  const config = flags.config === undefined ? null : readConfigFile(flags.config, texts)
  if (flags.server !== undefined) {
    return {
      client: createClient({
        server: flags.server,
        fetch: fetchOfYaa(flags.server.replace(/\/+$/, '')),
        language,
        key: keyFor(flags.server, flags.key, env, flags.data ?? DATA_FOLDER),
      }),
      flags: ['--server', flags.server],
      languageOpen: false,
      close: async () => {},
    }
  }
  const data = ownFolder(flags, context)
  const log = join(data.folder, 'command.log')
  writeFileSync(log, '')
  const server = await startServer({
    config,
    data,
    port: 0,
    env: { ...env, ...ownKey(context, flags, config) },
    texts,
    onLine: (line) => appendFileSync(log, `${line}\n`),
  })
  return {
    client: createClient({ server: `http://127.0.0.1:${server.port}`, key: server.access.key ?? undefined, language }),
    flags: [
      ...(flags.config === undefined ? [] : ['--config', flags.config]),
      ...(data.folder === DATA_FOLDER ? [] : ['--data', data.folder]),
    ],
    languageOpen: config?.language === undefined && named === undefined,
    close: () => server.stop(),
  }
}

/** The folder of a server of our own. Where a server runs on the one that was meant, its sessions are elsewhere: that is said. */
function ownFolder({ data: wanted, kept }: ClientFlags, { texts, stderr }: Context): FolderClaim {
  const folders = wanted === undefined ? defaultFolders() : [wanted]
  const [meant = DATA_FOLDER] = folders
  const url = servedAt(meant)
  if (url !== null && (kept || wanted !== undefined)) throw new CommandError(texts.dataServed(meant, url))
  const data = claimDataFolder(folders, texts)
  if (url !== null && data.folder !== meant) stderr.write(`${texts.otherFolder(meant, url, data.folder)}\n`)
  return data
}

/** A server of our own whose model has no key would only fail: that is said before it starts. */
export function checkModelKey({ env, texts }: Context, { server, config }: ClientFlags): void {
  const name = server === undefined && config !== undefined ? missingModelKey(readConfigFile(config, texts), env) : null
  if (name !== null) throw usageError(texts.modelKeyMissing(name))
}

/** The key that was given; one that only this process knows where the config's `auth` is the only other way in. */
function ownKey({ env, texts }: Context, { key }: ClientFlags, config: ServerConfig | null): Environment {
  if (key !== undefined) return { YAA_API_KEY: longEnough('--key', key, texts) }
  const isClosed = config?.auth !== undefined && !env['YAA_API_KEY']
  return isClosed ? { YAA_API_KEY: randomBytes(OWN_KEY_BYTES).toString('base64url') } : {}
}

const defaultFolders = () => [
  DATA_FOLDER,
  ...Array.from({ length: OWN_FOLDERS_MAX - 1 }, (_, index) => join(DATA_FOLDER, String(index + 2))),
]

/** The command that carries a session on, ready to be pasted into a shell. */
export const carryOn = (id: string, place: readonly string[]): string =>
  ['npx yaa chat --session', id, ...place.map(quoted)].join(' ')

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
