/** Bytes by which the encoding of a text is told. */
const SAMPLE_BYTES = 128 * 1_024
const ASCII_END = 0x80
const REPLACEMENT = '\ufffd'
/** Shares of the characters beyond ASCII. */
const BROKEN_MAX = 0.02
const HANGUL_MIN = 0.8
const KANA_MIN = 0.25
const COMMON_MIN = 0.08
/** Bytes beyond ASCII in a row, in the mean: more than accents make. */
const RUN_MIN = 2.5

const COMMON =
  /[的一是不了在人有我他中大上到要以出可也你生能和地子得下自之年后後天多然心前所同用法方成都本日月行好小新最事市公外家高工部学學会會国國这這个個为為来來时時们們对對说說过過发發经經现現没沒车車开開长長点點问問间間关關]/g
const HANGUL = /[가-힣]/g
const KANA = /[ぁ-んァ-ヶー]/g

// Source: WHATWG HTML, "determining the character encoding", step 9.
const BY_LANGUAGE: readonly (readonly [RegExp, string])[] = [
  [/^(?:ru|uk|be|bg|mk|sr|ky|kk|tg|tt)\b/, 'windows-1251'],
  [/^(?:pl|cs|hu|sk|sl|hr|bs|ro|sq)\b/, 'windows-1250'],
  [/^el\b/, 'windows-1253'],
  [/^(?:tr|az|ku)\b/, 'windows-1254'],
  [/^(?:he|iw|yi)\b/, 'windows-1255'],
  [/^(?:ar|fa|ur)\b/, 'windows-1256'],
  [/^(?:et|lt|lv)\b/, 'windows-1257'],
  [/^vi\b/, 'windows-1258'],
  [/^th\b/, 'windows-874'],
]
const LANGUAGE = /<(?:html|body)\s[^>]{0,500}?lang\s*=\s*["']?([a-z-]{2,20})/i

/** What a text that is not in UTF-8 and has no label is in, by what its characters are when it is read so; else as browsers take it to be. */
export function guessEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  if (isOf(sample, 'euc-kr', HANGUL, HANGUL_MIN)) return 'euc-kr'
  const japanese = ['shift_jis', 'euc-jp'].find((encoding) => isOf(sample, encoding, KANA, KANA_MIN))
  if (japanese !== undefined) return japanese
  const [simplified, traditional] = ['gb18030', 'big5'].map((encoding) => shareOf(sample, encoding, COMMON))
  if (Math.max(simplified ?? 0, traditional ?? 0) >= COMMON_MIN)
    return (simplified ?? 0) >= (traditional ?? 0) ? 'gb18030' : 'big5'
  const language = LANGUAGE.exec(new TextDecoder('latin1').decode(sample))?.[1]?.toLowerCase() ?? ''
  const told = BY_LANGUAGE.find(([languages]) => languages.test(language))?.[1]
  return told ?? (language === '' || language.startsWith('ru') ? cyrillic(sample) : null) ?? 'windows-1252'
}

function isOf(sample: Uint8Array, encoding: string, characters: RegExp, least: number): boolean {
  return shareOf(sample, encoding, characters) >= least
}

/** How many of the characters beyond ASCII are such ones; 0 where the bytes are not all right in that encoding. */
function shareOf(sample: Uint8Array, encoding: string, characters: RegExp): number {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  const beyond = new TextDecoder(encoding).decode(sample).replace(/[\u0000-\u007f]+/g, '')
  const broken = beyond.split(REPLACEMENT).length - 1
  if (beyond === '' || broken > 1 + BROKEN_MAX * beyond.length) return 0
  return (beyond.match(characters)?.length ?? 0) / beyond.length
}

/** Whole words beyond ASCII are Cyrillic. Most letters are small ones, which stand from 0xE0 on in windows-1251 and from 0xC0 to 0xDF in KOI8-R. */
function cyrillic(sample: Uint8Array): string | null {
  const sum = { runs: 0, high: 0, fromE0: 0, fromC0: 0 }
  let isHigh = false
  for (const byte of sample) {
    if (byte >= ASCII_END && !isHigh) sum.runs += 1
    isHigh = byte >= ASCII_END
    if (!isHigh) continue
    sum.high += 1
    if (byte >= 0xe0) sum.fromE0 += 1
    else if (byte >= 0xc0) sum.fromC0 += 1
  }
  if (sum.high < RUN_MIN * sum.runs) return null
  return sum.fromE0 >= sum.fromC0 ? 'windows-1251' : 'koi8-r'
}
