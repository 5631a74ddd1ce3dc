import DOMPurify from 'dompurify'
import type Katex from 'katex'
import type { TokenizerAndRendererExtension } from 'marked'
import { htmlText } from './frame.ts'

/** `$…$` where a formula may be meant, and no two sums of money: nothing stands between the signs and it, no digit behind. */
const INLINE = [
  /^\$(?![\s$])((?:\\[^\n]|[^\\$\n])*?[^\s\\$])\$(?!\d)/,
  /^\\\(([^\n]+?)\\\)/,
  // Those of a block, in the midst of words: what stands in them looks like TeX, since `$$` and `\[` are also ordinary signs.
  /^\$\$(?=[^$\n]*[\\^_=])([^$\n]{1,2000})\$\$(?![$\d])/,
  /^\\\[(?=(?:[^\\\n]|\\[^\]\n]){0,2000}?(?:[\^_=]|\\[A-Za-z]))((?:[^\\\n]|\\[^\]\n]){1,2000})\\\](?!\()/,
]
const BLOCK = [/^\$\$([^]+?)\$\$[ \t]*(?:\n|$)/, /^\\\[([^]+?)\\\][ \t]*(?:\n|$)/]
/** How a title says that a span is a formula; nothing that is written in Markdown makes spans. */
const MARK = 'tex'
const MARK_BLOCK = 'tex block'
const FORMULA_CHARS_MAX = 5_000

/** Formulas in TeX: `$…$` and `\\(…\\)` within a line, `$$…$$` and `\\[…\\]` on their own or, by models that do not care, within one. */
export const FORMULAS: TokenizerAndRendererExtension[] = [
  extension(
    'inline',
    INLINE,
    (text) => /\$|\\[([]/.exec(text)?.index,
    (tex) => `<span title="${MARK}">${tex}</span>`,
  ),
  extension(
    'block',
    BLOCK,
    (text) => /(?<=\n)(?:\$\$|\\\[)/.exec(text)?.index,
    (tex) => `<p><span title="${MARK_BLOCK}">${tex}</span></p>`,
  ),
]

function extension(
  level: 'inline' | 'block',
  patterns: readonly RegExp[],
  start: (text: string) => number | undefined,
  rendered: (tex: string) => string,
): TokenizerAndRendererExtension {
  const name = `tex-${level}`
  return {
    name,
    level,
    start,
    tokenizer: (text) => {
      const [raw, tex] = patterns.map((pattern) => pattern.exec(text)).find((found) => found !== null) ?? []
      return raw === undefined || tex === undefined ? undefined : { type: name, raw, tex: tex.trim() }
    },
    renderer: ({ tex }) => rendered(htmlText(String(tex))),
  }
}

let katex: typeof Katex | null = null

/** Sets the formulas of a block; until what can is loaded, and where it cannot, they are shown as they were written. */
export function typesetIn(block: HTMLElement): void {
  const places = [...block.querySelectorAll<HTMLElement>(`span[title^="${MARK}"]`)]
  if (places.length === 0) return
  if (katex) return places.forEach(typeset)
  void import('katex').then((loaded) => {
    katex = loaded.default
    places.forEach(typeset)
  })
}

/** As MathML, which needs neither fonts nor styles. */
function typeset(place: HTMLElement): void {
  const tex = place.textContent
  const displayMode = place.title === MARK_BLOCK
  place.removeAttribute('title')
  place.className = 'formula'
  if (!katex || tex.length > FORMULA_CHARS_MAX) return
  try {
    const options = {
      output: 'mathml',
      displayMode,
      trust: false,
      strict: 'ignore',
      maxSize: 20,
      maxExpand: 500,
    } as const
    const html = katex.renderToString(tex, options).replaceAll(/<annotation[^]*?<\/annotation>/g, '')
    const formula = DOMPurify.sanitize(html, { USE_PROFILES: { mathMl: true }, RETURN_DOM_FRAGMENT: true })
    for (const name of formula.querySelectorAll('mi:not([mathvariant])'))
      if (name.textContent.length === 1) name.classList.add('letter')
    // What scrolls sideways is reached by keys, too.
    for (const wide of formula.querySelectorAll('math[display=block]')) wide.setAttribute('tabindex', '0')
    place.replaceChildren(formula)
  } catch {
    // It is no formula that can be set.
  }
}
