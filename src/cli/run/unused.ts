import { ApiProblem, type Client } from '../../client/client.ts'
import type { SessionData } from '../../domain/session.ts'

/** Gives a session that was made for it its first message. Where the server refuses that, the session goes: nobody would know what it is for. */
export async function firstMessage<T>(
  client: Client,
  { id, last_seq: before }: Pick<SessionData, 'id' | 'last_seq'>,
  give: () => Promise<T>,
  dropped: () => void = () => {},
): Promise<T> {
  try {
    return await give()
  } catch (error) {
    if (error instanceof ApiProblem && (await lastSeq(client, id)) === before) {
      await client.sessions.delete(id)
      dropped()
    }
    throw error
  }
}

/** Null: it cannot be said. */
async function lastSeq(client: Client, id: string): Promise<number | null> {
  try {
    return (await client.sessions.get(id, { messages: 'none' })).last_seq
  } catch (error) {
    if (error instanceof ApiProblem) return null
    throw error
  }
}
