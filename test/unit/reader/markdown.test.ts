import { describe, expect, test } from 'vitest'
import { readHtml } from '../../../src/reader/read-page.ts'

const markdown = (html: string, url = 'https://site.example/dir/page?x=1#here') => readHtml(html, url).markdown

describe('blocks', () => {
  test.each([
    [
      'headings',
      '<h1>One</h1><h3>Three <b>bold</b></h3><h2><strong>Two</strong></h2>',
      '# One\n\n### Three **bold**\n\n## Two',
    ],
    ['a heading that is a button', '<h3><span><button type="button">Which one?</button></span></h3>', '### Which one?'],
    [
      'a question that is a button',
      '<div><button class="faq-question"><span>Why?</span></button><p>So.</p></div>',
      'Why?\n\nSo.',
    ],
    ['a heading with a button', '<h3>Install <button>Copy</button></h3>', '### Install'],
    [
      'a heading with what edits it',
      '<h2>Past <span class="mw-editsection">[<a href="/e">edit</a>]</span></h2>',
      '## Past',
    ],
    ['paragraphs without end tags', '<p>one<p>two\n  lines', 'one\n\ntwo lines'],
    [
      'lines that a style shows',
      '<p style="white-space: pre-wrap">\none\n  two <b>bold</b>\n\nthree\n</p>',
      'one\ntwo **bold**\n\nthree',
    ],
    ['lines that a class shows', '<div class="whitespace-pre-line"><p>一行目\r\n二行目</p></div>', '一行目\n二行目'],
    ['lines that nothing shows', '<div class="pre-wrap"><p style="white-space:normal">one\ntwo</p></div>', 'one two'],
    ['line breaks', 'one<br>two<br><br>three', 'one\ntwo\n\nthree'],
    [
      'who is quoted in the footer of a quote',
      '<blockquote><p>a</p><footer>— <cite>Ann</cite></footer></blockquote>',
      '> a\n>\n> — Ann',
    ],
    ['quotes within a line', 'said <q>yes</q> and <q>“no”</q>', 'said “yes” and “no”'],
    [
      'the address that an empty page leads on to',
      '<head><meta http-equiv="refresh" content="0; URL=\'/next\'"></head><body></body>',
      '[https://site.example/next](https://site.example/next)',
    ],
    [
      'the pages that a page is a frame for',
      '<frameset cols="20%,80%"><frame src="toc.html"><frame src="main.html"><noframes>No frames.</noframes></frameset>',
      '[https://site.example/dir/toc.html](https://site.example/dir/toc.html)\n\n[https://site.example/dir/main.html](https://site.example/dir/main.html)',
    ],
    [
      'which items of a list are done',
      '<ul><li><input type="checkbox" checked disabled> a</li><li><input type=checkbox disabled> b</li><li><input type=checkbox> c</li></ul>',
      '- [x] a\n- [ ] b\n- c',
    ],
    [
      'pictures of AMP',
      '<p>a <amp-img src="/a.jpg" alt="Bridge"><noscript>x</noscript></amp-img></p>',
      'a ![Bridge](https://site.example/a.jpg)',
    ],
    ['a rule', '<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
    ['lists', '<ul><li>a<li>b<ol start=3><li>c</li><li>d</li></ol></ul>', '- a\n- b\n  3. c\n  4. d'],
    [
      'items by letters and Roman numbers, as laws refer to them',
      '<ol type="a"><li>x<ol type="i"><li>y<li>z</ol><li value="4">w</ol><ol style="list-style-type: upper-roman"><li value="14">v</ol>',
      'a. x\n   i. y\n   ii. z\nd. w\n\nXIV. v',
    ],
    ['items with a list beside them', '<ol><li>a</li><ol><li>b</li></ol><li>c</li></ol>', '1. a\n  1. b\n2. c'],
    ['items by letters that are used up', '<ol type="A"><li value="26">a<li>b</ol>', 'Z. a\n27. b'],
    ['items of several blocks', '<ol><li><p>a</p><p>b</p></li></ol>', '1. a\n   b'],
    ['lists beside items', '<ul><li>a</li><ul><li>b</li></ul>text</ul>', '- a\n  - b\n- text'],
    ['definitions of bold words', '<dl><dt><b>word</b></dt><dd>meaning</dd></dl>', '**word**\n\nmeaning'],
    ['definitions', '<dl><dt>word</dt><dd>meaning</dd></dl>', '**word**\n\nmeaning'],
    ['quotes', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
    ['text between blocks', 'a<div>b</div>c', 'a\n\nb\n\nc'],
    ['a heading without what leads to it', '<h2>One<a class=headerlink href="#one">¶</a></h2>', '## One'],
    [
      'who is quoted, above or below',
      '<blockquote><cite>Ann wrote:</cite>a</blockquote><blockquote>b<cite>Ben</cite></blockquote>',
      '> Ann wrote:\n> a\n\n> b\n> Ben',
    ],
    [
      'code without the numbers of its lines',
      '<table><tr><td class=linenos><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>',
      '```\na\nb\n```',
    ],
    ['numbers that are all there is', '<pre>1\n2</pre>', '```\n1\n2\n```'],
  ])('%s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected)
  })

  test.each([
    [
      'with its language',
      '<pre><code class="hljs language-TypeScript">if (a &lt; b) {\n  c()\n}\n</code></pre>',
      '```typescript\nif (a < b) {\n  c()\n}\n```',
    ],
    ['by the class of the block', '<pre class="brush: python">x</pre>', '```python\nx\n```'],
    [
      'by what is around',
      '<div class="highlight-source-shell"><pre>ls\n\n  -l</pre></div>',
      '```shell\nls\n\n  -l\n```',
    ],
    ['with a fence longer than its own', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    ['highlighted word by word', '<pre><span>a</span> = <span>1</span><br>b</pre>', '```\na = 1\nb\n```'],
    [
      'whose lines are blocks with their numbers',
      '<pre><code><div class="ec-line"><div class="ln">1</div><div class="code">a</div></div><div class="ec-line"><div class="ln">2</div><div class="code">\n</div></div><div><span>b</span></div></code></pre>',
      '```\na\n\nb\n```',
    ],
    ['whose lines are items', '<pre><ol><li>a\n<li>\n<li>  b</ol></pre>', '```\na\n\n  b\n```'],
    [
      'whose lines are rows of a table',
      '<pre><code><table>\n<tr><td class="hljs-ln-numbers">1</td><td>a</td></tr>\n<tr><td class="hljs-ln-numbers">2</td><td>b</td></tr></table></code></pre>',
      '```\na\nb\n```',
    ],
    [
      'of a highlighter that makes a table of it, with numbers beside it',
      '<div class="syntaxhighlighter java"><table><tr><td class="gutter"><div class="line">1</div><div class="line">2</div></td><td class="code"><div class="container"><div class="line"><code class="java keyword">try</code> <code class="java plain">{</code></div><div class="line"><code class="java spaces">&nbsp;&nbsp;</code><code class="java plain">a();</code></div></div></td></tr></table></div>',
      '```java\ntry {\n  a();\n```',
    ],
    [
      'of a row for each line',
      '<table><tr><td class="line-number">1</td><td class="line-code">if x:</td></tr>\n<tr><td class="line-number">2</td><td class="line-code">    y</td></tr></table>',
      '```\nif x:\n    y\n```',
    ],
    [
      'of a row for each line, whose number a style shows',
      '<table><tr><td class="lines-num" data-line-number="1"></td><td class="lines-code">if x:</td></tr><tr><td class="lines-num" data-line-number="2"></td><td class="lines-code">    y</td></tr></table>',
      '```\nif x:\n    y\n```',
    ],
    ['of an element for each line', '<pre><code>a</code><code>b</code></pre>', '```\na\nb\n```'],
    [
      'with numbers within the lines',
      '<pre><span class="ln">1</span>a\n<span class="ln">2</span>b</pre>',
      '```\na\nb\n```',
    ],
    [
      'with a list of numbers behind it',
      '<pre><code>a\n</code><ul class="pre-numbering"><li>1</li><li>2</li></ul></pre>',
      '```\na\n```',
    ],
    [
      'by what is further around it alone',
      '<div class="language-ruby"><div><pre><code><table><tr><td class="gutter"><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table></code></pre></div></div>',
      '```ruby\na\nb\n```',
    ],
  ])('code %s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected)
  })
})

describe('tables', () => {
  test('made of roles are tables', () => {
    const row = (role: string, ...cells: string[]) =>
      `<div role="row">${cells.map((cell) => `<div role="${role}"><span>${cell}</span></div>`).join('')}</div>`
    const html = `<div role="table"><div role="rowgroup">${row('columnheader', 'Plan', 'Price')}</div>
      <div role="rowgroup"><div role="presentation">${row('cell', 'Basic', '5')}</div>${row('cell', 'Pro', '9 | 12')}</div></div>`
    expect(markdown(html)).toBe('| Plan | Price |\n| --- | --- |\n| Basic | 5 |\n| Pro | 9 \\| 12 |')
    expect(markdown('<div role="table"><p>one</p><p>two</p></div>')).toBe('one\n\ntwo')
  })

  test('have a header, and cells that stay in their row', () => {
    const html =
      '<table><caption>C</caption><thead><tr><th>a<th>b|c</thead><tr><td><a href="/x">1</a><td>two<br>lines<tr><td colspan=2>wide</table>'
    expect(markdown(html)).toBe(
      'C\n\n| a | b\\|c |\n| --- | --- |\n| [1](https://site.example/x) | two lines |\n| wide |  |',
    )
  })

  test('with blocks in their cells stay tables', () => {
    const html = '<table><tr><td><p>a</p><p>b</p><td>c<tr><td>d<td><ul><li>e<li>f</ul></table>'
    expect(markdown(html)).toBe('| a; b | c |\n| --- | --- |\n| d | e; f |')
  })

  test('keep the links of blocks in their cells, and of blocks in links', () => {
    const html =
      '<table><tr><td><p>a</p><p><a href="/x">b</a></p><td><a href="/y"><div>c</div><div>d</div></a><tr><td>e<td>f</table>'
    expect(markdown(html)).toBe(
      '| a; [b](https://site.example/x) | [c d](https://site.example/y) |\n| --- | --- |\n| e | f |',
    )
  })

  test('have an empty cell in every place that another spans', () => {
    const html = '<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d<tr><td>e<td>f<td>g</table>'
    expect(markdown(html)).toBe('| a | b |  |\n| --- | --- | --- |\n|  | c | d |\n| e | f | g |')
  })

  test.each([
    ['one column', '<table><tr><td>a<tr><td>b</table>', 'a\n\nb'],
    ['headings in cells', '<table><tr><td><h2>a</h2><td>b<tr><td>c<td>d</table>', '## a\n\nb\n\nc\n\nd'],
  ])('of %s only arrange the page', (_, html, expected) => {
    expect(markdown(html)).toBe(expected)
  })
})

describe('inline', () => {
  test.each([
    ['emphasis', 'a <b>b </b>c <em>d</em> <del>e</del>', 'a **b** c *d* ~~e~~'],
    ['nothing for empty emphasis', 'a<b> </b>c', 'a c'],
    ['code', 'run <code>npm  ci</code> and <code>a`b</code>', 'run `npm ci` and ``a`b``'],
    ['entities', '&lt;p&gt; &amp; &#20013;&#x6587;&nbsp;x', '<p> & 中文 x'],
    [
      'formulas for a script',
      'so <span class="MathJax_Preview">[x]</span><script type="math/tex">x < y_1</script> and <script type="math/tex; mode=display">x\n+ 1</script>',
      'so $x < y_1$ and $$x + 1$$',
    ],
    ['formulas', 'so <math alttext="x^2"><mi>x</mi></math>', 'so $x^2$'],
    ['raised numbers', 'E = mc<sup>2</sup>, 10<sup>−6</sup>, <sup>14</sup>C', 'E = mc^2, 10^−6, 14C'],
    ['other raised text', 'the 1<sup>st</sup>', 'the 1st'],
    [
      'links that nothing parts',
      '<a href=/a>A</a><a href=/b>B</a>',
      '[A](https://site.example/a) [B](https://site.example/b)',
    ],
    [
      'formulas that are drawn',
      'so <img class="math-fallback-image" aria-hidden="true" alt="{\\displaystyle x_{1}}" src="/r/1.svg">, <img class="latex" alt="x^2" src="/l.png">, <img alt="y" src="/equation?tex=y">',
      'so $x_{1}$, $x^2$, $y$',
    ],
    [
      'a picture of people who do sums',
      '<img class="math" alt="A class does sums" src="/a.png">',
      '![A class does sums](https://site.example/a.png)',
    ],
    [
      'parts of a line that nothing parts',
      '<p><span>Ann Lee</span><time>3 May</time><span>5 min</span><span>€12</span><span>90</span><label>Km</label></p>',
      'Ann Lee 3 May 5 min €12 90 Km',
    ],
    [
      'a word of several pieces',
      '<p><span>3</span><span>rd</span> <span>the bri</span><span>dge</span></p>',
      '3rd the bridge',
    ],
    ['an ordinal of two pieces', '<p><span>the 23</span><span>rd</span></p>', 'the 23rd'],
    ['pieces of code', '<code><span>new</span><span>Map</span><span><b>of</b></span></code>', '`newMapof`'],
    ['a name within a text', '<p>by <span>Mac</span><span>Donald</span></p>', 'by MacDonald'],
    [
      'a formula',
      '<math><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><msup><mi>c</mi><mn>2</mn></msup></mfrac></math>',
      '(a+1)/(c^2)',
    ],
    [
      'sums with bounds',
      '<math><msubsup><mo>∑</mo><mi>i</mi><mi>n</mi></msubsup><msqrt><mi>x</mi></msqrt></math>',
      '∑_i^nsqrt(x)',
    ],
  ])('%s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected)
  })

  test.each([
    ['/a b', 'https://site.example/a%20b'],
    ['c?d=1&amp;e=2', 'https://site.example/dir/c?d=1&e=2'],
    ['../up', 'https://site.example/up'],
    ['plain/x.html?d=1', 'https://site.example/dir/plain/x.html?d=1'],
    ['a/../b', 'https://site.example/dir/b'],
    ['?d=1', 'https://site.example/dir/page?d=1'],
    ['http://site.example', 'http://site.example/'],
    ['//other.example/x', 'https://other.example/x'],
    ['https://en.wiki.example/a_(b)', 'https://en.wiki.example/a_%28b%29'],
    ['mailto:me@site.example', 'mailto:me@site.example'],
  ])('a link to %s is absolute', (href, expected) => {
    expect(markdown(`<a href="${href}">text</a>`)).toBe(`[text](${expected})`)
  })

  test.each(['javascript:alert(1)', '#part', 'data:text/html,x', '', 'http://[bad'])(
    'a link to "%s" is its text',
    (href) => {
      expect(markdown(`<a href="${href}">text</a>`)).toBe('text')
    },
  )

  test('a link counts from <base>', () => {
    expect(markdown('<base href="/other/"><a href="x">t</a>')).toBe('[t](https://site.example/other/x)')
  })

  test('a link of a file counts from <base>', () => {
    expect(markdown('<base href="https://base.example/b/"><a href="x">t</a>', 'pages/a.html')).toBe(
      '[t](https://base.example/b/x)',
    )
  })

  test('brackets in the text of a link cannot end it', () => {
    expect(markdown('<a href="/x">a](http://evil.example) [b</a>')).toBe(
      '[a\\](http://evil.example) \\[b](https://site.example/x)',
    )
  })

  test('a card that is one link carries it once', () => {
    expect(markdown('<a href="/x"><h3>Title</h3><p>Summary</p></a>')).toBe(
      '### [Title](https://site.example/x)\n\nSummary',
    )
  })

  test.each([
    ['with a text', '<img alt="A cat" src="/cat.png">', '![A cat](https://site.example/cat.png)'],
    ['that loads late', '<img alt="c" src="data:x" data-src="/c.png">', '![c](https://site.example/c.png)'],
    [
      'that loads late from a set',
      '<img alt="c" src="/blank.svg" data-lazy-srcset="/c-3.png 300w, /c-6.png 600w">',
      '![c](https://site.example/c-3.png)',
    ],
    ['without a text', '<img src="/cat.png">', ''],
    [
      'in a link',
      '<a href="/x"><img alt="c" src="/c.png"></a>',
      '[![c](https://site.example/c.png)](https://site.example/x)',
    ],
    [
      'beside text in a link',
      '<a href="/x"><img alt="[c]" src="/c.png"> t [1]</a>',
      '[![\\[c\\]](https://site.example/c.png) t \\[1\\]](https://site.example/x)',
    ],
  ])('a picture %s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected)
  })
})

