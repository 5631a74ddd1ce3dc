import type { PdfDocument } from './document.ts'
import { isName, type PdfValue } from './syntax.ts'

/** Characters of the 256 codes of an encoding with its differences. */
export function lettersOf(document: PdfDocument, encoding: PdfValue | undefined, font: string): string[] {
  const told = document.resolve(encoding)
  const base = told instanceof Map ? document.name(told.get('BaseEncoding')) : isName(told) ? told.name : ''
  const letters = baseLetters(base, font)
  if (!(told instanceof Map)) return letters
  let code = 0
  for (const entry of document.array(told.get('Differences'))) {
    document.budget.spend(1)
    const value = document.resolve(entry)
    if (typeof value === 'number') code = value
    else if (isName(value) && code >= 0 && code < 256) {
      document.budget.spend(value.name.length)
      letters[code++] = letterOf(value.name)
    }
  }
  return letters
}

function baseLetters(base: string, font: string): string[] {
  if (base === 'MacRomanEncoding') return decoded('macintosh')
  if (base === 'WinAnsiEncoding') return winAnsi()
  if (/(?:^|\+)Symbol/.test(font)) return beginning(SYMBOL)
  return /(?:^|\+)ZapfDingbats/.test(font) ? beginning(DINGBATS) : standard()
}

/** Letters from the code of the space on. */
function beginning(letters: readonly string[]): string[] {
  return Array.from({ length: 256 }, (_, code) => letters[code - 32] ?? '')
}

// Source: ISO 32000-1, D.5 and D.6, as far as the codes of ASCII, and what lists are marked by.
const SYMBOL = Array.from(
  ' !∀#∃%&∍()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\u203eαβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼',
)
SYMBOL[0xb7 - 32] = '•'
const DINGBATS_ELSEWHERE: Readonly<Record<string, string>> = {
  '%': '☎',
  '*': '☛',
  '+': '☞',
  H: '★',
  l: '●',
  n: '■',
  s: '▲',
  t: '▼',
  u: '◆',
  w: '◗',
}
const DINGBATS = Array.from({ length: 95 }, (_, at) => {
  const code = String.fromCharCode(32 + at)
  return DINGBATS_ELSEWHERE[code] ?? (at === 0 ? ' ' : String.fromCharCode(0x2700 + at))
})

/** Codes that the encoding of Windows leaves free are bullets. Source: ISO 32000-1, D.2, note 3. */
function winAnsi(): string[] {
  return decoded('windows-1252').map((letter, code) =>
    code === 0xad ? '-' : /[\x7f-\x9f]/.test(letter) ? '•' : letter,
  )
}

function decoded(encoding: string): string[] {
  const decoder = new TextDecoder(encoding)
  return Array.from({ length: 256 }, (_, code) => (code < 32 ? '' : decoder.decode(Uint8Array.of(code))))
}

// Source: ISO 32000-1, D.2: where the standard encoding is not that of Windows.
const STANDARD: Readonly<Record<number, string>> = {
  0x27: '’',
  0x60: '‘',
  0xa4: '⁄',
  0xa6: 'ƒ',
  0xa9: "'",
  0xaa: '“',
  0xac: '‹',
  0xad: '›',
  0xae: 'fi',
  0xaf: 'fl',
  0xb1: '–',
  0xb2: '†',
  0xb3: '‡',
  0xb4: '·',
  0xb7: '•',
  0xb8: '‚',
  0xb9: '„',
  0xba: '”',
  0xbc: '…',
  0xbd: '‰',
  0xd0: '—',
  0xe1: 'Æ',
  0xe9: 'Ø',
  0xea: 'Œ',
  0xf1: 'æ',
  0xf5: 'ı',
  0xf9: 'ø',
  0xfa: 'œ',
  0xfb: 'ß',
}

function standard(): string[] {
  return decoded('windows-1252').map((letter, code) => STANDARD[code] ?? letter)
}

