import type { BuildOptions, Metafile, Plugin } from 'esbuild'
import { readFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { loadedWith, ROOT } from './bundle.ts'

/** A page that the Worker serves: what it is called, its HTML, the script that begins it and its style sheet. */
interface Page {
  name: string
  template: string
  entry: string
  style?: string
  /** Texts, of which it loads one file before it shows anything. */
  texts?: RegExp
}

/** Within the page, so that a browser asks for no file of its own making. */
const ICON = 'src/console/icon.svg'

/** `<!-- assets -->` of a template becomes the page's style sheet and script, `<!-- icon -->` its icon. */
const PAGES: readonly Page[] = [
  {
    name: 'console.html',
    template: 'src/console/console.html',
    entry: 'src/console/main.tsx',
    style: 'src/console/style/main.css',
    // What parts say that are loaded later comes with the first of them.
    texts: /^src\/console\/texts\/(?!views-)/,
  },
  { name: 'diagram.html', template: 'src/console/diagram/diagram.html', entry: 'src/console/diagram/main.ts' },
  {
    name: 'docs.html',
    template: 'src/console/docs/docs.html',
    entry: 'src/console/docs/main.ts',
    style: 'src/console/docs/main.css',
  },
]

interface Asset {
  /** Flat: `/assets/NAME` for what a page loads. */
  name: string
  bytes: Uint8Array
}

interface Assets {
  /** Scripts and styles first, pages last: a page never names what is not there yet. */
  files: Asset[]
  /** Bytes of gzip: the script that each page loads before it does anything, by the page's name. */
  firstLoad: Record<string, number>
}

const options = {
  bundle: true,
  write: false,
  metafile: true,
  splitting: true,
  format: 'esm',
  target: 'es2023',
  minify: true,
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.svg': 'file', '.md': 'text' },
  outdir: 'assets',
  logLevel: 'silent',
  absWorkingDir: ROOT,
} as const satisfies BuildOptions

const CONSOLE = { entry: join(ROOT, 'src/console/main.tsx'), texts: join(ROOT, 'src/console/texts/') }

/** Puts what the console loads first into one file. esbuild parts modules by who reaches them, so that each view that is loaded later would cut out
 *  what it shares with the first load: many small files, which compress worse. A view that imports what began the page reaches all of it. */
const firstLoadWhole: Plugin = {
  name: 'first-load-whole',
  setup(build) {
    const later = new Set<string>()
    build.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) => {
      const file = join(resolveDir, path)
      if (kind === 'dynamic-import' && !file.startsWith(CONSOLE.texts)) later.add(file)
      return null
    })
    build.onLoad({ filter: /[\\/]src[\\/]console[\\/].*\.tsx?$/ }, ({ path }) => {
      if (!later.has(path)) return null
      const contents = `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(CONSOLE.entry)}\n`
      return { contents, loader: extname(path) === '.tsx' ? 'tsx' : 'ts' }
    })
  },
}

/** Everything that the Worker's pages load, with hashed names. Rejects with esbuild's errors. */
async function bundleAssets(): Promise<Assets> {
  const { build } = await import('esbuild')
  const entryPoints = PAGES.flatMap(({ entry, style }) => (style === undefined ? [entry] : [entry, style]))
  const { outputFiles, metafile } = await build({ ...options, entryPoints, plugins: [firstLoadWhole] })
  const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), bytes: contents }))
  const pages = PAGES.map((page) => ({ name: page.name, bytes: htmlOf(page, metafile) }))
  const firstLoad = PAGES.map((page) => [page.name, firstLoadOf(page, metafile, files)])
  return { files: [...files, ...pages], firstLoad: Object.fromEntries(firstLoad) }
}

function outputOf(metafile: Metafile, entry: string): string {
  const found = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entry)
  if (!found) throw new Error(`${entry} was not bundled`)
  return found[0]
}

function htmlOf({ template, entry, style }: Page, metafile: Metafile): Uint8Array {
  const address = (path: string) => `/assets/${basename(path)}`
  const [script = '', ...imported] = loadedWith(outputOf(metafile, entry), metafile).map(address)
  const tags = [
    ...(style === undefined ? [] : [`<link rel="stylesheet" href="${address(outputOf(metafile, style))}" />`]),
    ...imported.map((path) => `<link rel="modulepreload" href="${path}" crossorigin />`),
    `<script type="module" src="${script}" crossorigin></script>`,
  ]
  const html = readFileSync(ROOT + template, 'utf8')
  return Buffer.from(html.replace('<!-- assets -->', tags.join('\n    ')).replace('<!-- icon -->', iconTag()))
}

function iconTag(): string {
  const svg = readFileSync(ROOT + ICON, 'utf8').trim()
  return `<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,${encodeURIComponent(svg)}" />`
}

function firstLoadOf({ entry, texts }: Page, metafile: Metafile, files: readonly Asset[]): number {
  const packs = Object.entries(metafile.outputs)
    .filter(([, { entryPoint = '' }]) => texts?.test(entryPoint))
    .map(([path]) => gzipBytes([path], files))
  return gzipBytes(loadedWith(outputOf(metafile, entry), metafile), files) + Math.max(0, ...packs)
}

function gzipBytes(paths: readonly string[], files: readonly Asset[]): number {
  const names = new Set(paths.map((path) => basename(path)))
  const loaded = files.filter(({ name }) => names.has(name))
  return loaded.reduce((sum, { bytes }) => sum + gzipSync(bytes, { level: 9 }).length, 0)
}

/** Where the pages' files are; `wrangler.toml` names the same folder. */
const ASSETS_FOLDER = `${ROOT}dist/assets`

/** Bundles the pages into `dist/assets`. File by file in one step, so that a server that reads there meanwhile finds old or new. */
export async function writeAssets(): Promise<Assets> {
  const assets = await bundleAssets()
  mkdirSync(ASSETS_FOLDER, { recursive: true })
  for (const { name, bytes } of assets.files) replace(`${ASSETS_FOLDER}/${name}`, bytes)
  const names = new Set(assets.files.map(({ name }) => name))
  for (const name of readdirSync(ASSETS_FOLDER))
    if (!names.has(name)) rmSync(`${ASSETS_FOLDER}/${name}`, { force: true })
  return assets
}

/** The folder of the pages' files, which is made when it is not there: after `npm ci` it is. */
export async function assetsFolder(): Promise<string> {
  if (!existsSync(`${ASSETS_FOLDER}/console.html`)) await writeAssets()
  return ASSETS_FOLDER
}

/** Writes a file in one step, so that a reader at the same time sees the old one or the new one. */
export function replace(path: string, bytes: Uint8Array): void {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, bytes)
  renameSync(draft, path)
}
