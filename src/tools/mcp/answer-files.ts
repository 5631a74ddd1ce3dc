import { changeProblem, filePath, type FileChange } from '../../domain/file.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext } from '../../domain/tool.ts'
import { fromBase64 } from '../../lib/base64.ts'
import { sha256Hex } from '../../lib/canonical-json.ts'
import { endingOf } from '../../lib/content-type.ts'

type Place = Pick<ToolContext, 'callId' | 'files'>

/** Bytes of one answer on their way into the workspace. */
export class AnswerFiles {
  readonly #place: Place
  readonly #changes: FileChange[] = []
  #bytes = 0

  constructor(place: Place) {
    this.#place = place
  }

  get changes(): FileChange[] {
    return this.#changes
  }

  /** Take bytes in. `path` null: they are not kept, as the workspace has no room for them. Null: it is no base64. */
  async add(base64: string, mediaType: string): Promise<{ size: number; path: string | null } | null> {
    const bytes = fromBase64(base64)
    if (bytes === null) return null
    const path = filePath(`mcp/${this.#place.callId}/${this.#changes.length + 1}.${endingOf(mediaType)}`)
    const change: FileChange | null = path.ok
      ? { action: 'write', path: path.path, bytes, sha256: await sha256Hex(bytes), untrusted: true, base: null }
      : null
    if (change === null || !this.#fits(change, bytes.byteLength)) return { size: bytes.byteLength, path: null }
    this.#changes.push(change)
    this.#bytes += bytes.byteLength
    return { size: bytes.byteLength, path: change.path }
  }

  #fits(change: FileChange, size: number): boolean {
    const { files } = this.#place
    const total = files.total()
    return (
      this.#changes.length < LIMITS.mcp.filesPerResultMax &&
      total.files + this.#changes.length < LIMITS.files.filesMax &&
      total.bytes + this.#bytes + size <= LIMITS.files.sessionBytesMax &&
      changeProblem(files, change) === null
    )
  }
}
