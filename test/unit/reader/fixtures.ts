/** Pages made by hand, each with what its reader has to get and to leave out. Every one has the weight that real pages have. */
export interface Fixture {
  name: string
  html: string
  /** Pieces of the Markdown, in this order. */
  has: readonly string[]
  lacks: readonly string[]
}

const SCRIPTS = Array.from(
  { length: 12 },
  (_, index) =>
    `<script src="/static/js/chunk-${index}.0a1b2c3d.js" defer crossorigin="anonymous"></script><link rel="preload" as="style" href="/static/css/part-${index}.css">`,
).join('\n')
const STATE = `<script>window.__STATE__=${JSON.stringify(Array.from({ length: 120 }, (_, id) => ({ id, kind: 'module', url: `/m/${id}`, shown: true })))}</script>`
const NAV = Array.from(
  { length: 40 },
  (_, index) =>
    `<li class="menu__item menu__item--level-1"><a class="menu__link" href="/section/${index}">NAV section ${index}</a></li>`,
).join('')
const FOOTER = Array.from(
  { length: 30 },
  (_, index) => `<li><a href="/about/${index}">FOOTER link ${index}</a></li>`,
).join('')

/** A page around its content, as sites build them. */
function site(language: string, title: string, content: string, around = ''): string {
  return `<!DOCTYPE html><html lang="${language}"><head><meta charset="utf-8"><title>${title} - A site</title>
${SCRIPTS}<style>.a{color:red}${'.menu__item{margin:0 auto;padding:2px}'.repeat(40)}</style></head>
<body class="page page--default"><header class="top"><nav class="menu"><ul class="menu__list">${NAV}</ul></nav></header>
<div class="cookie-consent"><p>COOKIE We use cookies, and so do our 700 partners, to make things better for you.</p><button>OK</button></div>
<main class="wrap"><div class="col col--main">${content}</div>${around}</main>
<footer class="site-footer"><ul>${FOOTER}</ul><p>FOOTER all rights reserved, in every country and for ever.</p></footer>${STATE}</body></html>`
}

const EN = 'The council met on Tuesday, and after a long debate it agreed to build the bridge over the river. '
const ZH = '市议会在星期二开会，经过长时间的讨论，最终同意在河上修建一座新桥，工程将于明年春天开始。'
const JA = '市議会は火曜日に開かれ、長い議論の末、川に新しい橋を架けることで合意した。工事は来年の春に始まる。'
const KO = '시의회는 화요일에 열렸고, 긴 토론 끝에 강 위에 새 다리를 건설하기로 합의했다. 공사는 내년 봄에 시작된다. '

const paragraphs = (text: string, count: number) =>
  Array.from({ length: count }, (_, index) => `<p>${index + 1}. ${text.repeat(3)}</p>`).join('\n')
const article = (title: string, text: string, more = '') =>
  `<article class="story"><h1>${title}</h1><div class="byline">By Ann Author</div><div class="story-body">${paragraphs(text, 8)}${more}</div></article>`
const NOISE = ['NAV', 'COOKIE', 'FOOTER', '__STATE__']

const teasers = (word: string) =>
  Array.from(
    { length: 6 },
    (_, index) =>
      `<div class="card"><a class="card__link" href="/story/${index}"><img src="/i/${index}.jpg" alt=""><h3>${word} headline of another story ${index}</h3></a><p>${word} A few words that make one curious about it.</p></div>`,
  ).join('')

const gallery = `<div class="photo-gallery">${Array.from({ length: 6 }, (_, index) => `<figure><img src="/g/${index}.jpg"><figcaption>GALLERY picture ${index} shows the bridge from where nobody has seen it before.</figcaption></figure>`).join('')}</div>`

const forumPost = (name: string, text: string) =>
  `<div class="thread-post"><div class="poster"><a href="/u/${name}">${name}</a><span>42 posts</span></div><div class="message"><p>${text}</p><p>${text} And one thing more.</p></div></div>`

const result = (index: number) =>
  `<div class="result"><h3><a href="https://found.example/${index}">Result ${index}: bridges</a></h3><cite>found.example › ${index}</cite><p>Snippet ${index} tells in a few words what the page is about, so that one can choose.</p></div>`