test.each([
  '<script>x()</script>',
  '<style>p{}</style>',
  '<template>x</template>',
  '<svg><title>x</title><text>y</text></svg>',
  '<noscript>x</noscript>',
  '<iframe src=x>y</iframe>',
  '<select><option>x</select>',
  '<textarea>x</textarea>',
  '<p hidden>x</p>',
  '<div style="color:red; display : none">x</div>',
  '<span aria-hidden="true">x</span>',
  '<!-- x -->',
])('nothing is read of %s', (html) => {
  expect(markdown(`<p>before</p>${html}<p>after</p>`)).toBe('before\n\nafter')
})

test.each([
  ['an unclosed tag at the end', '<p>text</p><a href="x', 'text'],
  ['an unclosed comment', '<p>text</p><!-- more', 'text'],
  ['an unclosed script', '<p>text</p><script>more', 'text'],
  ['stray end tags', '</div></p></b><p>text</i></td></p>', 'text'],
  ['formatting across blocks', '<b>one<p>two</b> three</p>', 'one\n\ntwo three'],
  [
    'a cell that ends a block outside of it',
    '<div><table><tr><td>a</div>b<td>c<tr><td>d<td>e</table></div>',
    '| ab | c |\n| --- | --- |\n| d | e |',
  ],
  ['a head without an end', '<head><meta name=a><p>text', 'text'],
  ['nothing at all', '', ''],
])('%s does no harm', (_, html, expected) => {
  expect(markdown(html)).toBe(expected)
})

