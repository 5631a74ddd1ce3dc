import { Unzlib } from 'fflate'
import { type Budget, Output, TooLarge } from './budget.ts'
import type { PdfDict } from './syntax.ts'

type Filter = (bytes: Uint8Array, budget: Budget) => Uint8Array

const PUSHED_BYTES = 4_096
const FILTERS_MAX = 8

/** What can be unpacked of a deflated stream; what comes behind a break in it is lost. */
const inflate: Filter = (bytes, budget) => {
  const output = new Output(budget)
  const unzlib = new Unzlib((part) => output.append(part))
  try {
    for (let at = 0; at < bytes.length; at += PUSHED_BYTES) {
      unzlib.push(bytes.subarray(at, at + PUSHED_BYTES), at + PUSHED_BYTES >= bytes.length)
    }
  } catch (error) {
    if (error instanceof TooLarge) throw error
  }
  return output.written()
}

/** Five characters for four bytes; `z` stands for four zeros, `~` ends them. */
const ascii85: Filter = (text, budget) => {
  const output = new Output(budget)
  let value = 0
  let count = 0
  const write = (bytes: number) => {
    for (let index = 0; index < bytes; index += 1) output.push(Math.floor(value / 256 ** (3 - index)) & 0xff)
    value = count = 0
  }
  for (const code of text) {
    if (code === 0x7e) break
    if (code === 0x7a && count === 0) write(4)
    else if (code >= 0x21 && code <= 0x75) {
      value = value * 85 + code - 0x21
      count += 1
    }
    if (count === 5) write(4)
  }
  if (count > 1) {
    const bytes = count - 1
    for (; count < 5; count += 1) value = value * 85 + 84
    write(bytes)
  }
  return output.written()
}

const asciiHex: Filter = (text, budget) => {
  const output = new Output(budget)
  let high = -1
  for (const code of text) {
    if (code === 0x3e) break
    const digit = Number.parseInt(String.fromCharCode(code), 16)
    if (Number.isNaN(digit)) continue
    if (high >= 0) output.push(high * 16 + digit)
    high = high >= 0 ? -1 : digit
  }
  if (high >= 0) output.push(high * 16)
  return output.written()
}

const runLength: Filter = (bytes, budget) => {
  const output = new Output(budget)
  for (let at = 0; at < bytes.length;) {
    const length = bytes[at] ?? 128
    if (length === 128) break
    if (length < 128) output.append(bytes.subarray(at + 1, at + 2 + length))
    else for (let count = 257 - length; count > 0; count -= 1) output.push(bytes[at + 1] ?? 0)
    at += length < 128 ? length + 2 : 2
  }
  return output.written()
}

const TABLE_MAX = 4_096

/** Codes of 9 to 12 bits, one of which clears the table. An entry is a place in what was written: what a code gave, and one byte more. */
const lzw: Filter = (bytes, budget) => {
  const output = new Output(budget)
  const starts = new Uint32Array(TABLE_MAX)
  const lengths = new Uint32Array(TABLE_MAX)
  let entries = 0
  let width = 9
  /** Nothing was read since the table was cleared where the length is 0. */
  let before = 0
  let beforeLength = 0
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    held += 8
    if (held < width) continue
    held -= width
    const code = bits >> held
    bits &= (1 << held) - 1
    if (code === 257) break
    if (code === 256) {
      entries = beforeLength = 0
      width = 9
      continue
    }
    const isKnown = code - 258 < entries
    if (!isKnown && beforeLength === 0) break
    const start = output.length
    if (code < 256) output.push(code)
    else if (isKnown) output.repeat(starts[code - 258] ?? 0, lengths[code - 258] ?? 0)
    else output.repeat(before, beforeLength + 1)
    if (beforeLength > 0 && entries < TABLE_MAX) {
      starts[entries] = before
      lengths[entries] = beforeLength + 1
      entries += 1
    }
    before = start
    beforeLength = output.length - start
    const size = entries + 259
    width = size >= 2_048 ? 12 : size >= 1_024 ? 11 : size >= 512 ? 10 : 9
  }
  return output.written()
}

const FILTERS: Readonly<Record<string, Filter>> = {
  FlateDecode: inflate,
  Fl: inflate,
  LZWDecode: lzw,
  LZW: lzw,
  ASCII85Decode: ascii85,
  A85: ascii85,
  ASCIIHexDecode: asciiHex,
  AHx: asciiHex,
  RunLengthDecode: runLength,
  RL: runLength,
}

/** A stream unpacked by its filters, one after the other; null: it is a picture, or packed in a way that is not read. */
export function unpacked(
  bytes: Uint8Array,
  filters: readonly string[],
  parameters: readonly (PdfDict | null)[],
  budget: Budget,
): Uint8Array | null {
  if (filters.length > FILTERS_MAX) return null
  let data = bytes
  for (const [index, name] of filters.entries()) {
    const filter = FILTERS[name]
    if (filter === undefined) return null
    data = unpredicted(filter(data, budget), parameters[index] ?? null, budget)
  }
  return data
}

/** Rows of a PNG, each told by its difference from the one above. Source: PNG, 9.2. */
function unpredicted(data: Uint8Array, parameters: PdfDict | null, budget: Budget): Uint8Array {
  const told = (name: string, otherwise: number) => {
    const value = parameters?.get(name)
    return typeof value === 'number' && value > 0 ? value : otherwise
  }
  if (told('Predictor', 1) < 10) return data
  const pixel = Math.max(1, (told('Colors', 1) * told('BitsPerComponent', 8)) >> 3)
  const width = Math.ceil((told('Columns', 1) * told('Colors', 1) * told('BitsPerComponent', 8)) / 8)
  const rows = Math.floor(data.length / (width + 1))
  budget.spend(data.length)
  const out = new Uint8Array(rows * width)
  for (let row = 0; row < rows; row += 1) {
    const kind = data[row * (width + 1)] ?? 0
    for (let at = 0; at < width; at += 1) {
      const to = row * width + at
      const left = at >= pixel ? (out[to - pixel] ?? 0) : 0
      const up = row > 0 ? (out[to - width] ?? 0) : 0
      const corner = row > 0 && at >= pixel ? (out[to - width - pixel] ?? 0) : 0
      out[to] = (data[row * (width + 1) + 1 + at] ?? 0) + predicted(kind, left, up, corner)
    }
  }
  return out
}

function predicted(kind: number, left: number, up: number, corner: number): number {
  if (kind === 1) return left
  if (kind === 2) return up
  if (kind === 3) return (left + up) >> 1
  if (kind !== 4) return 0
  const [byLeft, byUp, byCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner
}
