import { text } from 'node:stream/consumers'
import type { Context } from '../context.ts'
import { CommandError, EXIT, usageError } from '../exit.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import { rowLines, widthOf } from '../view/rows.ts'
import { excerpt, visible } from '../view/text.ts'

export interface ConnectionsFlags extends ClientFlags {
  /** Names; the secret comes by stdin, so that no list of processes shows it. */
  add?: string
  origin?: string
  /** Whose; without it the tenant's. */
  user?: string
  delete?: string
}

/** Lists the connections of the tenant or of a user, one a line, after one was added or deleted. */
export async function connections(context: Context, flags: ConnectionsFlags): Promise<number> {
  const { add: name, origin, user, delete: gone } = flags
  const whose = user === undefined ? {} : { user }
  const { stdout, stderr, texts } = context
  if ((name === undefined) !== (origin === undefined))
    throw usageError(texts.told(name === undefined ? '--add' : '--origin', texts.expected('--add NAME --origin URL')))
  const secret = name === undefined ? '' : await secretFor(name, context)
  const { client, close } = await connect(context, { ...flags, kept: name !== undefined || gone !== undefined })
  try {
    if (name !== undefined && origin !== undefined) await client.connections.create({ name, origin, secret, ...whose })
    if (gone !== undefined) await client.connections.delete(gone, whose)
    const { data } = await client.connections.list({ limit: 100, ...whose })
    if (data.length === 0) stderr.write(`${texts.noConnections}\n`)
    const rows = data.map(({ name: called, origin: place, last_four: end, each_user: isEach, oauth2, description }) => {
      const granted = oauth2?.grant === 'authorization_code' && !isEach ? texts.authorised(oauth2.authorized) : ''
      const kept = end === null ? '' : `…${visible(end)}`
      return [visible(called), place, kept, isEach ? texts.byEachUser : granted, excerpt(description)]
    })
    for (const line of rowLines(rows, widthOf(stdout))) stdout.write(`${line}\n`)
    return EXIT.ok
  } finally {
    await close()
  }
}

/** From a pipe, or asked for without being shown. */
async function secretFor(name: string, context: Context): Promise<string> {
  const secret = await givenSecret(name, context)
  if (secret === '') throw usageError(context.texts.noSecret)
  return secret
}

async function givenSecret(name: string, { stdin, stderr, texts }: Context): Promise<string> {
  if (!stdin.isTTY) return (await text(stdin)).trim()
  const { isCancel, password } = await import('@clack/prompts')
  const secret = await password({ message: texts.secretOf(visible(name)), input: stdin, output: stderr })
  if (isCancel(secret)) throw new CommandError(texts.cancelled)
  return secret
}