export const FIXTURES: readonly Fixture[] = [
  {
    name: 'an article with links, related stories, comments and forms',
    html: site(
      'en',
      'A bridge is built',
      `${article('A bridge is built', EN, `<p>More in the <a href="/report?id=1&amp;x=2">whole report</a>, or <a href="https://other.example/a(b)">elsewhere</a>.</p>`)}
       ${gallery}<section class="stream"><h2>More for you</h2><div>${teasers('TEASER')}</div></section>
       <form action="/subscribe"><label>FORM your address <input name="mail"></label><button>Send</button></form>
       <div id="comments"><p>COMMENT ${EN}</p><p>COMMENT ${EN}</p></div>`,
      `<aside><p>ASIDE ${EN}</p></aside>`,
    ),
    has: [
      `1. ${EN.repeat(3).trim()}`,
      `8. ${EN.repeat(3).trim()}`,
      '[whole report](https://site.example/report?id=1&x=2)',
      '[elsewhere](https://other.example/a%28b%29)',
    ],
    lacks: [...NOISE, 'TEASER', 'GALLERY', 'FORM', 'COMMENT', 'ASIDE', '# A bridge', 'By Ann'],
  },
  {
    name: 'a Chinese article',
    html: site('zh-CN', '新桥动工', `${article('新桥动工', ZH)}<div class="related">${teasers('推荐')}</div>`),
    has: [`1. ${ZH.repeat(3)}`, `8. ${ZH.repeat(3)}`],
    lacks: [...NOISE, '推荐', '# 新桥'],
  },
  {
    name: 'a Japanese article',
    html: site('ja', '新しい橋', article('新しい橋', JA)),
    has: [`8. ${JA.repeat(3)}`],
    lacks: NOISE,
  },
  {
    name: 'a Korean article',
    html: site('ko', '새 다리', article('새 다리', KO)),
    has: [`8. ${KO.repeat(3).trim()}`],
    lacks: NOISE,
  },
  {
    name: 'a page of documentation',
    html: site(
      'en',
      'Installing',
      `<div class="doc-content"><h1 id="i">How the tool is installed and used</h1>${paragraphs(EN, 3)}
       <h2>Steps</h2><ol><li>Get the tool</li><li>Run it:<pre><code class="language-sh">npm ci
npm start -- --port 8787</code></pre></li><li>Look<ul><li>at <code>/healthz</code></li></ul></li></ol>
       <h2>Options</h2><table><thead><tr><th>Name</th><th>Default</th></tr></thead><tbody><tr><td><code>port</code></td><td>8787</td></tr>
       <tr><td>a|b</td><td>none</td></tr></tbody></table>${paragraphs(EN, 3)}</div>`,
    ),
    has: [
      '## Steps',
      '1. Get the tool',
      '```sh\n   npm ci\n   npm start -- --port 8787\n   ```',
      '- at `/healthz`',
      '| Name | Default |\n| --- | --- |\n| `port` | 8787 |\n| a\\|b | none |',
    ],
    lacks: NOISE,
  },
  {
    name: 'a forum thread',
    html: site(
      'en',
      'Which bridge?',
      `<h1>Which bridge?</h1>${['ann', 'bo', 'cy', 'di'].map((name) => forumPost(name, `POST of ${name}: ${EN.repeat(2)}`)).join('')}`,
    ),
    has: ['POST of ann', 'POST of bo', 'POST of cy', 'POST of di'],
    lacks: NOISE,
  },
  {
    name: 'search results',
    html: site(
      'en',
      'bridges',
      `<div class="results">${Array.from({ length: 20 }, (_, index) => result(index)).join('')}</div>`,
    ),
    has: [
      '[Result 0: bridges](https://found.example/0)',
      'Snippet 0 tells',
      '[Result 19: bridges](https://found.example/19)',
      'Snippet 19 tells',
    ],
    lacks: ['COOKIE', '__STATE__'],
  },
  {
    name: 'a listing of stories',
    html: site('en', 'Stories', `<h1>Stories</h1><div class="grid">${teasers('STORY')}${teasers('TALE')}</div>`),
    has: ['STORY headline of another story 0', 'https://site.example/story/0', 'TALE headline of another story 5'],
    lacks: ['__STATE__'],
  },
]
