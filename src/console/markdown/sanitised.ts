import DOMPurify from 'dompurify'
import { Marked, type Tokens } from 'marked'
import { CHINESE_EMPHASIS } from '../../lib/chinese-emphasis.ts'
import { FOOTNOTES } from './footnotes.ts'
import { htmlText } from './frame.ts'
import { FORMULAS } from './maths.ts'
import { ofWorkspace } from './workspace.ts'

const TAGS = ['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'em', 'strong', 'del', 'code', 'pre', 'blockquote']
const LISTS_AND_TABLES = ['ul', 'ol', 'li', 'input', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'span', 'sup']

/** Attributes whose values are no addresses, and are not held against what addresses may be. */
const NO_ADDRESSES = ['align', 'start', 'type', 'checked', 'disabled']

/** Markdown of untrusted origin: HTML in it is text but for the breaks that cells of tables have, pictures of elsewhere are links that nobody
 *  follows by looking. */
export const marked = new Marked({
  gfm: true,
  tokenizer: CHINESE_EMPHASIS,
  extensions: [...FORMULAS, ...FOOTNOTES],
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => (/^<br *\/?>$/i.test(text) ? '<br>' : htmlText(text)),
    image({ href, text }: Tokens.Image) {
      const words = htmlText(text === '' ? href : text)
      return ofWorkspace('picture', { href }, words) ?? `<a href="${htmlText(href)}">${words}</a>`
    },
    link(link: Tokens.Link) {
      return ofWorkspace('link', link, this.parser.parseInline(link.tokens)) ?? false
    },
    code: ({ text, lang }: Tokens.Code) =>
      `<pre title="${htmlText((lang ?? '').trim())}"><code>${htmlText(text)}</code></pre>`,
  },
})

const SANITISED = {
  ALLOWED_TAGS: [...TAGS, ...LISTS_AND_TABLES],
  ALLOWED_ATTR: ['href', 'title', ...NO_ADDRESSES],
  ADD_URI_SAFE_ATTR: NO_ADDRESSES,
  // An address with a key would have the console take it.
  ALLOWED_URI_REGEXP: /^(?![^#]*#key=)(?:https?|mailto):/i,
  RETURN_DOM_FRAGMENT: true as const,
}

/** HTML as elements, through the sanitiser: no script, no style, no address but of the web and of mail. */
export const elementsOf = (html: string): DocumentFragment => DOMPurify.sanitize(html, SANITISED)
