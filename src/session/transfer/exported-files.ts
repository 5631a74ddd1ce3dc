import { type InputIssue, invalid, ok, type Result } from '../../domain/errors.ts'
import {
  changeProblem,
  type ChangeProblem,
  type FileChange,
  type FileEntry,
  filePath,
  type Files,
  type StoredFile,
} from '../../domain/file.ts'
import { LIMITS } from '../../domain/limits.ts'
import { base64Texts, fromBase64, toBase64 } from '../../lib/base64.ts'
import { sha256Hex } from '../../lib/hash.ts'
import { memoryFiles } from '../../store/memory-files.ts'
import { CHANGE_TEXTS, PATH_TEXTS } from '../../tools/files/texts.ts'

/** The files of a session as a JSON array, piece by piece. Those that came to be after `atSeq` are not in it; the others are as
 *  they are now. */
export function* fileTexts(files: Files, atSeq: number): Generator<string, void, void> {
  let separator = '['
  for (const entry of files.list({ limit: LIMITS.files.filesMax })) {
    const bytes = entry.createdSeq <= atSeq ? files.read(entry.path) : null
    if (!bytes) continue
    yield `${separator}${headOf(entry)}`
    yield* base64Texts(bytes)
    yield '"}'
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

function headOf(entry: FileEntry): string {
  return JSON.stringify({ ...factsOf(entry), data: '' }).slice(0, -2)
}

function factsOf({ path, createdTime, updatedTime, createdSeq, untrusted }: FileEntry): Omit<StoredFile, 'data'> {
  return {
    path,
    created_time: new Date(createdTime).toISOString(),
    updated_time: new Date(updatedTime).toISOString(),
    created_seq: createdSeq,
    untrusted,
  }
}

/** The files of a session for a caller that keeps it; none: nothing is said of them. */
export function keptFiles(files: Files): { files?: StoredFile[] } {
  const entries = files.list({ limit: LIMITS.files.filesMax })
  if (entries.length === 0) return {}
  return {
    files: entries.map((entry) => ({
      ...factsOf(entry),
      path: entry.path,
      data: toBase64(files.read(entry.path) ?? new Uint8Array()),
    })),
  }
}

/** The files of an exported document as changes of an empty workspace, or the first that cannot be taken. */
export async function importedFiles(stored: readonly StoredFile[]): Promise<Result<FileChange[]>> {
  const scratch = memoryFiles()
  const changes: FileChange[] = []
  for (const [index, file] of stored.entries()) {
    const change = await importedFile(file, `files.${index}`)
    if (!change.ok) return change
    const problem = changeProblem(scratch, change.value)
    if (problem) return invalid([problemIssue(problem, `files.${index}`)])
    scratch.change(change.value, { time: 0, seq: 0 })
    changes.push(change.value)
  }
  return ok(changes)
}

/** Why a file of a document cannot be taken, in words. */
export function problemIssue(problem: ChangeProblem, at: string): InputIssue {
  const said = problem === 'stale' ? 'another path: an earlier file of the list has this one' : CHANGE_TEXTS.en[problem]
  return { path: `${at}.path`, message: said }
}

/** A file of an exported document as a change of a workspace that has none of this path. */
export async function importedFile(file: StoredFile, at: string): Promise<Result<FileChange>> {
  const checked = filePath(file.path)
  if (!checked.ok) return invalid([{ path: `${at}.path`, message: PATH_TEXTS.en[checked.problem] }])
  const bytes = fromBase64(file.data)
  if (!bytes) return invalid([{ path: `${at}.data`, message: 'bytes in base64' }])
  return ok({
    action: 'write',
    path: checked.path,
    bytes,
    sha256: await sha256Hex(bytes),
    untrusted: file.untrusted ?? false,
    base: null,
    createdSeq: file.created_seq ?? 0,
    ...(file.created_time === undefined ? {} : { createdTime: Date.parse(file.created_time) }),
    ...(file.updated_time === undefined ? {} : { updatedTime: Date.parse(file.updated_time) }),
  })
}
