import { inAddress } from '../lib/addresses.ts'
import * as z from 'zod'
import { LIMITS } from './limits.ts'
import { count, onDemand, type ShapeOf, time } from '../lib/shape.ts'

/** The folder of files that came with messages. */
export const ATTACHMENTS = 'attachments'

/** Whether a file came with a message, so that nobody is told of it as written. */
export function isAttachment(path: string): boolean {
  return path.startsWith(`${ATTACHMENTS}/`)
}

/** A file of a session's workspace. Times are Unix ms. */
export interface FileEntry {
  path: string
  /** Bytes. */
  size: number
  contentType: string
  /** Lower-case hex. */
  sha256: string
  createdTime: number
  updatedTime: number
  /** Seq of the log when the file came to be. */
  createdSeq: number
  /** What is in it may come from outside: it is fenced when a model reads it. */
  untrusted: boolean
}

/** One change of the workspace. It is made together with the events that tell of it, or not at all. `base`: the SHA-256 that
 *  the file has before, null for none; a change whose base is gone is stale. */
export type FileChange =
  | {
      action: 'write'
      path: string
      bytes: Uint8Array
      sha256: string
      untrusted: boolean
      base: string | null
      /** Default: of the append. */
      createdTime?: number
      updatedTime?: number
      createdSeq?: number
    }
  | { action: 'delete'; path: string; base: string | null }

export interface FileQuery {
  /** Paths strictly behind this one, in the order of their UTF-8 bytes. */
  after?: string
  /** A folder, without the slash that ends it. */
  folder?: string
  limit: number
}

/** The files of one session, to be read. All verbs are synchronous. */
export interface Files {
  /** In the order of their paths' UTF-8 bytes. */
  list(query: FileQuery): FileEntry[]
  stat(path: string): FileEntry | null
  /** All bytes of a file. */
  read(path: string): Uint8Array | null
  total(): { files: number; bytes: number }
}

/** Why a text names no file. */
export type PathProblem = 'empty' | 'absolute' | 'traversal' | 'segment' | 'characters' | 'too_long' | 'too_deep'

export type CheckedPath = { ok: true; path: string } | { ok: false; problem: PathProblem }

const DRIVE = /^[A-Za-z]:/
/** Dots and separators that a careless reader makes of percent signs, decoded any number of times. */
const ENCODED_DOTS = /^(?:\.|%(?:25)*2e)+$/i
const ENCODED_SEPARATOR = /%(?:25)*(?:2f|5c|00)/i
/** Control characters, marks that turn the reading direction, line separators, and parts of characters. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u
const EDGES = /^\s|[\s.]$/

/** The one spelling of a path within a workspace (NFC, `/` between names, no `./` in front), or why it is none. It is only a
 *  name: nothing is looked up by it but the session's own files. */
export function filePath(written: string): CheckedPath {
  const path = written.trim().normalize('NFC').replace(/^\.\//, '')
  if (path === '') return refused('empty')
  if (path.length > LIMITS.files.pathCharsMax) return refused('too_long')
  if (FORBIDDEN.test(path)) return refused('characters')
  if (path.includes('\\') || ENCODED_SEPARATOR.test(path)) return refused('characters')
  if (path.startsWith('/') || DRIVE.test(path)) return refused('absolute')
  const names = path.split('/')
  if (names.some(isTraversal)) return refused('traversal')
  if (names.some((name) => name === '' || EDGES.test(name))) return refused('segment')
  return names.length > LIMITS.files.depthMax ? refused('too_deep') : { ok: true, path }
}

/** Dots alone in any spelling, and letters that turn into a separator when their width is taken away. */
function isTraversal(name: string): boolean {
  const plain = name.normalize('NFKC')
  return (plain !== '' && ENCODED_DOTS.test(plain)) || /[/\\]/.test(plain)
}

function refused(problem: PathProblem): CheckedPath {
  return { ok: false, problem }
}

/** Where on this server a file of a session is. */
export function fileAddress(session: string, path: string): string {
  return `/v1/sessions/${session}/files/${inAddress(path)}`
}

/** Why a change cannot be made now. */
export type ChangeProblem =
  | 'stale'
  | 'missing'
  | 'file_too_large'
  | 'too_many_files'
  | 'session_full'
  | 'is_folder'
  | 'in_file'

/** Whether the workspace takes a change now; null: it does. `before`: changes of other paths that are made just before it. */
export function changeProblem(
  files: Files,
  change: FileChange,
  before: readonly FileChange[] = [],
): ChangeProblem | null {
  const known = files.stat(change.path)
  if ((known?.sha256 ?? null) !== change.base) return 'stale'
  if (change.action === 'delete') return known ? null : 'missing'
  const { fileBytesMax, filesMax, sessionBytesMax } = LIMITS.files
  if (change.bytes.byteLength > fileBytesMax) return 'file_too_large'
  const added = before.filter((one) => one.action === 'write' && files.stat(one.path) === null).map(({ path }) => path)
  const total = totalBehind(files, before, added.length)
  if (total.bytes - (known?.size ?? 0) + change.bytes.byteLength > sessionBytesMax) return 'session_full'
  if (known) return null
  if (total.files >= filesMax) return 'too_many_files'
  const isWithin = (path: string) => path.startsWith(`${change.path}/`)
  if (files.list({ folder: change.path, limit: 1 }).length > 0 || added.some(isWithin)) return 'is_folder'
  return foldersOf(change.path).some((folder) => files.stat(folder) ?? added.includes(folder)) ? 'in_file' : null
}

/** What the workspace holds once these changes are made. */
function totalBehind(files: Files, changes: readonly FileChange[], added: number): ReturnType<Files['total']> {
  const grown = changes.reduce((sum, change) => {
    const size = change.action === 'write' ? change.bytes.byteLength : 0
    return sum + size - (files.stat(change.path)?.size ?? 0)
  }, 0)
  const { files: kept, bytes } = files.total()
  return { files: kept + added, bytes: bytes + grown }
}

function foldersOf(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}

/** A file as clients see it (GET /v1/sessions/{id}/files). */
export const file = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('file'),
    path: z.string(),
    size: count(),
    content_type: z.string(),
    sha256: z.string(),
    created_time: time(),
    updated_time: time(),
    untrusted: z.boolean(),
  }),
)
export type FileData = ShapeOf<typeof file>

export function fileData(entry: FileEntry): FileData {
  return {
    object: 'file',
    path: entry.path,
    size: entry.size,
    content_type: entry.contentType,
    sha256: entry.sha256,
    created_time: new Date(entry.createdTime).toISOString(),
    updated_time: new Date(entry.updatedTime).toISOString(),
    untrusted: entry.untrusted,
  }
}

/** A file as documents carry it. `data`: its bytes in base64. */
export const storedFile = /* @__PURE__ */ onDemand(() =>
  z.looseObject({
    path: z.string().max(2_000),
    data: z.string(),
    created_time: z.iso.datetime().optional(),
    updated_time: z.iso.datetime().optional(),
    created_seq: z.int().min(0).optional(),
    untrusted: z.boolean().optional(),
  }),
)
export type StoredFile = ShapeOf<typeof storedFile>

export const storedFiles = /* @__PURE__ */ onDemand(() => z.array(storedFile()).max(LIMITS.files.filesMax))
