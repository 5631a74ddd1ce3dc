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