// Source: Adobe Glyph List, without those that are named by their letter and an accent.
const NAMED =
  'space  |exclam !|quotedbl "|numbersign #|dollar $|percent %|ampersand &|quotesingle \'|parenleft (|parenright )|asterisk *|plus +|comma ,|hyphen -|minus −|period .|slash /|zero 0|one 1|two 2|three 3|four 4|five 5|six 6|seven 7|eight 8|nine 9|colon :|semicolon ;|less <|equal =|greater >|question ?|at @|bracketleft [|backslash \\|bracketright ]|asciicircum ^|underscore _|grave `|braceleft {|bar ¦|braceright }|asciitilde ~|quoteleft ‘|quoteright ’|quotedblleft “|quotedblright ”|quotesinglbase ‚|quotedblbase „|guillemotleft «|guillemotright »|guilsinglleft ‹|guilsinglright ›|bullet •|endash –|emdash —|ellipsis …|dagger †|daggerdbl ‡|section §|paragraph ¶|degree °|copyright ©|registered ®|trademark ™|Euro €|sterling £|yen ¥|cent ¢|currency ¤|fi fi|fl fl|ff ff|ffi ffi|ffl ffl|germandbls ß|AE Æ|ae æ|OE Œ|oe œ|Oslash Ø|oslash ø|dotlessi ı|Lslash Ł|lslash ł|Eth Ð|eth ð|Thorn Þ|thorn þ|mu µ|multiply ×|divide ÷|plusminus ±|onehalf ½|onequarter ¼|threequarters ¾|onesuperior ¹|twosuperior ²|threesuperior ³|exclamdown ¡|questiondown ¿|periodcentered ·|fraction ⁄|alpha α|beta β|gamma γ|delta δ|epsilon ε|theta θ|lambda λ|pi π|sigma σ|tau τ|phi φ|omega ω|Delta Δ|Omega Ω|Sigma Σ|infinity ∞|notequal ≠|lessequal ≤|greaterequal ≥|arrowright →|arrowleft ←|partialdiff ∂|summation ∑|integral ∫|radical √|approxequal ≈'
const LETTERS: ReadonlyMap<string, string> = new Map(
  NAMED.split('|').map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const),
)
const ACCENTS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circumflex: '\u0302',
  tilde: '\u0303',
  macron: '\u0304',
  breve: '\u0306',
  dotaccent: '\u0307',
  dieresis: '\u0308',
  ring: '\u030a',
  hungarumlaut: '\u030b',
  caron: '\u030c',
  cedilla: '\u0327',
  ogonek: '\u0328',
}
const ACCENTED = new RegExp(`^([A-Za-z])(${Object.keys(ACCENTS).join('|')})$`)

/** What the name of a letter stands for; '' for one that tells nothing. */
function letterOf(name: string): string {
  const [bare = ''] = name.split('.', 1)
  if (/^[A-Za-z]$/.test(bare)) return bare
  const named = LETTERS.get(bare)
  if (named !== undefined) return named
  const [, letter, accent] = ACCENTED.exec(bare) ?? []
  if (letter !== undefined && accent !== undefined) return (letter + ACCENTS[accent]).normalize('NFC')
  const code = /^(?:uni([0-9A-F]{4})|u([0-9A-F]{4,6}))/.exec(bare)
  const point = Number.parseInt(code?.[1] ?? code?.[2] ?? '', 16)
  return Number.isNaN(point) || point > 0x10ffff ? '' : String.fromCodePoint(point)
}

// Source: Adobe Core 14 AFM: widths from the space to the tilde of fonts that need not tell them.
const HELVETICA =
  '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584'
const TIMES =
  '250 333 408 500 500 833 778 180 333 333 500 564 250 333 250 278 500 500 500 500 500 500 500 500 500 500 278 278 564 564 564 444 921 722 667 667 722 611 556 722 722 333 389 722 611 889 722 722 556 722 667 556 611 722 722 944 722 722 611 333 278 333 469 500 333 444 500 444 500 444 333 500 500 278 278 500 278 778 500 500 500 500 333 389 278 500 500 722 500 500 444 480 200 480 541'
const DEFAULT_WIDTH = 500
const COURIER_WIDTH = 600

/** How wide letters of a font are that does not say so: by its name, accents aside. */
export function usualWidths(font: string, letters: readonly string[]): number[] {
  if (/Courier/.test(font)) return letters.map(() => COURIER_WIDTH)
  const told = /Helvetica|Arial/.test(font) ? HELVETICA : /Times/.test(font) ? TIMES : ''
  const widths = told.split(' ').map(Number)
  return letters.map((letter) => widths[letter.normalize('NFD').charCodeAt(0) - 32] || DEFAULT_WIDTH)
}

// Source: ISO 32000-1, D.2: codes of its own, and those that Windows writes otherwise.
const DOCUMENT = '˘ˇˆ˙˝˛˚˜'
const DOCUMENT_HIGH = '•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž'

/** A text outside of content: UTF-16 or UTF-8 with its mark, else in an encoding of its own. */
export function documentText(value: string): string {
  const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0))
  if (value.startsWith('þÿ')) return new TextDecoder('utf-16be').decode(bytes.subarray(2))
  if (value.startsWith('ï»¿')) return new TextDecoder().decode(bytes)
  // oxlint-disable-next-line no-control-regex -- they are codes of letters
  return value.replace(/[\x18-\x1f\x80-\xa0]/g, (character) => {
    const code = character.charCodeAt(0)
    if (code < 0x20) return DOCUMENT[code - 0x18] ?? ''
    return code === 0xa0 ? '€' : (DOCUMENT_HIGH[code - 0x80] ?? '')
  })
}
