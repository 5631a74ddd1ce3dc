import type { FileChange, FileEntry, Files } from '../domain/file.ts'
import { contentTypeOf } from '../lib/content-type.ts'
import type { ChangePlace } from './files.ts'

interface Kept {
  entry: FileEntry
  bytes: Uint8Array
}

export interface MemoryFiles extends Files {
  change(change: FileChange, place: ChangePlace): void
  clear(): void
}

/** The files of a session in memory: for the stateless call and the library. */
export function memoryFiles(): MemoryFiles {
  const kept = new Map<string, Kept>()
  return {
    list: ({ after = '', folder, limit }) =>
      [...kept.values()]
        .map(({ entry }) => entry)
        .filter(({ path }) => isBehind(path, after) && (folder === undefined || path.startsWith(`${folder}/`)))
        .toSorted((one, other) => (isBehind(one.path, other.path) ? 1 : -1))
        .slice(0, limit),
    stat: (path) => kept.get(path)?.entry ?? null,
    read: (path) => kept.get(path)?.bytes.slice() ?? null,
    total: () => ({
      files: kept.size,
      bytes: [...kept.values()].reduce((sum, { entry }) => sum + entry.size, 0),
    }),
    change: (change, place) => {
      if (change.action === 'delete') kept.delete(change.path)
      else kept.set(change.path, written(change, kept.get(change.path)?.entry, place))
    },
    clear: () => kept.clear(),
  }
}

function written(
  { path, bytes, sha256, untrusted, createdTime, updatedTime, createdSeq }: FileChange & { action: 'write' },
  known: FileEntry | undefined,
  { time, seq }: ChangePlace,
): Kept {
  const entry = {
    path,
    size: bytes.byteLength,
    contentType: contentTypeOf(path, bytes),
    sha256,
    createdTime: known?.createdTime ?? createdTime ?? time,
    updatedTime: updatedTime ?? time,
    createdSeq: known?.createdSeq ?? createdSeq ?? seq,
    untrusted,
  }
  return { entry, bytes: new Uint8Array(bytes) }
}

/** As SQLite compares texts: by their UTF-8 bytes, which is by code points. */
function isBehind(path: string, other: string): boolean {
  const mine = Array.from(path)
  const theirs = Array.from(other)
  const at = mine.findIndex((character, index) => character !== theirs[index])
  if (at < 0) return false
  const left = theirs[at]?.codePointAt(0) ?? -1
  return (mine[at]?.codePointAt(0) ?? 0) > left
}
