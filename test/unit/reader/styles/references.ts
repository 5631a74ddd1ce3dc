import { links, p, page, type Style } from './article.ts'

export const encyclopedia: Style = (w) => {
  const [first = '', ...rest] = w.paragraphs(8)
  const title = w.headline()
  const headings = rest.map(() => w.words(3))
  const linked = (text: string) => text.replace(/(\S+)((?: \S+){4})/g, '<a href="/wiki/$1">$1</a>$2')
  return {
    text: [first, ...rest.flatMap((text, index) => [headings[index] ?? '', text])].join('\n'),
    html: page(
      `${title} - An encyclopedia`,
      `<div id="mw-navigation"><ul>${links(w, 20)}</ul></div><div id="content" class="mw-body" role="main"><h1 id="firstHeading">${title}</h1><div id="bodyContent"><div id="siteSub">From an encyclopedia</div>
<div id="mw-content-text"><div class="mw-parser-output"><p>${linked(first)}</p><div id="toc" class="toc" role="navigation"><ul>${w.times(7, (index) => `<li><a href="#h${index}">${headings[index]}</a></li>`)}</ul></div>
${rest.map((text, index) => `<h2><span class="mw-headline" id="h${index}">${headings[index]}</span></h2><p>${linked(text)}</p>`).join('\n')}
<div role="navigation" class="navbox"><table><tbody><tr><th>Bridges</th><td><ul>${links(w, 20)}</ul></td></tr></tbody></table></div></div></div></div></div>
<div id="footer" role="contentinfo"><ul><li>This page was last edited on 1 March.</li><li>${w.paragraph()}</li></ul></div>`,
    ),
  }
}

export const reference: Style = (w) => {
  const text = w.paragraphs(6)
  const title = w.words(2)
  return {
    text: [
      ...text.slice(0, 2),
      'Syntax',
      'const answer = ask(question)',
      ...text.slice(2, 4),
      'Parameters',
      ...text.slice(4),
    ].join('\n'),
    html: page(
      `${title} - Web docs`,
      `<header class="page-header"><ul>${links(w, 10)}</ul></header><div class="main-wrapper"><nav id="sidebar-quicklinks" class="sidebar"><ol>${links(w, 120)}</ol></nav>
<main id="content" class="main-content"><article class="main-page-content" lang="en-US"><header><h1>${title}</h1></header><div class="section-content">${p(text.slice(0, 2))}</div>
<section aria-labelledby="syntax"><h2 id="syntax"><a href="#syntax">Syntax</a></h2><div class="code-example"><div class="example-header"><span class="language-name"></span></div><pre class="brush: js notranslate"><code>const answer = ask(question)</code></pre></div><div class="section-content">${p(text.slice(2, 4))}</div></section>
<section><h3 id="parameters"><a href="#parameters">Parameters</a></h3>${p(text.slice(4))}</section></article>
<aside class="article-footer"><h2>Help improve these docs</h2><p>${w.sentence()}</p><button>Yes</button><button>No</button></aside></main></div><footer><p>${w.paragraph()}</p><ul>${links(w, 20)}</ul></footer>`,
    ),
  }
}

export const readme: Style = (w) => {
  const text = w.paragraphs(5)
  const files = w.times(
    14,
    (index) =>
      `<tr><td><a href="/f/${index}">file-${index}.ts</a></td><td><a href="/k/${index}">${w.words(4)}</a></td><td>last week</td></tr>`,
  )
  return {
    text: ['A tool', ...text.slice(0, 2), 'Install', 'npm install tool', ...text.slice(2)].join('\n'),
    html: page(
      'ann/tool: a tool',
      `<div class="header-wrapper"><ul>${links(w, 15)}</ul></div><div class="application-main"><main><div id="repository-container-header"><strong><a href="/ann/tool">tool</a></strong><ul>${links(w, 8)}</ul></div>
<div class="Layout"><div class="Layout-main"><table aria-labelledby="folders-and-files"><tbody>${files}</tbody></table>
<div id="readme"><article class="markdown-body entry-content"><h1>A tool</h1>${p(text.slice(0, 2))}<h2>Install</h2><div class="highlight highlight-source-shell"><pre>npm install tool</pre></div>${p(text.slice(2))}</article></div></div>
<div class="Layout-sidebar"><h2>About</h2><p>${w.sentence()}</p><h2>Languages</h2><ul>${links(w, 4)}</ul></div></div></main></div><footer class="footer"><ul>${links(w, 10)}</ul></footer>`,
    ),
  }
}

export const mailingList: Style = (w) => {
  const text = w.paragraphs(5)
  const wrapped = text.map((one) => one.replace(/(.{60,70}) /g, '$1\n')).join('\n\n')
  return {
    text: wrapped,
    html: page(
      `[dev] ${w.words(4)}`,
      `<H1>[dev] ${w.words(4)}</H1><B>Ann Author</B> <A HREF="mailto:ann@site.example">ann at site.example</A><BR><I>Tue Mar 4 10:11:12 UTC 2025</I><P><UL><LI>Previous message: <A HREF="1.html">${w.words(5)}</A></LI><LI>Next message: <A HREF="3.html">${w.words(5)}</A></LI><LI><B>Messages sorted by:</B> <a href="d.html">[ date ]</a> <a href="t.html">[ thread ]</a></LI></UL><HR>
<!--beginarticle--><PRE>${wrapped}
</PRE><!--endarticle--><HR><P><UL><LI>Previous message: <A HREF="1.html">${w.words(5)}</A></LI><LI>Next message: <A HREF="3.html">${w.words(5)}</A></LI></UL><hr><a href="/list">More information about the dev mailing list</a><br>`,
    ),
  }
}

export const tableLayout: Style = (w) => {
  const title = w.headline()
  const text = w.paragraphs(7)
  return {
    text: text.join('\n'),
    html: page(
      title,
      `<table width="100%" border=0><tr><td colspan=3 bgcolor=navy><font color=white size=5>A site of 1998</font></td></tr><tr>
<td width=150 valign=top><font size=2>${links(w, 14, '', '<br>')}</font></td><td valign=top><font face=Arial>${text.map((one) => `${one}<br><br>`).join('\n')}</font></td>
<td width=120 valign=top><font size=1><b>News</b><br>${w.times(4, () => `<a href="/n">${w.headline()}</a><br>`)}</font></td></tr><tr><td colspan=3 align=center><font size=1>Copyright 1998 A site. ${links(w, 4, '', ' | ')}</font></td></tr></table>`,
    ),
  }
}
