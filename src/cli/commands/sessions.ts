import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import type { SessionSummary } from '../../domain/session.ts'
import { rowLines, widthOf } from '../view/rows.ts'
import { cutTo, localTime, visible } from '../view/text.ts'

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
    else for (const line of sessionLines(page.data, context)) context.stdout.write(`${line}\n`)
    return EXIT.ok
  } finally {
    await close()
  }
}

const STATUS_COLUMNS = 11
/** A narrower terminal has no room for the time beside a title. */
const TIMED_COLUMNS_MIN = 72

/** A session a line: in words that fit a terminal, in the API's own elsewhere. */
function sessionLines(sessions: readonly SessionSummary[], { stdout, texts }: Context): string[] {
  const width = widthOf(stdout)
  if (width === Infinity) return sessions.map(sessionLine)
  const rows = sessions.map(({ id, status, updated_time: updated, title }) => {
    const time = width < TIMED_COLUMNS_MIN ? [] : [localTime(updated)]
    return [id, texts.status[status], ...time, visible(title)]
  })
  return rowLines(rows, width)
}

/** `ID  STATUS  LOCAL TIME  TITLE`. */
function sessionLine({ id, status, updated_time: updated, title }: SessionSummary): string {
  return [id, status.padEnd(STATUS_COLUMNS), localTime(updated), visible(title)].join('  ').trimEnd()
}

/** A session in a list to choose from: at a terminal, what it was about comes first. */
export function sessionLabel(session: SessionSummary, { stderr, texts }: Context): string {
  if (!stderr.isTTY) return sessionLine(session)
  const room = Math.max(10, (stderr.columns || 80) - LABEL_COLUMNS)
  return texts.aside(cutTo(visible(session.title), room), texts.status[session.status])
}

/** Of the frame of a list, and of a status behind a title. */
const LABEL_COLUMNS = 20
