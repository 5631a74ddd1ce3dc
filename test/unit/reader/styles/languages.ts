import type { OldEncoding } from '../../../support/old-encodings.ts'

/** A page in the shape that sites of a country give theirs, with what a reader has to make of it. `NOISE` marks what is around. */
export interface LocalPage {
  name: string
  language: string
  /** Null: UTF-8. */
  encoding: OldEncoding | null
  /** Whether the page itself says in which encoding it is; else the header does. */
  isDeclared: boolean
  url: string
  html: string
  title: string
  byline: string | null
  day: string
  /** Pieces of the text, in this order. */
  has: readonly string[]
}

interface Words {
  language: string
  title: string
  text: readonly string[]
  noise: readonly string[]
}

const ZH: Words = {
  language: 'zh-CN',
  title: '市议会同意修建跨河大桥',
  text: [
    '市议会在星期二开会，经过长时间的讨论，最终同意在河上修建一座新桥，工程将于明年春天开始，预计两年后完成。',
    '这座桥长三百米，设有人行道和自行车道。设计单位表示，新桥落成之后，两岸居民往返的时间将缩短一半。',
    '反对者认为造价过高，要求公布详细的预算。市长回应说，所有文件都会在下个月之前公开，接受市民的监督。',
  ],
  noise: ['首页', '新闻', '财经', '体育', '登录', '注册', '热门推荐', '广告服务', '版权所有'],
}

const TW: Words = {
  language: 'zh-TW',
  title: '市議會同意修建跨河大橋',
  text: [
    '市議會在星期二開會，經過長時間的討論，最終同意在河上修建一座新橋，工程將於明年春天開始，預計兩年後完成。',
    '這座橋長三百公尺，設有人行道和自行車道。設計單位表示，新橋落成之後，兩岸居民往返的時間將縮短一半。',
    '反對者認為造價過高，要求公布詳細的預算。市長回應說，所有文件都會在下個月之前公開，接受市民的監督。',
  ],
  noise: ['首頁', '新聞', '財經', '體育', '登入', '註冊', '熱門推薦', '廣告服務', '版權所有'],
}

const JA: Words = {
  language: 'ja',
  title: '市議会、川に新しい橋を架けることで合意',
  text: [
    '市議会は火曜日に開かれ、長い議論の末、川に新しい橋を架けることで合意した。工事は来年の春に始まり、二年後に完成する予定だ。',
    '橋の長さは三百メートルで、歩道と自転車道が設けられる。設計会社によると、両岸を行き来する時間は半分になるという。',
    '反対派は費用が高すぎるとして、詳しい予算の公表を求めている。市長は、すべての文書を来月までに公開すると答えた。',
  ],
  noise: ['ホーム', 'ニュース', '経済', 'スポーツ', 'ログイン', '会員登録', 'おすすめ記事', '利用規約', '運営会社'],
}

const DE: Words = {
  language: 'de',
  title: 'Stadtrat beschließt den Bau der neuen Brücke',
  text: [
    'Der Stadtrat hat am Dienstag getagt und nach langer Aussprache beschlossen, eine neue Brücke über den Fluss zu bauen. Die Arbeiten beginnen im Frühjahr und dauern zwei Jahre.',
    'Die Brücke wird dreihundert Meter lang und bekommt einen Gehweg und einen Radweg. Für die Bürger auf beiden Ufern verkürzt sich der Weg um die Hälfte, heißt es im Entwurf.',
    'Gegner halten die Kosten für überhöht und verlangen einen genauen Haushaltsplan. Der Bürgermeister kündigte an, alle Unterlagen bis zum nächsten Monat zu veröffentlichen.',
  ],
  noise: [
    'Startseite',
    'Nachrichten',
    'Wirtschaft',
    'Sport',
    'Anmelden',
    'Registrieren',
    'Meistgelesen',
    'Impressum',
    'Datenschutz',
  ],
}

const links = ({ noise }: Words, times: number) =>
  Array.from(
    { length: times },
    (_, index) => `<li><a href="/n/${index}">NOISE ${noise[index % noise.length]} ${index}</a></li>`,
  ).join('')
const paragraphs = ({ text }: Words) => text.map((one) => `<p>${one}</p>`).join('\n')
const head = (words: Words, site: string, encoding: OldEncoding | null, isDeclared: boolean) =>
  `<!DOCTYPE html><html lang="${words.language}"><head>${isDeclared ? `<meta http-equiv="Content-Type" content="text/html; charset=${encoding ?? 'utf-8'}">` : ''}<title>${words.title}${site}</title></head>`

type Shape = (words: Words, site: string, encoding: OldEncoding | null, isDeclared: boolean) => string

