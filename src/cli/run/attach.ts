import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { WrittenContent } from '../../domain/content-input.ts'
import { LIMITS } from '../../domain/limits.ts'
import { byteSize } from '../../lib/text.ts'
import { usageError } from '../exit.ts'
import type { TerminalTexts } from '../texts.ts'

const ADDRESS = /^https?:\/\//i

/** A file of this machine, or an address that the server fetches, as it goes along with a message. */
export interface Attachment {
  name: string
  part: Extract<WrittenContent[number], { type: 'file' }>
}

/** Reads what is to go along; throws a usage error of one line. */
export function attachmentOf(source: string, texts: TerminalTexts): Attachment {
  if (ADDRESS.test(source)) return { name: source, part: { type: 'file', url: source } }
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
    throw usageError(`${file}: ${texts.unreadable(reason)}`)
  }
  throw usageError(`${file}: ${texts.attachedTooLarge(byteSize(partBytesMax))}`)
}

/** A message with what goes along. */
export function withAttachments(text: string, attached: readonly Attachment[]): WrittenContent {
  return attached.length === 0 ? text : [{ type: 'text', text }, ...attached.map(({ part }) => part)]
}
