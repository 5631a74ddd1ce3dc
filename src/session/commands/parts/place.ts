import type { Part } from '../../../domain/content.ts'
import { fail, ok, type Result } from '../../../domain/errors.ts'
import { ATTACHMENTS, changeProblem, type FileChange, filePath, type Files } from '../../../domain/file.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { endingOf } from '../../../lib/content-type.ts'
import { CHANGE_TEXTS } from '../../../tools/files/texts.ts'
import type { NewFile, Placed, TakenPart } from './taken.ts'

const NAME_CHARS_MAX = 100

/** Parts as they are stored: each new file gets a path that nothing else has, the same bytes under the same name the one that they have. */
export function placeParts(
  taken: readonly TakenPart[],
  files: Files,
  before: readonly FileChange[] = [],
): Result<Placed> {
  const changes: FileChange[] = []
  const content: Part[] = []
  for (const one of taken) {
    if (!('part' in one)) {
      content.push(one)
      continue
    }
    const made = [...before, ...changes]
    const place = placeOf(one, files, made)
    if (place === null) return fail({ code: 'workspace_full', detail: CHANGE_TEXTS.en.too_many_files })
    content.push({ ...one.part, path: place.path })
    if (place.isThere) continue
    const change = {
      action: 'write',
      path: place.path,
      bytes: one.bytes,
      sha256: one.sha256,
      untrusted: true,
      base: null,
    } as const
    const problem = changeProblem(files, change, made)
    if (problem !== null) return fail({ code: 'workspace_full', detail: CHANGE_TEXTS.en[problem] })
    changes.push(change)
  }
  return ok({ content, files: changes })
}

/** Null: every name that it could have is another file's. */
function placeOf(file: NewFile, files: Files, made: readonly FileChange[]): { path: string; isThere: boolean } | null {
  const { stem, ending } = nameOf(file)
  const folder = files.stat(ATTACHMENTS) === null ? `${ATTACHMENTS}/` : ''
  for (let number = 1; number <= LIMITS.parts.sameNameMax; number++) {
    const path = `${folder}${stem}${number === 1 ? '' : `-${number}`}${ending}`
    const isFolder = files.list({ folder: path, limit: 1 }).length > 0
    const known = hashAt(path, files, made)
    if (!isFolder && known === null) return { path, isThere: false }
    if (known === file.sha256) return { path, isThere: true }
  }
  return null
}

function hashAt(path: string, files: Files, made: readonly FileChange[]): string | null {
  const change = made.findLast((one) => one.path === path)
  if (change) return change.action === 'write' ? change.sha256 : null
  return files.stat(path)?.sha256 ?? null
}

/** The name of a new file, with the ending that its type has where it has none. */
function nameOf({ fileName, part }: NewFile): { stem: string; ending: string } {
  const last = fileName.split(/[/\\]/).at(-1) ?? ''
  const plain = last.replaceAll(/[\p{C}%\u2028\u2029]/gu, '_').replaceAll(/^[\s.]+|[\s.]+$/g, '')
  const checked = filePath(plain)
  const whole = checked.ok ? checked.path : part.type
  const [, stem = whole, written = ''] = /^(.+?)(\.[A-Za-z0-9]{1,10})?$/u.exec(whole) ?? []
  const known = endingOf(part.media_type)
  const ending = written !== '' ? written : known === 'bin' ? '' : `.${known}`
  return {
    stem: stem
      .slice(0, NAME_CHARS_MAX)
      .toWellFormed()
      .replaceAll(/[\s.]+$/g, ''),
    ending,
  }
}
