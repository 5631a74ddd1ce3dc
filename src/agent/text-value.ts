import { lowerBound, type CodeCursor, type MarkdownCode } from '../lib/markdown-code.ts'
import { CLOSE, OPEN, type Tags } from '../lib/tags.ts'

/** Text that may be read again in search of better ends of values, as a multiple of the reply's length. Over it, which
 *  no honest reply is, a value ends at the first tag that can end it. */
const REREAD_FACTOR = 8

/** What the search for a value's end knows of the call that the value is in. */
export interface CallNames {
  /** Number of the outer tag's name. */
  outer: number
  isTool(name: string): boolean
  isParameter(name: string): boolean
}

/** Where a value may end, best first; a field is the number of a closing tag or -1. */
interface Candidates {
  /** Balanced, with stray text before the next tag of the call. */
  loose: number
  /** Followed by the next tag of the call, but the value mentions more opening tags of its name than closing ones. */
  unbalanced: number
  /** Both of it. */
  looseUnbalanced: number
  /** Behind the beginning of another call of the tool in the middle of a sentence, which is a mention if nothing ends it. */
  mentioned: number
  /** Within what looks like code of the value; so it was not code. */
  inCode: number
}

/** Finds the closing tags of values. A value may quote anything, whole calls of its own tool too: what is quoted in code
 *  or as a whole (opened and closed) does not end it. */
export class ValueEnds {
  readonly #tags: Tags
  readonly #code: MarkdownCode
  readonly #found = new Map<number, number>()
  readonly #closings = new Map<number, number[]>()
  #rereadChars: number

  constructor(tags: Tags, code: MarkdownCode) {
    this.#tags = tags
    this.#code = code
    this.#rereadChars = REREAD_FACTOR * tags.text.length
    tags.kinds.forEach((kind, tag) => kind === CLOSE && this.#addClosing(tags.nameIds[tag] ?? -1, tag))
  }

  /** The number of the tag that closes the value opened by tag `open`, or -1 if none does. */
  find(open: number, call: CallNames): number {
    const key = open * this.#tags.names.length + call.outer
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const end = this.#search(open, call)
    this.#found.set(key, end)
    return end
  }

  #search(open: number, call: CallNames): number {
    const closing = this.#firstClosing(this.#tags.nameIds[open] ?? -1, open)
    if (closing < 0 || this.#firstClosing(call.outer, closing) < 0) return -1
    return this.#rereadChars > 0 ? this.#scan(open, call) : this.#firstPossible(closing, open, call)
  }

  #scan(open: number, call: CallNames): number {
    const scan = new ValueScan(this.#tags, this.#code.cursor(this.#tags.end(open)), open, call)
    const end = scan.run()
    this.#rereadChars -= this.#tags.end(scan.tag) - this.#tags.end(open)
    return end
  }

  #firstPossible(closing: number, open: number, call: CallNames): number {
    if (this.#tags.is(open + 1, OPEN, call.outer)) return -1
    return followsOn(this.#tags, closing, call) ? closing : -1
  }

  #addClosing(nameId: number, tag: number): void {
    const list = this.#closings.get(nameId)
    if (list === undefined) this.#closings.set(nameId, [tag])
    else list.push(tag)
  }

  #firstClosing(nameId: number, after: number): number {
    const list = this.#closings.get(nameId) ?? []
    return list[lowerBound(list, after + 1)] ?? -1
  }
}

/** One walk over the tags behind a value's opening tag. */
class ValueScan {
  readonly #tags: Tags
  readonly #cursor: CodeCursor
  readonly #call: CallNames
  readonly #value: number
  readonly #best: Candidates = { loose: -1, unbalanced: -1, looseUnbalanced: -1, mentioned: -1, inCode: -1 }
  #openValues = 1
  /** Calls of the same tool within the value that are not closed, innermost last: whether each starts a line. */
  readonly #openCalls: boolean[] = []
  #openLineCalls = 0
  /** A call that starts a line came behind `mentioned`: what follows belongs to that call. */
  #mentionedIsLast = false
  tag: number

  constructor(tags: Tags, cursor: CodeCursor, open: number, call: CallNames) {
    this.#tags = tags
    this.#cursor = cursor
    this.#call = call
    this.#value = tags.nameIds[open] ?? -1
    this.tag = open
  }

