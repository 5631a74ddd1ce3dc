import { Zip, ZipPassThrough } from 'fflate'
import type { FileEntry, Files } from '../domain/file.ts'
import { LIMITS } from '../domain/limits.ts'
import { byteStream } from '../lib/streams.ts'

/** A zip of all files, uncompressed. No more than one file is in memory at a time. */
export function zipOf(files: Files): ReadableStream<Uint8Array> {
  return byteStream(zipSlices(files))
}

/** The zip in slices. */
function* zipSlices(files: Files): Generator<Uint8Array, void, void> {
  let made: Uint8Array[] = []
  const zip = new Zip((error, slice) => {
    if (error) throw error
    made.push(slice)
  })
  for (const entry of entriesOf(files)) {
    const bytes = files.read(entry.path)
    if (!bytes) continue
    for (const _ of addFile(zip, entry, bytes)) {
      yield* made
      made = []
    }
  }
  zip.end()
  yield* made
}

/** Pages of the list, so that what is written meanwhile is in it when it comes behind. */
function* entriesOf(files: Files): Generator<FileEntry, void, void> {
  const limit = LIMITS.http.listMax
  for (let page = files.list({ limit }); page.length > 0;) {
    yield* page
    page = files.list({ limit, after: page.at(-1)?.path ?? '' })
  }
}

/** One step for each slice that was added. */
function* addFile(zip: Zip, { path, updatedTime }: FileEntry, bytes: Uint8Array): Generator<void, void, void> {
  const file = new ZipPassThrough(path)
  file.mtime = updatedTime
  zip.add(file)
  const { zipSliceBytes } = LIMITS.files
  for (let at = 0; ; at += zipSliceBytes) {
    const isLast = at + zipSliceBytes >= bytes.byteLength
    file.push(bytes.subarray(at, at + zipSliceBytes), isLast)
    yield
    if (isLast) return
  }
}
