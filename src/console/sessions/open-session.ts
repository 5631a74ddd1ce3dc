import { signal } from '@preact/signals'
import { client } from '../api.ts'
import { Followed } from './followed.ts'

/** The session that is looked at; one at a time. */
export const openSession = signal<Followed | null>(null)

let names: Promise<string[]> | null = null

/** What is to be looked at; the tools' names may still be on their way. */
let wanted: string | null = null

/** Looks at a session; the one before is let go. */
export async function look(id: string): Promise<void> {
  if (wanted === id) return
  leave()
  wanted = id
  const toolNames = await knownToolNames()
  if (wanted === id) openSession.value = new Followed(id, toolNames)
}

export function leave(): void {
  wanted = null
  openSession.peek()?.close()
  openSession.value = null
}

/** Every name by which a text may call a tool. Without them calls are shown as text, which is no reason to show nothing. */
async function knownToolNames(): Promise<string[]> {
  names ??= client
    .peek()
    .tools()
    .then(({ data }) => data.flatMap((tool) => [tool.id, ...Object.values(tool.names ?? {})]))
  try {
    return await names
  } catch {
    names = null
    return []
  }
}
