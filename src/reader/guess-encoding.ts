/** Bytes by which the encoding of a text is told. */
const SAMPLE_BYTES = 128 * 1_024
const ASCII_END = 0x80
const REPLACEMENT = '\ufffd'
/** Shares of the characters beyond ASCII. */
const BROKEN_MAX = 0.02
const HANGUL_MIN = 0.8
const KANA_MIN = 0.25
const COMMON_MIN = 0.08
/** No text of another script has so much of it. */
const COMMON_SURE = 0.2
/** Bytes beyond ASCII in a row, in the mean: more than accents make, in words of letters and of characters of which some end in ASCII. */
const RUN_MIN = 2.5
const CHINESE_RUN_MIN = 1.5
/** Share of the most frequent letters of a script among the characters beyond ASCII of a text in it. */
const FREQUENT_MIN = 0.55

const COMMON =
  /[的一是不了在人有我他中大上到要以出可也你生能和地子得下自之年后後天多然心前所同用法方成都本日月行好小新最事市公外家高工部学學会會国國这這个個为為来來时時们們对對说說过過发發经經现現没沒车車开開长長点點问問间間关關]/g
const HANGUL = /[가-힣]/g
const KANA = /[ぁ-んァ-ヶー]/g

/** Encodings of scripts whose words are beyond ASCII as a whole, with the letters that are most frequent there. */
const SCRIPTS: readonly (readonly [encoding: string, letters: RegExp])[] = [
  ['windows-1251', /[оеаинтсрвлкмдпуыі]/g],
  ['koi8-u', /[оеаинтсрвлкмдпуыі]/g],
  ['ibm866', /[оеаинтсрвлкмдпуы]/g],
  ['iso-8859-5', /[оеаинтсрвлкмдпуы]/g],
  ['iso-8859-7', /[αοιετσνηρκπυςλμόάίέή]/g],
  ['windows-1253', /[αοιετσνηρκπυςλμόάίέήΆ]/g],
  ['windows-1255', /[יולהארמתנשבםדפ]/g],
  ['windows-1256', /[اليمنوترهبدسعفكقةی]/g],
  ['iso-8859-6', /[اليمنوترهبدسعفكقة]/g],
  ['windows-874', /[านรกองเมยลวทสตะปคไ]|\p{Mn}/gu],
]

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
  const run = meanRun(sample)
  const [simplified = 0, traditional = 0] = ['gb18030', 'big5'].map((encoding) => shareOf(sample, encoding, COMMON))
  const chinese = Math.max(simplified, traditional)
  const japanese = ['shift_jis', 'euc-jp'].find((encoding) => isOf(sample, encoding, KANA, KANA_MIN))
  // Short texts of East Asia may look as if they were of letters.
  const isOfLetters = run >= RUN_MIN && japanese === undefined && chinese < COMMON_SURE
  const script = isOfLetters ? scriptOf(sample) : null
  if (script !== null) return script
  if (isOf(sample, 'euc-kr', HANGUL, HANGUL_MIN)) return 'euc-kr'
  if (japanese !== undefined) return japanese
  if (run >= CHINESE_RUN_MIN && chinese >= COMMON_MIN) return simplified >= traditional ? 'gb18030' : 'big5'
  const language = LANGUAGE.exec(new TextDecoder('latin1').decode(sample))?.[1]?.toLowerCase() ?? ''
  const told = BY_LANGUAGE.find(([languages]) => languages.test(language))?.[1] ?? 'windows-1252'
  return told === 'windows-1250' ? centralEuropean(sample, language.startsWith('pl') ? POLISH : CZECH) : told
}

const POLISH = /[ąćęłńóśźż]/gi
const CZECH = /[čďěňřšťůžáéíóúý]/gi

/** Windows and ISO differ in a few letters. */
function centralEuropean(sample: Uint8Array, letters: RegExp): string {
  const [windows = 0, iso = 0] = ['windows-1250', 'iso-8859-2'].map((encoding) => shareOf(sample, encoding, letters))
  return iso > windows ? 'iso-8859-2' : 'windows-1250'
}

/** Whether a text of ASCII alone is in ISO-2022-JP, which says so by its escapes. */
export function isEscapedJapanese(text: string): boolean {
  return text.includes('\u001b$B') || text.includes('\u001b$@')
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

/** How many bytes beyond ASCII stand in a row. */
function meanRun(sample: Uint8Array): number {
  let [runs, high] = [0, 0]
  let isHigh = false
  for (const byte of sample) {
    if (byte >= ASCII_END && !isHigh) runs += 1
    isHigh = byte >= ASCII_END
    if (isHigh) high += 1
  }
  return high / Math.max(1, runs)
}

/** The encoding in which whole words are of the letters of one script; null: none fits. */
function scriptOf(sample: Uint8Array): string | null {
  const shares = SCRIPTS.map(([encoding, letters]) => shareOf(sample, encoding, letters))
  const most = Math.max(...shares)
  return most >= FREQUENT_MIN ? (SCRIPTS[shares.indexOf(most)]?.[0] ?? null) : null
}
