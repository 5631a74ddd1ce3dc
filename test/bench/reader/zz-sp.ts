import { readdirSync, readFileSync } from 'node:fs'
import { readHtml } from '/work/main/src/reader/read-html.ts'
import { buildTree } from '/work/main/src/reader/build-tree.ts'
import { decodeBytes } from '/work/main/src/reader/decode.ts'
import { Tokenizer } from 'htmlparser2'
const dir = '/work/shared/data/reader-pages/'
const src = readdirSync(dir).map((n) => decodeBytes(readFileSync(dir + n + '/source.html'), null))
const noop = () => {}
const cb: any = {
  ontext: noop,
  ontextentity: noop,
  onopentagname: noop,
  onattribname: noop,
  onattribdata: noop,
  onattribentity: noop,
  onattribend: noop,
  onselfclosingtag: noop,
  onopentagend: noop,
  onclosetag: noop,
  oncdata: noop,
  oncomment: noop,
  ondeclaration: noop,
  onprocessinginstruction: noop,
  onend: noop,
}
const tok = (h: string) => {
  const t = new Tokenizer({ xmlMode: false, decodeEntities: true }, cb)
  t.write(h)
  t.end()
}
const time = (f: (h: string) => void) =>
  src.map((h) => {
    let best = 1e9
    for (let i = 0; i < 5; i++) {
      const s = performance.now()
      f(h)
      best = Math.min(best, performance.now() - s)
    }
    return best
  })
for (let i = 0; i < 2; i++)
  src.forEach((h) => {
    tok(h)
    buildTree(h)
    readHtml(h, 'http://x.example/')
  })
const a = time(tok),
  b = time(buildTree),
  c = time((h) => readHtml(h, 'http://x.example/'))
const sum = (x: number[]) => x.reduce((s, v) => s + v, 0)
const r = c.map((v, i) => v / a[i]!).sort((x, y) => x - y)
console.log(
  'tok',
  sum(a).toFixed(0),
  'tree',
  sum(b).toFixed(0),
  'read',
  sum(c).toFixed(0),
  'ratio',
  (sum(c) / sum(a)).toFixed(2),
  'p50',
  r[65]!.toFixed(2),
  'p95',
  r[Math.floor(r.length * 0.95)]!.toFixed(2),
  'max',
  r.at(-1)!.toFixed(2),
)
