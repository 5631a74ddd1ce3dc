import { type AppError, fail, invalid, ok, type Result } from '../domain/errors.ts'
import {
  type ChangeProblem,
  changeProblem,
  type FileChange,
  type FileData,
  fileData,
  filePath,
  type FileQuery,
} from '../domain/file.ts'
import { LIMITS } from '../domain/limits.ts'
import { sha256Hex } from '../lib/hash.ts'
import { CHANGE_TEXTS, PATH_TEXTS } from '../tools/files/texts.ts'
import { type Journal, missing, unfit } from '../log/journal.ts'
import { fileEvent } from '../engine/job.ts'

/** Conditions of RFC 9110: tags of files as they are in headers. */
export interface FileConditions {
  ifMatch?: string | undefined
  ifNoneMatch?: string | undefined
}

export interface PutOptions extends FileConditions {
  /** It may come from outside: it is fenced when a model reads it. */
  untrusted: boolean
}

export interface FileContent {
  file: FileData
  bytes: Uint8Array
}

export interface PutFile {
  file: FileData
  isNew: boolean
}

/** The workspace of a session, as its user sees and changes it. */
export class Workspace {
  readonly #journal: Journal
  readonly #announce: () => void

  /** `announce`: the session has changed. */
  constructor(journal: Journal, announce: () => void) {
    this.#journal = journal
    this.#announce = announce
  }

  list(query: FileQuery): Result<FileData[]> {
    return missing(this.#journal) ?? ok(this.#journal.log.files.list(query).map(fileData))
  }

  read(written: string): Result<FileContent> {
    const path = this.#pathOf(written)
    if (!path.ok) return path
    const { files } = this.#journal.log
    const entry = files.stat(path.value)
    const bytes = files.read(path.value)
    return entry && bytes ? ok({ file: fileData(entry), bytes }) : NO_FILE
  }

  /** Every file, one after the other, as it is when its turn comes. */
  async zip(): Promise<Result<ReadableStream<Uint8Array>>> {
    const { zipOf } = await import('./zip.ts')
    return missing(this.#journal) ?? ok(zipOf(this.#journal.log.files))
  }

  async put(written: string, bytes: Uint8Array, options: PutOptions): Promise<Result<PutFile>> {
    const sha256 = await sha256Hex(bytes)
    const unable = unfit(this.#journal)
    if (unable) return unable
    const path = this.#pathOf(written)
    if (!path.ok) return path
    const known = this.#journal.log.files.stat(path.value)
    const refused = conditionError(known?.sha256 ?? null, options)
    if (refused) return fail(refused)
    const { untrusted } = options
    const base = known?.sha256 ?? null
    const made = await this.#change({ action: 'write', path: path.value, bytes, sha256, untrusted, base })
    if (!made.ok) return made
    const entry = this.#journal.exists ? this.#journal.log.files.stat(path.value) : null
    return entry ? ok({ file: fileData(entry), isNew: known === null }) : NO_FILE
  }

  async remove(written: string, conditions: FileConditions): Promise<Result<null>> {
    const unable = unfit(this.#journal)
    if (unable) return unable
    const path = this.#pathOf(written)
    if (!path.ok) return path
    const base = this.#journal.log.files.stat(path.value)?.sha256 ?? null
    const refused = conditionError(base, conditions)
    return refused ? fail(refused) : this.#change({ action: 'delete', path: path.value, base })
  }

  async #change(change: FileChange): Promise<Result<null>> {
    const problem = changeProblem(this.#journal.log.files, change)
    if (problem) return fail(changeError(problem))
    this.#journal.append([fileEvent(change, null)], { files: [change] })
    this.#announce()
    return ok(null)
  }

  #pathOf(written: string): Result<string> {
    const gone = missing(this.#journal)
    if (gone) return gone
    const checked = filePath(written)
    return checked.ok ? ok(checked.path) : invalid([{ path: 'path', message: PATH_TEXTS.en[checked.problem] }])
  }
}

const NO_FILE = fail({ code: 'not_found', what: 'file' })

/** The tag of a file's content in the `ETag` header. */
export function fileTag(sha256: string): string {
  return `"${sha256}"`
}

/** Source: RFC 9110 §13.1. */
function namesTag(header: string, tag: string | null): boolean {
  if (header.trim() === '*') return tag !== null
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
}

function conditionError(sha256: string | null, { ifMatch, ifNoneMatch }: FileConditions): AppError | null {
  const tag = sha256 === null ? null : fileTag(sha256)
  const fits =
    (ifMatch === undefined || namesTag(ifMatch, tag)) && (ifNoneMatch === undefined || !namesTag(ifNoneMatch, tag))
  return fits ? null : { code: 'precondition_failed', etag: tag ?? '', what: 'file' }
}

function changeError(problem: ChangeProblem): AppError {
  const detail = CHANGE_TEXTS.en[problem]
  if (problem === 'missing') return { code: 'not_found', what: 'file' }
  if (problem === 'file_too_large') return { code: 'body_too_large', bytesMax: LIMITS.files.fileBytesMax }
  if (problem === 'is_folder' || problem === 'in_file') return invalid([{ path: 'path', message: detail }]).error
  return { code: 'workspace_full', detail }
}