/** A portal: nested tables of old, source and time in one line, who edited it at the end. */
const portal =
  (about: string, end: string): Shape =>
  (words, site, encoding, isDeclared) =>
    `${head(words, site, encoding, isDeclared)}<body><div id="top_nav" class="nav"><ul>${links(words, 18)}</ul></div>
  <table width="960"><tr><td class="left"><div class="path"><a href="/">NOISE ${words.noise[0]}</a> &gt; <a href="/n">NOISE ${words.noise[1]}</a></div>
  <h1>${words.title}</h1><div class="info">${about}</div><div id="artibody" class="article-content">${paragraphs(words)}<p class="editor">${end}</p></div>
  <div class="share">NOISE ${words.noise[5]}</div></td><td class="sidebar"><h3>NOISE ${words.noise[6]}</h3><ul>${links(words, 20)}</ul></td></tr></table>
  <div class="footer">NOISE ${words.noise[7]} | NOISE ${words.noise[8]}</div></body></html>`

/** A paper of today: `article`, a byline with a `time`, teasers of other articles behind it. */
const paper =
  (byline: string): Shape =>
  (words, site, encoding, isDeclared) =>
    `${head(words, site, encoding, isDeclared)}<body><header class="site-header"><nav><ul>${links(words, 24)}</ul></nav></header>
  <div class="cookie-banner"><p>NOISE Cookies</p><button>OK</button></div><main><article><header><h1>${words.title}</h1><div class="meta">${byline}</div></header>
  <div class="article__body">${paragraphs(words)}</div></article><aside class="related"><h2>NOISE ${words.noise[6]}</h2><ul>${links(words, 12)}</ul></aside></main>
  <footer><ul>${links(words, 14)}</ul><p>NOISE ${words.noise[7]} | NOISE ${words.noise[8]}</p></footer></body></html>`

/** A blog with a side bar of its months. */
const blog =
  (about: string): Shape =>
  (words, site, encoding, isDeclared) =>
    `${head(words, site, encoding, isDeclared)}<body><div id="header"><a href="/">NOISE blog</a><ul class="menu">${links(words, 8)}</ul></div><div id="wrap"><div id="main"><div class="entry hentry">
  <h1 class="entry-title">${words.title}</h1><div class="entry-meta">${about}</div><div class="entry-content">${paragraphs(words)}</div></div></div>
  <div id="sidebar" class="sidebar"><h3>NOISE ${words.noise[6]}</h3><ul>${links(words, 24)}</ul></div></div><div id="footer">NOISE ${words.noise[8]}</div></body></html>`

const SHAPES: readonly (readonly [string, Words, Shape, string, string | null])[] = [
  [
    'Chinese portal',
    ZH,
    portal('2025年03月09日 08:30 &nbsp; 来源：河畔日报', '责任编辑：王小明'),
    '_新闻中心_河畔网',
    null,
  ],
  [
    'Chinese paper',
    ZH,
    paper('<span>作者：王小明</span> <time datetime="2025-03-09T08:30:00+08:00">3月9日</time>'),
    ' - 河畔日报',
    '王小明',
  ],
  ['Chinese blog', ZH, blog('发布于 2025-03-09 作者：<a href="/u/1">王小明</a> 阅读 1024'), ' | 桥梁笔记', '王小明'],
  [
    'Taiwanese paper',
    TW,
    paper('<span>記者王小明／台北報導</span> <span>2025/03/09 08:30</span>'),
    ' | 河畔新聞網',
    '王小明',
  ],
  [
    'Japanese paper',
    JA,
    paper('<time datetime="2025-03-09T08:30:00+09:00">2025年3月9日 8時30分</time> <span>執筆者：山田太郎</span>'),
    '：河畔新聞デジタル',
    '山田太郎',
  ],
  ['Japanese blog', JA, blog('2025年03月09日 投稿者：山田太郎'), ' - 橋の日記', '山田太郎'],
  [
    'German paper',
    DE,
    paper('<span>Von Anna Müller</span> <span>9. März 2025, 8:30 Uhr</span>'),
    ' | Flussbote',
    'Anna Müller',
  ],
  [
    'German blog',
    DE,
    blog('Veröffentlicht am 09.03.2025 von <a rel="author" href="/a">Jörg Weiß</a>'),
    ' - Brückenbau-Blog',
    'Jörg Weiß',
  ],
]

const ENCODINGS: Readonly<Record<string, readonly (OldEncoding | null)[]>> = {
  'zh-CN': [null, 'gbk'],
  'zh-TW': [null, 'big5'],
  ja: [null, 'shift_jis', 'euc-jp'],
  de: [null, 'iso-8859-1', 'windows-1252'],
}

/** Every shape in every encoding of its language, once as the page itself says it and once as only the header does. */
export const LOCAL_PAGES: readonly LocalPage[] = SHAPES.flatMap(([name, words, shape, site, byline]) =>
  (ENCODINGS[words.language] ?? []).flatMap((encoding) =>
    [true, false].map((isDeclared) => {
      const html = shape(words, site, encoding, isDeclared)
      return {
        name: `${name}, ${encoding ?? 'utf-8'} ${isDeclared ? 'by its own word' : 'by its header'}`,
        language: words.language,
        encoding,
        isDeclared,
        url: 'https://site.example/news/1.html',
        html,
        title: words.title,
        byline,
        day: '2025-03-09',
        has: words.text,
      }
    }),
  ),
)
