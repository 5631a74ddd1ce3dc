import { type FileChange, changeProblem } from '../../domain/file.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { byteSize } from '../../lib/text.ts'
import { sha256Hex } from '../../lib/hash.ts'
import { decodedText } from '../../lib/content-type.ts'
import { TEXTS } from './answer-texts.ts'
import { withPath } from './shared.ts'
import { CHANGE_TEXTS } from './texts.ts'

/** Create or replace a file. */
export async function writeWhole(
  wanted: { path: string; content: string },
  context: ToolContext,
): Promise<ToolOutcome> {
  return withPath(wanted.path, context, (path) =>
    writeText({ path, text: wanted.content, isUntrusted: false }, context),
  )
}

/** Delete a file. */
export async function deleteOne(wanted: { path: string }, context: ToolContext): Promise<ToolOutcome> {
  return withPath(wanted.path, context, async (path) => {
    const { files, language } = context
    const change: FileChange = { action: 'delete', path, base: files.stat(path)?.sha256 ?? null }
    return outcomeOf(change, TEXTS[language].deleted(path), context)
  })
}

export interface EditWanted {
  path: string
  old: string
  new: string
  /** Wherever the old one occurs. */
  all?: boolean | undefined
}

/** Replace a text in a file. */
export async function editText(wanted: EditWanted, context: ToolContext): Promise<ToolOutcome> {
  return withPath(wanted.path, context, (path) => replaceIn(path, wanted, context))
}

/** Write a text. What untrusted text may have dictated is untrusted itself. `isUntrusted`: what it is made of is. */
async function writeText(
  { path, text, isUntrusted, message }: { path: string; text: string; isUntrusted: boolean; message?: string },
  context: ToolContext,
): Promise<ToolOutcome> {
  const { files, language, tainted } = context
  const bytes = new TextEncoder().encode(text)
  const base = files.stat(path)?.sha256 ?? null
  const change: FileChange = {
    action: 'write',
    path,
    bytes,
    sha256: await sha256Hex(bytes),
    untrusted: isUntrusted || tainted,
    base,
  }
  return outcomeOf(change, message ?? TEXTS[language].written(path, byteSize(bytes.byteLength), base === null), context)
}

function outcomeOf(change: FileChange, message: string, { files, language }: ToolContext): ToolOutcome {
  const problem = changeProblem(files, change)
  return problem
    ? { ok: false, reason: CHANGE_TEXTS[language][problem] }
    : { ok: true, content: message, files: [change] }
}

async function replaceIn(
  path: string,
  { old, new: replacement, all }: EditWanted,
  context: ToolContext,
): Promise<ToolOutcome> {
  const texts = TEXTS[context.language]
  const entry = context.files.stat(path)
  const bytes = context.files.read(path)
  if (!entry || !bytes) return { ok: false, reason: CHANGE_TEXTS[context.language].missing }
  const known = decodedText(bytes)
  if (!known) return { ok: false, reason: texts.notText(path, entry.contentType, byteSize(entry.size)) }
  if (known.charset !== 'utf-8') return { ok: false, reason: texts.notUtf8(known.charset) }
  if (old === replacement) return { ok: false, reason: texts.same }
  const parts = splitAt(known.text, old) ?? splitAt(known.text, withCrLf(old))
  if (!parts) return { ok: false, reason: texts.noMatch }
  const count = parts.parts.length - 1
  if (count > 1 && all !== true) return { ok: false, reason: texts.manyMatches(count) }
  const joint = parts.old === old ? replacement : withCrLf(replacement)
  const written = parts.parts.join(joint)
  return writeText({ path, text: written, isUntrusted: entry.untrusted, message: texts.edited(path, count) }, context)
}

/** The text around each occurrence; null: there is none. */
function splitAt(whole: string, old: string): { old: string; parts: string[] } | null {
  const parts = whole.split(old)
  return parts.length > 1 ? { old, parts } : null
}

/** Files of some systems end their lines otherwise than what is shown of them. */
function withCrLf(written: string): string {
  return written.replace(/\r?\n/g, '\r\n')
}