  run(): number {
    for (this.tag++; this.tag < this.#tags.count; this.tag++) {
      const nameId = this.#tags.nameIds[this.tag]
      if (nameId !== this.#value && nameId !== this.#call.outer) continue
      if (this.#tags.kinds[this.tag] === CLOSE ? this.#closes() : this.#opens()) break
    }
    const { loose, unbalanced, looseUnbalanced, mentioned, inCode } = this.#best
    return [loose, unbalanced, looseUnbalanced, mentioned, inCode].find((tag) => tag >= 0) ?? -1
  }

  /** True: the walk is over, because a new call or value begins after a good end. */
  #opens(): boolean {
    if (this.#cursor.isCode(this.#tags.start(this.tag))) return false
    if (this.#best.loose >= 0) return true
    if (this.#tags.is(this.tag, OPEN, this.#value)) this.#openValues++
    else if (this.#beginsCall()) this.#opensCall()
    return false
  }

  #opensCall(): void {
    const isLine = startsLine(this.#tags.text, this.#tags.start(this.tag))
    this.#openCalls.push(isLine)
    if (isLine) this.#openLineCalls++
    if (isLine && this.#best.mentioned >= 0) this.#mentionedIsLast = true
  }

  /** True: this tag ends the value. */
  #closes(): boolean {
    const code = this.#cursor.isCodeAtEnd(this.#tags.start(this.tag))
    if (this.#tags.nameIds[this.tag] === this.#value) return code ? this.#closesInCode() : this.#closesValue()
    if (!code && this.#openCalls.pop() === true) this.#openLineCalls--
    return false
  }

  #closesInCode(): boolean {
    if (this.#best.inCode < 0 && this.#openCalls.length === 0 && followsOn(this.#tags, this.tag, this.#call)) {
      this.#best.inCode = this.tag
    }
    return false
  }

  #closesValue(): boolean {
    if (this.#openValues > 0) this.#openValues--
    const strict = followsDirectly(this.#tags, this.tag, this.#call)
    if (this.#openCalls.length > 0) return this.#keepMentioned(strict)
    if (this.#openValues > 0) this.#keepUnbalanced(strict)
    else if (strict || followsOn(this.#tags, this.tag, this.#call)) this.#best.loose = this.tag
    return this.#openValues === 0 && strict
  }

  /** A call that starts a line and is then closed is a call: the one that the value is in was left open. */
  #keepMentioned(strict: boolean): boolean {
    if (strict && this.#openLineCalls === 0 && !this.#mentionedIsLast) this.#best.mentioned = this.tag
    return false
  }

  #keepUnbalanced(strict: boolean): void {
    if (strict && this.#best.unbalanced < 0) this.#best.unbalanced = this.tag
    if (this.#best.looseUnbalanced < 0 && followsOn(this.#tags, this.tag, this.#call)) {
      this.#best.looseUnbalanced = this.tag
    }
  }

  /** Whether this opening tag of the outer name is followed by a parameter, as that of a call is. */
  #beginsCall(): boolean {
    const next = this.tag + 1
    return (
      this.#tags.isBlankAfter(this.tag) && this.#tags.kinds[next] === OPEN && isParameter(this.#tags, next, this.#call)
    )
  }
}

function isParameter(tags: Tags, tag: number, call: CallNames): boolean {
  return tags.kinds[tag] !== CLOSE && call.isParameter(tags.name(tag))
}

/** Whether the closing tag is followed, but for white space, by the call's next parameter or end. */
function followsDirectly(tags: Tags, closing: number, call: CallNames): boolean {
  const next = closing + 1
  return tags.isBlankAfter(closing) && (tags.is(next, CLOSE, call.outer) || isParameter(tags, next, call))
}

/** Whether the next tag after the closing one belongs to the call, or may: a parameter that the tool does not have. */
function followsOn(tags: Tags, closing: number, call: CallNames): boolean {
  const next = closing + 1
  if (tags.is(next, CLOSE, call.outer) || isParameter(tags, next, call)) return next < tags.count
  const name = tags.name(next)
  return tags.kinds[next] === OPEN && !call.isTool(name) && !isHtmlElement(name)
}

function startsLine(text: string, at: number): boolean {
  let before = at - 1
  while (text[before] === ' ' || text[before] === '\t') before--
  return before < 0 || text[before] === '\n'
}

/** Names of HTML elements (WHATWG HTML, "List of elements", and the obsolete ones that are still written). */
const HTML_ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink blockquote body br button ' +
    'canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset ' +
    'figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins ' +
    'kbd label legend li link main map mark marquee math menu menuitem meta meter nav nobr noembed noframes noscript object ' +
    'ol optgroup option output p param picture plaintext pre progress q rb rp rt rtc ruby s samp script search section ' +
    'select selectedcontent slot small source span strike strong style sub summary sup svg table tbody td template textarea ' +
    'tfoot th thead time title tr track tt u ul var video wbr xmp'
  ).split(' '),
)

/** Case as is does not matter in HTML. */
export function isHtmlElement(name: string): boolean {
  return HTML_ELEMENTS.has(name.toLowerCase())
}
