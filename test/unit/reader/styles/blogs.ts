import { cards, links, p, page, type Style } from './article.ts'

export const wordpress: Style = (w) => {
  const text = w.paragraphs(7)
  const title = w.headline()
  return {
    text: text.join('\n'),
    html: page(
      `${title} – A blog`,
      `<div id="page" class="hfeed site"><header id="masthead"><ul class="menu">${links(w, 12)}</ul></header>
<div id="content"><div id="primary"><main id="main"><article class="post type-post hentry"><header class="entry-header"><h1 class="entry-title">${title}</h1>
<div class="entry-meta"><span class="posted-on">Posted on <time datetime="2025-03-01">March 1</time></span> <span class="byline">by <a href="/a">Ann</a></span></div></header>
<div class="entry-content">${p(text)}<div class="sharedaddy sd-sharing-enabled"><h3>Share this:</h3><ul>${links(w, 4)}</ul></div>
<div id="jp-relatedposts" class="jp-relatedposts"><h3>Related</h3>${cards(w, 3)}</div></div>
<footer class="entry-footer"><span class="cat-links">Posted in <a href="/c">News</a></span><span class="tags-links">Tagged <a href="/t">one</a>, <a href="/t">two</a></span></footer></article>
<nav class="navigation post-navigation"><a href="/p">Previous: ${w.headline()}</a><a href="/n">Next: ${w.headline()}</a></nav>
<div id="comments" class="comments-area"><h2>5 thoughts</h2><ol class="comment-list">${w.times(5, () => `<li class="comment"><div class="comment-body"><p>${w.paragraph()}</p></div></li>`)}</ol>
<div id="respond"><h3>Leave a reply</h3><form><textarea></textarea><input type="submit"></form></div></div></main></div>
<div id="secondary" class="widget-area"><aside class="widget"><h2>Recent</h2><ul>${links(w, 8)}</ul></aside><aside class="widget"><p>${w.paragraph()}</p></aside></div></div>
<footer id="colophon"><p>Proudly powered by a press. ${w.paragraph()}</p></footer></div>`,
    ),
  }
}

export const divsOnly: Style = (w) => {
  const text = w.paragraphs(9)
  const title = w.headline()
  const block = (inner: string) => `<div class="ab cd"><div class="l ae">${inner}</div></div>`
  return {
    text: text.join('\n'),
    html: page(
      title,
      `<div id="root"><div class="a b c"><div class="n">${links(w, 8, '<div class="o">', '</div>')}</div>
<div class="d e"><div class="f"><h1 class="pw-post-title">${title}</h1>${block('<a href="/u">Ann Author</a><div>Follow</div><div>5 min read</div>')}
${block('<div>120</div><div>8</div><button>Listen</button><button>Share</button>')}
${text.map((one) => `<div class="g h">${one}</div>`).join('')}</div></div>
<div class="q r"><div class="s">${w.times(5, () => `<div class="t"><a href="/x">${w.headline()}</a><div class="u">${w.sentence()}</div><div class="v">Mar 3 · 4 min</div></div>`)}</div></div>
<div class="z">${links(w, 9, '<div>', '</div>')}</div></div></div>`,
    ),
  }
}

export const japaneseBlog: Style = (w) => {
  const text = w.paragraphs(7)
  const title = w.headline()
  return {
    text: text.join('\n'),
    html: page(
      `${title} - 日記`,
      `<div id="container"><header id="blog-title"><h1><a href="/">日記</a></h1></header><div id="content"><div id="main"><article class="entry">
<header class="entry-header"><a class="entry-date" href="/d"><time>2025-03-29</time></a><h1 class="entry-title"><a href="/e">${title}</a></h1><div class="categories">${links(w, 3, '', '')}</div></header>
<div class="entry-content">${p(text)}</div><footer class="entry-footer"><div class="social-buttons">${links(w, 4, '', '')}</div></footer></article>
<div class="pager"><a href="/p">« ${w.headline()}</a> <a href="/n">${w.headline()} »</a></div></div></div>
<aside id="box2"><div class="hatena-module"><p>プロフィール ${w.paragraph()}</p></div><div class="hatena-module"><ul>${w.times(10, () => `<li><a href="/x">${w.headline()}</a></li>`)}</ul></div></aside></div>`,
    ),
  }
}

