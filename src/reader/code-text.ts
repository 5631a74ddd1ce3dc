import { attribute, type ElementNode, rawText } from './node.ts'
import { TAG } from './tags.ts'

/** The text of code, line breaks kept, the empty line that may begin it gone. Numbers of its lines are left out. */
export function codeText(node: ElementNode): string {
  return gather(node).replace(/\r\n?/g, '\n').replace(/^\n/, '').replaceAll('\u00a0', ' ')
}

/** What a highlighter makes of a line: an element that stands on a line of its own. */
const LINES: ReadonlySet<string> = new Set(['li', 'tr'])
/** Only elements count in these; white space between them is that of the markup. */
const FRAMES: ReadonlySet<string> = new Set(['table', 'thead', 'tbody', 'tr', 'ol', 'ul'])

function gather(node: ElementNode): string {
  if (node.name === 'br') return '\n'
  const isFrame = FRAMES.has(node.name)
  const isFlow = node.name === 'div'
  let text = ''
  let before: ElementNode | null = null
  for (const child of node.children) {
    if (typeof child === 'string') {
      if (isFrame && child.trim() === '') continue
      text += child
      before = null
      continue
    }
    if (child.skipped || isNumbers(child)) continue
    const inner = gather(child)
    const isLine = LINES.has(child.name) || (inner !== '' && isOnItsOwn(child))
    const isNext = child.name === 'code' && before?.name === 'code' && !isFlow
    if ((isLine || isNext) && text !== '' && !text.endsWith('\n')) text += '\n'
    text += isLine && !inner.endsWith('\n') ? `${inner}\n` : inner
    before = child
  }
  return text
}

function isOnItsOwn({ bits, name }: ElementNode): boolean {
  return (bits & TAG.block) !== 0 && name !== 'td' && name !== 'th'
}

const NUMBERS = /(?:^|[\s_-])(?:lines?-?no|lines?-?num|ln(?:um)?(?:$|[\s_-])|gutter|pre-?num|crayon-nums)/i

/** Named as the numbers of lines. */
export function isNamedNumbers({ attributes }: ElementNode): boolean {
  return NUMBERS.test(attribute(attributes, 'class') ?? '')
}

/** The number of a line, or of all, beside the code. */
function isNumbers(node: ElementNode): boolean {
  return node.attributes.length > 0 && isNamedNumbers(node) && /^[\s\d]*$/.test(rawText(node))
}

const LANGUAGE =
  /(?:^|\s)(?:lang(?:uage)?[-:]|highlight-source-|highlight-(?!source)|brush:\s*|src-|syntaxhighlighter\s+(?:nogutter\s+)?)([\w+#-]+)/i
const AROUND_MAX = 6
/** Letters beside the code in what is there for it alone, beside numbers of lines: a title, a button. */
const BESIDE_CHARS_MAX = 40
const BESIDE_SHARE_MAX = 0.5

/** The language that the class of the code, or of what is around it alone, names. */
export function codeLanguage(node: ElementNode): string {
  const inner = node.children.find((child) => typeof child !== 'string' && child.name === 'code')
  const named = typeof inner === 'object' ? languageOf(inner) : ''
  if (named !== '') return named
  const charsMax = BESIDE_CHARS_MAX + (1 + BESIDE_SHARE_MAX) * node.chars
  let place: ElementNode | null = node
  for (let count = 0; place !== null && count < AROUND_MAX; count += 1) {
    if (count > 1 && place.chars > charsMax) break
    const language = languageOf(place)
    if (language !== '') return language
    place = place.parent
  }
  return ''
}

function languageOf({ name, attributes }: ElementNode): string {
  const className = attribute(attributes, 'class') ?? ''
  const named =
    attribute(attributes, 'data-lang') ??
    attribute(attributes, 'data-language') ??
    LANGUAGE.exec(className)?.[1] ??
    (name === 'figure' ? /^highlight ([\w+#-]+)$/.exec(className)?.[1] : undefined)
  return named !== undefined && /^[\w+#-]+$/.test(named) ? named.toLowerCase() : ''
}
