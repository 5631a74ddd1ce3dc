import DOMPurify from 'dompurify'
import { Marked, type Tokens } from 'marked'

const TAGS = ['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'em', 'strong', 'del', 'code', 'pre', 'blockquote']
const LISTS_AND_TABLES = ['ul', 'ol', 'li', 'input', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'span']

/** Attributes whose values are no addresses, and are not held against what addresses may be. */
const NO_ADDRESSES = ['align', 'start', 'type', 'checked', 'disabled']

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Markdown of untrusted origin: HTML in it is text, pictures are links that nobody follows by looking. */
const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
    image: ({ href, text }: Tokens.Image) => `<a href="${escaped(href)}">${escaped(text === '' ? href : text)}</a>`,
    code: ({ text, lang }: Tokens.Code) =>
      `<pre title="${escaped((lang ?? '').trim())}"><code>${escaped(text)}</code></pre>`,
  },
})

/** Markdown as elements, through the sanitiser: no script, no style, no address but of the web and of mail. */
export function elementsOf(markdown: string): DocumentFragment {
  const html = marked.parse(markdown, { async: false })
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [...TAGS, ...LISTS_AND_TABLES],
    ALLOWED_ATTR: ['href', 'title', ...NO_ADDRESSES],
    ADD_URI_SAFE_ATTR: NO_ADDRESSES,
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    RETURN_DOM_FRAGMENT: true,
  })
}
