import { around, items, linked, links, NOISE, type Style } from './listing.ts'

export const frontPage: Style = (w) => {
  const { html, has } = items(
    w,
    ({ title, summary, index }) =>
      `<article class="story-wrapper"><a href="/p/${index}"><figure><img src="/${index}.jpg" alt=""></figure><h3 class="headline">${title}</h3></a><p class="summary">${summary}</p><p class="byline">By Ann Author</p></article>`,
    (item) => [linked(item), item.summary],
  )
  return { html: around(w, 'The Daily', `<main><section><h1>Today</h1>${html}</section></main>`), has, lacks: NOISE }
}

export const sections: Style = (w) => {
  const { html, has } = items(
    w,
    ({ title, summary, index }) =>
      `<section class="story"><h2><a href="/p/${index}">${title}</a></h2><p>${summary} ${summary}</p><ul><li><a href="/also/${index}">${w.headline()}</a></li><li><a href="/more/${index}">${w.headline()}</a></li></ul></section>`,
    (item) => [linked(item), `${item.summary} ${item.summary}`],
  )
  return { html: around(w, 'News', `<div id="main"><div class="top-stories">${html}</div></div>`), has, lacks: NOISE }
}

export const chinesePortal: Style = (w) => {
  const block = (name: string) => {
    const { html, has } = items(
      w,
      ({ title, index }) => `<li><span>03-29</span><a href="/p/${index}" target="_blank">${title}</a></li>`,
      (item) => [linked(item)],
    )
    return {
      html: `<div class="mod"><div class="hd"><h2>${name}</h2></div><div class="bd"><ul>${html}</ul></div></div>`,
      has,
    }
  }
  const blocks = ['国内', '国际', '体育'].map((name) => ({ name, ...block(name) }))
  return {
    html: around(w, '某某网_首页', `<div class="wrap">${blocks.map(({ html }) => html).join('')}</div>`),
    has: blocks.flatMap(({ name, has }) => [`## ${name}`, ...has]),
    lacks: [],
  }
}

export const blogIndex: Style = (w) => {
  const { html, has } = items(
    w,
    ({ title, summary, index }) =>
      `<article class="post"><h2 class="entry-title"><a href="/p/${index}">${title}</a></h2><div class="entry-meta"><time>March ${index + 1}</time> by <a href="/ann">Ann</a></div><div class="entry-summary"><p>${summary} […]</p><a class="more-link" href="/p/${index}">Continue reading</a></div></article>`,
    (item) => [linked(item), item.summary],
  )
  return {
    html: around(
      w,
      'A blog',
      `<div id="primary">${html}<nav class="pagination"><a href="/page/2">Older posts</a></nav></div><aside id="secondary"><ul>${links(w, 10, 'SIDE')}</ul></aside>`,
    ),
    has: [...has, '[Older posts](https://site.example/page/2)'],
    lacks: [...NOISE, 'SIDE'],
  }
}

export const docsIndex: Style = (w) => {
  const { html, has } = items(
    w,
    ({ title, index }) =>
      `<li><a href="/p/${index}">${title}</a><ul><li><a href="/q/${index}">${w.words(3)}</a></li></ul></li>`,
    (item) => [linked(item), `(https://site.example/q/${item.index})`],
  )
  return {
    html: around(
      w,
      'Documentation',
      `<main><h1>Documentation</h1><p>${w.sentence()}</p><h2>Contents</h2><ul>${html}</ul></main>`,
    ),
    has,
    lacks: ['COOKIE'],
  }
}