describe('what a page says beside its text survives', () => {
  const TEXT = 'The council met on Tuesday and agreed to build the bridge over the river. '
  const whole = (body: string) =>
    readHtml(
      `<html lang="de"><head><title>A bridge | The Site</title><link rel="canonical" href="/canon"><meta property="og:site_name" content="The Site"></head>
        <body><nav><a href="/">Home</a></nav><main><article><h1>A bridge</h1><p>${TEXT.repeat(4)}</p>${body}<p>${TEXT.repeat(4)}</p></article></main></body></html>`,
      'https://site.example/news/1?from=feed',
    )

  test('address, site and language', () => {
    expect(whole('')).toMatchObject({
      title: 'A bridge',
      canonicalUrl: 'https://site.example/canon',
      site: 'The Site',
      language: 'de',
    })
  })

  test('what is pressed to open a text, and the quote above it', () => {
    const body = `<blockquote><p>Ann said so.</p></blockquote><details><summary>Why so?</summary><p>${TEXT}</p></details>`
    expect(whole(body).markdown).toContain(`> Ann said so.\n\nWhy so?\n\n${TEXT.trim()}`)
  })

  test('pictures with what stands below them', () => {
    const figure =
      '<figure><img data-src="/a.jpg" alt="The old bridge"><figcaption>In 1900. Photo: Ann</figcaption></figure>'
    expect(whole(figure).markdown).toContain('![The old bridge](https://site.example/a.jpg)\n\nIn 1900. Photo: Ann')
  })

  test.each([
    ['<img src="data:image/gif;base64,R0" data-srcset="/a.jpg 600w, /b.jpg 2x" alt="The bridge">', '![The bridge]'],
    ['<img srcset="/a.jpg" alt="The bridge">', '![The bridge]'],
    ['<a href="/file"><img src="/a.jpg" alt=""></a>', '![]'],
  ])('pictures with a caption wherever their address stands: %s', (picture, label) => {
    const { markdown: written } = whole(`<figure>${picture}<figcaption>In 1900</figcaption></figure>`)
    expect(written).toContain(`${label}(https://site.example/a.jpg)`)
    expect(written).toContain('\n\nIn 1900')
  })

  test('no picture without text, caption or address', () => {
    const written = whole(
      '<figure><img src="/a.jpg"></figure><figure><img src="data:x"><figcaption>In 1900</figcaption></figure>',
    ).markdown
    expect(written).not.toContain('![')
  })

  test.each([
    ['<pre><code class="language-python">x = 1</code></pre>', 'python'],
    ['<div class="highlight highlight-source-js"><pre>x = 1</pre></div>', 'js'],
    ['<div class="highlight-rust notranslate"><pre>x = 1</pre></div>', 'rust'],
    ['<pre class="brush: java">x = 1</pre>', 'java'],
    ['<pre data-lang="go">x = 1</pre>', 'go'],
    ['<pre class="lang:c">x = 1</pre>', 'c'],
    ['<pre class="language">x = 1</pre>', ''],
  ])('code with its language: %s', (code, language) => {
    expect(whole(code).markdown).toContain(`\`\`\`${language}\nx = 1\n\`\`\``)
  })

  test('tables with their captions', () => {
    const table =
      '<table><caption>Costs</caption><tr><th>Part</th><th>Cost</th></tr><tr><td>Arch</td><td>4</td></tr></table>'
    expect(whole(table).markdown).toContain('Costs\n\n| Part | Cost |\n| --- | --- |\n| Arch | 4 |')
  })

  test('notes, where they are referred to and where they stand', () => {
    const page = whole(
      `<p>A claim.<sup id="r1"><a href="#n1">1</a></sup> Another.<a href="#n2" role="doc-noteref">[2]</a> See <a href="#n1">1</a>.</p>
        <section class="footnotes"><ol><li id="n1"><p>See the report. <a href="#r1" class="footnote-backref">↩</a></p></li><li id="n2">One more.</li></ol></section>`,
    )
    expect(page.markdown).toContain('A claim.[^1] Another.[^2] See 1.')
    expect(page.markdown).toContain('[^1]: See the report.\n[^2]: One more.')
  })
})
