/** Encodings that pages of East Asia and Europe still come in, by the label that the platform decodes. */
export type OldEncoding =
  | 'gbk'
  | 'big5'
  | 'shift_jis'
  | 'euc-jp'
  | 'euc-kr'
  | 'koi8-r'
  | 'iso-8859-1'
  | 'windows-1250'
  | 'windows-1251'
  | 'windows-1252'
  | 'windows-1253'
  | 'windows-1255'
  | 'windows-1256'
  | 'windows-874'
  | 'iso-8859-2'
  | 'iso-8859-7'

const tables = new Map<OldEncoding, Map<string, readonly number[]>>()

/** Text in an encoding that the platform decodes and does not write. Throws for a character that it does not have. */
export function encodeAs(encoding: OldEncoding, text: string): Uint8Array<ArrayBuffer> {
  const table = tables.get(encoding) ?? tableOf(encoding)
  tables.set(encoding, table)
  const bytes: number[] = []
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    const written = code < 0x80 ? [code] : table.get(character)
    if (written === undefined) throw new Error(`${encoding} has no ${character}`)
    bytes.push(...written)
  }
  return Uint8Array.from(bytes)
}

/** What every byte beyond ASCII, and every pair that begins with one, stands for. */
function tableOf(encoding: OldEncoding): Map<string, readonly number[]> {
  const table = new Map<string, readonly number[]>()
  const add = (...bytes: readonly number[]) => {
    const text = new TextDecoder(encoding).decode(Uint8Array.from(bytes))
    if (Array.from(text).length === 1 && !text.includes('\ufffd') && !table.has(text)) table.set(text, bytes)
  }
  for (let first = 0x80; first <= 0xff; first += 1) {
    add(first)
    for (let second = 0x40; second <= 0xfe; second += 1) add(first, second)
  }
  return table
}
