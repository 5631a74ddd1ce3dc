import { randomBytes } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type Client } from '../../client/client.ts'
import type { Context } from '../context.ts'
import { claimDataFolder } from '../serve/data-folder.ts'
import { readConfigFile } from '../serve/config-file.ts'
import { startServer } from '../serve/server.ts'

export interface ClientFlags {
  server?: string
  key?: string
  config?: string
  data?: string
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

const DATA_FOLDER = '.yaa'
/** Folders tried when the default one is in use by a running server: `.yaa/2`, `.yaa/3`, … */
const OWN_FOLDERS_MAX = 9

/** The server that is named, or one of our own. Ours listens on a free port, with a key that only this process knows. It keeps its data in
 *  `.yaa/`, so that later commands can carry on its sessions; while another yaa runs there it takes `.yaa/2`, and so on. */
export async function connect(context: Context, flags: ClientFlags): Promise<Connected> {
  const { env, texts } = context
  const config = flags.config === undefined ? null : readConfigFile(flags.config, texts)
  const key = flags.key ?? (env['YAA_API_KEY'] || undefined)
  if (flags.server !== undefined) {
    return {
      client: createClient({ server: flags.server, key }),
      flags: ['--server', flags.server],
      languageOpen: false,
      close: async () => {},
    }
  }
  const data = claimDataFolder(flags.data === undefined ? defaultFolders() : [flags.data], texts)
  const ownKey = key ?? randomBytes(24).toString('base64url')
  const log = join(data.folder, 'command.log')
  writeFileSync(log, '')
  const server = await startServer({
    config,
    data,
    port: 0,
    env: { ...env, YAA_API_KEY: ownKey },
    texts,
    onLine: (line) => appendFileSync(log, `${line}\n`),
  })
  return {
    client: createClient({ server: `http://127.0.0.1:${server.port}`, key: ownKey }),
    flags: [
      ...(flags.config === undefined ? [] : ['--config', flags.config]),
      ...(data.folder === DATA_FOLDER ? [] : ['--data', data.folder]),
    ],
    languageOpen: config?.language === undefined,
    close: () => server.stop(),
  }
}

const defaultFolders = () => [
  DATA_FOLDER,
  ...Array.from({ length: OWN_FOLDERS_MAX - 1 }, (_, index) => join(DATA_FOLDER, String(index + 2))),
]

/** The command that carries a session on, ready to be pasted into a shell. */
export const carryOn = (id: string, place: readonly string[]): string =>
  ['npx yaa chat --session', id, ...place.map(quoted)].join(' ')

const quoted = (word: string) => (/^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)
