import type { Result } from '../../../src/domain/errors.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { LogRecord } from '../../../src/domain/log-record.ts'
import type { SessionData } from '../../../src/domain/session.ts'
import { newId } from '../../../src/lib/id.ts'
import type { SessionText } from '../../../src/session/call.ts'
import { type Play, valueOf } from '../play.ts'

/** An export. */
export interface Document {
  object: string
  version: number
  session: SessionData
  events: SessionEvent[]
  records: LogRecord[]
  results: Record<string, string>
}

/** The export of a session: up to a seq, as a fork within the server takes it (`secrets`), or whole. */
export async function exported(
  { api }: Pick<Play, 'api'>,
  atSeq: number | null = null,
  secrets = false,
): Promise<Document> {
  const stream = await valueOf(api.export(atSeq, secrets))
  return new Response(stream).json<Document>()
}

/** A session of its own made of a document; the play that it came from keeps its model and its pages. */
export function imported(
  { home }: Play,
  document: unknown,
  bytesMax: number = LIMITS.http.importBytesMax,
  keepConfig = true,
) {
  const id = newId('ses', Date.now())
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const body = new Blob([text]).stream()
  return { id, api: home.session(id), made: home.session(id).import(id, 'default', body, { bytesMax, keepConfig }) }
}

/** The session that an import made. */
export async function sessionIn(made: Result<SessionText>): Promise<SessionData> {
  return new Response((await valueOf(made)).body).json<SessionData>()
}
