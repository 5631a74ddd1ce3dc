import { around, ITEMS, items, linked, links, NOISE, type Style } from './listing.ts'

export const searchResults: Style = (w) => {
  const { html, has } = items(
    w,
    ({ title, summary, index }) =>
      `<div class="g"><div class="r"><a href="/p/${index}"><h3>${title}</h3><div>site.example › p</div></a></div><div class="s"><span>Mar 3, 2025 — ${summary}</span></div></div>`,
    (item) => [linked(item), item.summary],
  )
  const pages = w.times(5, (index) => `<a href="/search?page=${index + 2}">${index + 2}</a>`)
  return {
    html: around(
      w,
      'bridges - Search',
      `<form action="/search"><input name="q"><button>Search</button></form><div id="search"><div id="rso">${html}</div></div><div class="pagination">${pages} <a href="/search?page=2">Next page</a></div>`,
    ),
    has: [...has, '[Next page](https://site.example/search?page=2)'],
    lacks: NOISE,
  }
}

export const points: Style = (w) => {
  const { html, has } = items(
    w,
    ({ title, index }) =>
      `<tr class="athing"><td class="title">${index + 1}.</td><td class="title"><a href="/p/${index}">${title}</a> <span>(site.example)</span></td></tr><tr><td></td><td class="subtext">${index} points by <a href="/u">ann</a> | <a href="/item/${index}">${index} comments</a></td></tr>`,
    (item) => [linked(item), `comments](https://site.example/item/${item.index})`],
  )
  return {
    html: `<html><head><title>A list</title></head><body><center><table id="hnmain"><tr><td><table><tr><td><b>A list</b> <a href="/new">new</a></td></tr></table></td></tr><tr><td><table>${html}</table></td></tr></table></center></body></html>`,
    has,
    lacks: [],
  }
}

export const products: Style = (w) => {
  const { html, has } = items(
    w,
    ({ title, index }) =>
      `<tr><td><a href="/p/${index}">${title}</a></td><td>${index} cm</td><td>€ ${index}.99</td><td><button>Buy</button></td></tr>`,
    (item) => [linked(item), `| ${item.index} cm | € ${item.index}.99 |`],
  )
  return {
    html: around(
      w,
      'Bridges to buy',
      `<main><h1>Bridges</h1><table class="products"><thead><tr><th>Name</th><th>Length</th><th>Price</th><th></th></tr></thead><tbody>${html}</tbody></table></main>`,
    ),
    has: ['| Name | Length | Price |', ...has],
    lacks: ['COOKIE'],
  }
}

export const issues: Style = (w) => {
  const { html, has } = items(
    w,
    ({ title, index }) =>
      `<div class="Box-row"><div class="flex-auto"><a class="Link--primary" href="/p/${index}">${title}</a> <a class="IssueLabel" href="/label">bug</a><div class="mt-1 text-small"><span>#${index} opened 3 days ago by <a href="/u">ann</a></span></div></div></div>`,
    (item) => [linked(item), `#${item.index} opened`],
  )
  return { html: around(w, 'Issues', `<main><div class="Box">${html}</div></main>`), has, lacks: [] }
}

export const forum: Style = (w) => {
  const { html, has } = items(
    w,
    ({ summary, index }) =>
      `<div class="post" id="post-${index}"><div class="post-author"><a href="/u/${index}">user${index}</a><div>Joined 2019</div></div><div class="post-body"><div class="post-date">March ${index + 1}</div><div class="post-content">${summary} ${summary}</div><div class="post-actions"><a href="/quote">Quote</a> <a href="/like">Like</a></div></div></div>`,
    ({ summary, index }) => [`user${index}`, `${summary} ${summary}`],
  )
  return {
    html: around(w, 'Which bridge? - A forum', `<div id="thread"><h1>Which bridge?</h1>${html}</div>`),
    has,
    lacks: NOISE,
  }
}

export const questions: Style = (w) => {
  const { html, has } = items(
    w,
    ({ summary, index }) =>
      `<div class="answer" id="answer-${index}"><div class="votecell">${index}</div><div class="answercell"><div class="s-prose"><p>${summary}</p><pre><code>answer(${index})</code></pre><p>${summary}</p></div><div class="user-info"><a href="/u/${index}">user${index}</a></div></div></div>`,
    ({ summary, index }) => [summary, `answer(${index})`, summary],
  )
  const question = w.paragraph()
  return {
    html: around(
      w,
      'How to build a bridge?',
      `<div id="mainbar"><div class="question"><h1>How to build a bridge?</h1><div class="s-prose"><p>${question}</p><pre><code>bridge()</code></pre></div></div><div id="answers"><h2>${ITEMS} Answers</h2>${html}</div></div>
<div id="sidebar"><h4>SIDE Hot questions</h4><ul>${links(w, 12, 'SIDE')}</ul></div>`,
    ),
    has: [question, 'bridge()', ...has],
    lacks: [...NOISE, 'SIDE'],
  }
}

/** Comments are all that it has. */
export const discussion: Style = (w) => {
  const { html, has } = items(
    w,
    ({ summary, index }) =>
      `<tr class="athing comtr"><td><table><tr><td><img src="s.gif" width="${index * 40}"></td><td><span class="comhead"><a href="/u/${index}">user${index}</a> 2 hours ago</span><div class="comment"><div class="commtext">${summary}<p>${summary}</p></div></div></td></tr></table></td></tr>`,
    ({ summary, index }) => [`user${index}`, summary, summary],
  )
  return { html: around(w, 'A bridge', `<table class="comment-tree">${html}</table>`), has, lacks: NOISE }
}

export const nestedDiscussion: Style = (w) => {
  const { html, has } = items(
    w,
    ({ summary, index }) =>
      `<div class="thing comment"><div class="entry"><p class="tagline"><a href="/u/${index}">user${index}</a> 5 points</p><form><div class="md"><p>${summary}</p></div></form><ul class="buttons"><li><a href="/r">reply</a></li></ul></div></div>`,
    ({ summary, index }) => [`user${index}`, summary],
  )
  return {
    html: around(w, 'A bridge', `<div class="commentarea"><div class="nestedlisting">${html}</div></div>`),
    has,
    lacks: NOISE,
  }
}
