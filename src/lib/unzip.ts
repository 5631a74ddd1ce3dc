/** What is in a zip: the name of an entry and what it takes to read it. */
export interface ZipEntry {
  name: string
  /** Bytes, unpacked, as the zip says. */
  size: number
  isFolder: boolean
  isLink: boolean
  /** Its bytes, or the first `bytesMax` of them; null where they are not what the zip says, or are packed in a way that is not read here. */
  read(bytesMax?: number): Promise<Uint8Array | null>
}

// Source: APPNOTE.TXT 6.3.10, "Overall .ZIP file format": 4.3.7 local header, 4.3.12 central directory, 4.3.16 its end.
const END = 0x06054b50
const END_BYTES = 22
const COMMENT_BYTES_MAX = 0xffff
const ENTRY = 0x02014b50
const ENTRY_BYTES = 46
const LOCAL = 0x04034b50
const LOCAL_BYTES = 30
const ENCRYPTED = 1
const STORED = 0
const DEFLATED = 8
/** In the upper half of the external attributes, of zips made on Unix. */
const FILE_KIND = 0o170000
const LINK_KIND = 0o120000

/** The entries of a zip by its directory; null: it is none, or one of more than `entriesMax`. Nothing is unpacked before it is asked for. */
export function zipEntries(zip: Uint8Array, entriesMax: number): ZipEntry[] | null {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength)
  const end = endOf(view)
  if (end === null) return null
  const count = view.getUint16(end + 10, true)
  if (count > entriesMax) return null
  const entries: ZipEntry[] = []
  let at = view.getUint32(end + 16, true)
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_BYTES > end || view.getUint32(at, true) !== ENTRY) return null
    const nameBytes = view.getUint16(at + 28, true)
    entries.push(entryAt(zip, view, at, nameBytes))
    at += ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

/** Where the end of the directory begins; a comment may follow it. */
function endOf(view: DataView): number | null {
  const first = Math.max(0, view.byteLength - END_BYTES - COMMENT_BYTES_MAX)
  for (let at = view.byteLength - END_BYTES; at >= first; at--) if (view.getUint32(at, true) === END) return at
  return null
}

function entryAt(zip: Uint8Array, view: DataView, at: number, nameBytes: number): ZipEntry {
  const name = new TextDecoder().decode(zip.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes))
  const packed: Packed = {
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    packedSize: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    local: view.getUint32(at + 42, true),
  }
  const kind = (view.getUint32(at + 38, true) >>> 16) & FILE_KIND
  return {
    name,
    size: packed.size,
    isFolder: name.endsWith('/'),
    isLink: kind === LINK_KIND,
    read: (bytesMax = packed.size) => unpacked(zip, view, packed, Math.min(bytesMax, packed.size)),
  }
}

interface Packed {
  flags: number
  method: number
  packedSize: number
  size: number
  /** Where the local header is. */
  local: number
}

async function unpacked(zip: Uint8Array, view: DataView, packed: Packed, bytesMax: number): Promise<Uint8Array | null> {
  const { flags, method, packedSize, size, local } = packed
  if ((flags & ENCRYPTED) !== 0 || local + LOCAL_BYTES > zip.length || view.getUint32(local, true) !== LOCAL)
    return null
  const start = local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
  if (start + packedSize > zip.length) return null
  const bytes = zip.subarray(start, start + packedSize)
  if (method === STORED) return packedSize === size ? bytes.slice(0, bytesMax) : null
  return method === DEFLATED && packedSize <= packedMax(size) ? inflated(bytes, size, bytesMax) : null
}

/** What packs to more is not packed, but made to be read: deflated bytes are hardly ever more than they were. */
function packedMax(size: number): number {
  return size + size / 1_000 + 64
}

/** So many packed bytes at once; each may be a thousand when unpacked. */
const PUSHED_BYTES = 4_096

/** Reads no further than to what was said, however much there is. The platform's `DecompressionStream` is of no use for that: it unpacks all
 *  that it is given before any of it can be read. */
async function inflated(bytes: Uint8Array, size: number, bytesMax: number): Promise<Uint8Array | null> {
  const { Inflate } = await import('./deflate.ts')
  const out = new Uint8Array(bytesMax)
  let at = 0
  const inflate = new Inflate((part) => {
    if (at + part.length > size) throw new RangeError('The entry is larger than its zip says')
    if (at < bytesMax) out.set(part.subarray(0, bytesMax - at), at)
    at += part.length
  })
  try {
    for (let from = 0; from < bytes.length; from += PUSHED_BYTES) {
      const end = from + PUSHED_BYTES
      inflate.push(bytes.subarray(from, end), end >= bytes.length)
      if (bytesMax < size && at >= bytesMax) break
    }
  } catch {
    return null
  }
  return at === size || (bytesMax < size && at >= bytesMax) ? out : null
}
