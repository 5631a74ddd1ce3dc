import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import { sessionLine } from '../view/session-line.ts'

export interface SessionsFlags extends ClientFlags {
  limit: number
  json?: boolean
}

/** Lists the newest sessions, one a line. */
export async function sessions(context: Context, flags: SessionsFlags): Promise<number> {
  const { client, close } = await connect(context, flags)
  try {
    const page = await client.sessions.list({ limit: flags.limit })
    if (flags.json) context.stdout.write(`${JSON.stringify(page, null, 2)}\n`)
    else if (page.data.length === 0) context.stderr.write(`${context.texts.noSessions}\n`)
    else for (const session of page.data) context.stdout.write(`${sessionLine(session)}\n`)
    return EXIT.ok
  } finally {
    await close()
  }
}