export const blogspot: Style = (w) => {
  const title = w.headline()
  const text = w.paragraphs(7)
  return {
    text: text.join('\n'),
    html: page(
      title,
      `<div class="content-outer"><div class="main-outer"><div class="column-center-outer"><div class="main section" id="main"><div class="widget Blog"><div class="blog-posts hfeed"><h2 class="date-header">Tuesday</h2><div class="post hentry"><h3 class="post-title">${title}</h3>
<div class="post-body entry-content" id="post-body-1"><div class="separator"><a href="/i.png"><img src="/i.png"></a></div>${text.map((one) => `<div>${one}</div><div><br /></div>`).join('')}</div>
<div class="post-footer"><span class="post-author">Posted by Ann</span> <span class="post-labels">Labels: <a href="/l">x</a></span></div></div></div></div></div></div>
<div class="column-right-outer"><div class="sidebar section"><div class="widget"><h2>Archive</h2><ul>${links(w, 30)}</ul></div><div class="widget"><p>${w.paragraph()}</p></div></div></div></div></div>`,
    ),
  }
}

export const listicle: Style = (w) => {
  const title = w.headline()
  const items = Array.from({ length: 10 }, () => ({ heading: w.words(4), text: w.paragraph(2) }))
  const lead = w.paragraph()
  return {
    text: [lead, ...items.flatMap(({ heading, text }) => [heading, text])].join('\n'),
    html: page(
      title,
      `<header><ul>${links(w, 10)}</ul></header><div class="content"><h1>${title}</h1><p>${lead}</p>${items
        .map(
          ({ heading, text }, index) =>
            `<div class="slide"><h2>${heading}</h2><img src="/${index}.jpg"><p>${text}</p></div>`,
        )
        .join('')}</div><div class="recommended">${cards(w, 6)}</div>`,
    ),
  }
}

export const recipe: Style = (w) => {
  const title = w.headline()
  const lead = w.paragraphs(2)
  const ingredients = Array.from({ length: 8 }, () => `${w.pick(9) + 1} ${w.words(3)}`)
  const steps = Array.from({ length: 6 }, () => w.paragraph(2))
  return {
    text: [...lead, 'Ingredients', ...ingredients, 'Steps', ...steps].join('\n'),
    html: page(
      title,
      `<div class="nav-bar"><ul>${links(w, 12)}</ul></div><div class="recipe"><h1>${title}</h1>${p(lead)}<div class="rating">4.5 <button>Rate</button><button>Save</button><button>Print</button></div>
<h2>Ingredients</h2><ul>${ingredients.map((one) => `<li>${one}</li>`).join('')}</ul><h2>Steps</h2><ol>${steps.map((one) => `<li>${one}</li>`).join('')}</ol></div><div class="more-recipes">${cards(w, 6)}</div>`,
    ),
  }
}

export const illustrated: Style = (w) => {
  const title = w.headline()
  const text = w.paragraphs(8)
  const captions = [w.sentence().trim(), w.sentence().trim()]
  const quote = w.sentence().trim()
  const notes = [w.sentence().trim(), w.sentence().trim()]
  return {
    text: [
      captions[0],
      ...text.slice(0, 3),
      quote,
      ...text.slice(3, 6),
      captions[1],
      ...text.slice(6),
      'Notes',
      ...notes,
    ].join('\n'),
    html: page(
      title,
      `<nav><ul>${links(w, 8)}</ul></nav><main><article><h1>${title}</h1><figure><img src="/1.jpg" alt="One"><figcaption>${captions[0]}</figcaption></figure>${p(text.slice(0, 3))}
<blockquote>${quote}</blockquote>${p(text.slice(3, 6))}<figure><picture><source srcset="/2.webp"><img src="/2.jpg" alt=""></picture><figcaption>${captions[1]}</figcaption></figure>${p(text.slice(6))}
<h2>Notes</h2><ol class="footnotes"><li id="fn1">${notes[0]}</li><li id="fn2">${notes[1]}</li></ol></article></main>`,
    ),
  }
}

export const sectioned: Style = (w) => {
  const text = w.paragraphs(22)
  const title = w.headline()
  return {
    text: text.join('\n'),
    html: page(
      title,
      `<main><article><h1>${title}</h1><section class="s1">${p(text.slice(0, 19))}</section><section class="s2">${p(text.slice(19))}</section></article>
<section class="more">${cards(w, 6)}</section></main>`,
    ),
  }
}
