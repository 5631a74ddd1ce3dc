import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { ApiProblem, type Client } from '../../client/client.ts'
import type { Content } from '../../domain/content.ts'
import type { WrittenContent } from '../../domain/content-input.ts'
import { LIMITS } from '../../domain/limits.ts'
import { byteSize } from '../../lib/text.ts'
import { usageError } from '../exit.ts'
import type { TerminalTexts } from '../texts.ts'

const ADDRESS = /^https?:\/\//i
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** A file of this machine, or an address that the server fetches, as it goes along with a message. */
export interface Attachment {
  name: string
  part: Extract<WrittenContent[number], { type: 'file' }>
}

/** Reads what is to go along; throws a usage error of one line. */
export function attachmentOf(source: string, texts: TerminalTexts): Attachment {
  if (ADDRESS.test(source)) return { name: source, part: { type: 'file', url: source } }
  if (SCHEME.test(source)) throw usageError(texts.told(source, texts.otherScheme))
  const name = basename(source)
  return { name, part: { type: 'file', name, data: bytesOf(source, texts).toString('base64') } }
}

/** All of them, within what one request may bring along. */
export function attachmentsOf(sources: readonly string[], texts: TerminalTexts): Attachment[] {
  const all = sources.map((source) => attachmentOf(source, texts))
  const bytes = all.reduce((sum, { part }) => sum + ((part.data?.length ?? 0) * 3) / 4, 0)
  const { requestBytesMax } = LIMITS.parts
  if (bytes > requestBytesMax) throw usageError(texts.attachedTooLarge(byteSize(requestBytesMax)))
  return all
}

function bytesOf(file: string, texts: TerminalTexts): Buffer {
  const { partBytesMax } = LIMITS.parts
  try {
    // What is too large is not read.
    if (statSync(file).size <= partBytesMax) return readFileSync(file)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : '?'
    throw usageError(texts.told(file, texts.unreadable(reason)))
  }
  throw usageError(texts.told(file, texts.attachedTooLarge(byteSize(partBytesMax))))
}

/** What went along with a message of a session, to go along again; what is not in its workspace any more is left out. */
export async function attachedTo(client: Client, session: string, content: Content): Promise<Attachment[]> {
  const parts = typeof content === 'string' ? [] : content
  const all: Attachment[] = []
  for (const part of parts) {
    if (part.type !== 'image' && part.type !== 'file') continue
    const { path, name = basename(path), media_type } = part
    const bytes = await bytesAt(client, session, path)
    if (bytes) all.push({ name, part: { type: 'file', name, media_type, data: bytes.toString('base64') } })
  }
  return all
}

async function bytesAt(client: Client, session: string, path: string): Promise<Buffer | null> {
  try {
    return Buffer.from(await (await client.files.get(session, path)).arrayBuffer())
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null
    throw error
  }
}

/** A message with what goes along. */
export function withAttachments(text: string, attached: readonly Attachment[]): WrittenContent {
  return attached.length === 0 ? text : [{ type: 'text', text }, ...attached.map(({ part }) => part)]
}
