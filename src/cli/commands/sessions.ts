import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import type { SessionSummary } from '../../domain/session.ts'
import { visible } from '../view/text.ts'

export interface SessionsFlags extends ClientFlags {
  limit: number
  json?: boolean
}

/** Lists the newest sessions, one a line. */
export async function listSessions(context: Context, flags: SessionsFlags): Promise<number> {
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

const STATUS_COLUMNS = 11

/** `ID  STATUS  LOCAL TIME  TITLE`. */
export function sessionLine({ id, status, updated_time: updated, title }: SessionSummary): string {
  return [id, status.padEnd(STATUS_COLUMNS), localTime(updated), visible(title)].join('  ').trimEnd()
}

function localTime(time: string): string {
  const date = new Date(time)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
