const PARAGRAPHS = 12

/** A small article in HTML of about 4 KB: navigation, headings, links, a list, a footer. */
export function articlePage(number: number): string {
  const paragraph = (index: number) =>
    `<p>Paragraph ${index} of page ${number} says what a page of the web says, with <a href="/page/${index}">a link</a>, ` +
    `some <b>bold</b> words and a number such as ${number * 1000 + index}; 一些中文，好让分词和编码都有事可做。</p>`
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, index) => paragraph(index + 1)).join('\n')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ${number}</title>
<meta name="description" content="A page to read"></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/about">About</a></li></ul></nav>
<main><article><h1>Page ${number}</h1>${paragraphs}<h2>Points</h2><ul><li>one</li><li>two</li><li>three</li></ul></article></main>
<footer>Terms and privacy</footer></body></html>`
}
