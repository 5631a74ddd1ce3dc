import type { Content, FilePart, ImagePart, Part } from '../../../domain/content.ts'
import { type ContentInput, inputWords } from '../../../domain/content-input.ts'
import { ok, type Result } from '../../../domain/errors.ts'
import type { FileChange, Files } from '../../../domain/file.ts'
import type { Now } from '../../../domain/ports.ts'
import type { GivenMessage, MessageInput } from '../../../domain/message.ts'
import type { Engine } from '../../../engine/engine.ts'

/** A content whose bytes were read and checked, before they have a place in the workspace. */
export type TakenContent = string | TakenParts

export interface TakenParts {
  /** What it is told in. */
  words: string
  /** Where its files come to be. `before`: changes of the workspace that are made just before. */
  place(files: Files, before?: readonly FileChange[]): Result<Placed>
}

/** A content as it is stored, with the changes of the workspace that bring its files. */
export interface Placed {
  content: Content
  files: FileChange[]
}

/** What contents are taken with. */
export interface TakingPorts {
  engine: Pick<Engine, 'fetchGuarded'>
  /** The workspace as it is. */
  files: Files
  /** Tokens that the text of the files of one message may take. */
  tokensMax: number
  now: Now
}

/** A part whose bytes have no place in the workspace yet. */
export interface NewFile {
  part: Omit<ImagePart, 'path'> | Omit<FilePart, 'path'>
  bytes: Uint8Array
  sha256: string
  /** What the file is to be called. */
  fileName: string
}
export type TakenPart = Part | NewFile

export interface PlacedMessages {
  messages: GivenMessage[]
  files: FileChange[]
}

export type TakenMessage = Omit<MessageInput, 'content'> & { content: TakenContent }

export function placed(content: TakenContent, files: Files, before: readonly FileChange[] = []): Result<Placed> {
  return typeof content === 'string' ? ok({ content, files: [] }) : content.place(files, before)
}

/** Messages as they are stored, with all changes that bring their files. */
export function placedMessages(messages: readonly TakenMessage[], files: Files): Result<PlacedMessages> {
  const changes: FileChange[] = []
  const stored: GivenMessage[] = []
  for (const message of messages) {
    const one = placed(message.content, files, changes)
    if (!one.ok) return one
    stored.push({ ...message, content: one.value.content })
    changes.push(...one.value.files)
  }
  return ok({ messages: stored, files: changes })
}

/** What a content is told in, for a title and a language. */
export function takenWords(content: TakenContent | ContentInput): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? inputWords(content) : content.words
}

/** The workspace of a session that is not made yet. */
export const NO_FILES: Files = {
  list: () => [],
  stat: () => null,
  read: () => null,
  total: () => ({ files: 0, bytes: 0 }),
}
