import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

const TEXT_REFERENCE = /&[#\w]+;?/g
/** In an attribute `=` keeps a name without a semicolon from being a reference. */
const ATTRIBUTE_REFERENCE = /&[#\w]+[;=]?/g
const REFERENCE_CHARS_MAX = 40
const KNOWN_MAX = 1_000

/** Gathers text, or the value of one attribute, with its references decoded. */
class Decoder implements TokenizerCallbacks {
  #source = ''
  #decoded = ''
  readonly #tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, this)

  decode(source: string): string {
    this.#source = source
    this.#decoded = ''
    this.#tokenizer.reset()
    this.#tokenizer.write(source)
    this.#tokenizer.end()
    return this.#decoded
  }

  ontext(start: number, end: number): void {
    this.#decoded += this.#source.slice(start, end)
  }

  ontextentity(codepoint: number): void {
    this.#decoded += String.fromCodePoint(codepoint)
  }

  onattribdata(start: number, end: number): void {
    this.ontext(start, end)
  }

  onattribentity(codepoint: number): void {
    this.ontextentity(codepoint)
  }

  onattribend(): void {}
  onattribname(): void {}
  oncdata(): void {}
  onclosetag(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onopentagname(): void {}
  onprocessinginstruction(): void {}
  onselfclosingtag(): void {}
}

const decoder = new Decoder()
/** References that pages repeat, decoded. */
const knownInText = new Map<string, string>()
const knownInAttributes = new Map<string, string>()

/** Text of a page with its character references decoded. */
export function decodeText(text: string): string {
  return text.replace(TEXT_REFERENCE, (reference) => known(knownInText, reference, reference))
}

/** The value of an attribute with its character references decoded. */
export function decodeAttribute(value: string): string {
  return value.includes('&')
    ? value.replace(ATTRIBUTE_REFERENCE, (reference) => known(knownInAttributes, reference, `<a b="${reference}">`))
    : value
}

function known(decodings: Map<string, string>, reference: string, source: string): string {
  const decoding = decodings.get(reference)
  if (decoding !== undefined) return decoding
  if (reference.length > REFERENCE_CHARS_MAX) return reference
  const decoded = decoder.decode(source)
  if (decodings.size < KNOWN_MAX) decodings.set(reference, decoded)
  return decoded
}
