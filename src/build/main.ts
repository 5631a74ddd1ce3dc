// `npm run build`: dist/worker (what wrangler deploys), dist/assets (the pages), dist/library.js, dist/client.js and dist/react.js with their
// types. `npm run build -- worker`: dist/worker alone; YAA_BUNDLED_CONFIG names a server config to bundle in. `npm run build -- package`: what
// a package needs beside that (npm pack asks for it). Fails above the size limits.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { bundleLibrary, bundleWorker, FIRST_GZIP_BYTES_MAX, firstGzipBytes, ROOT } from './bundle.ts'
import { bundleClient, packageDeclarations, writePackedWorker, writeTerminal } from './package.ts'
import { replace, writeAssets } from './pages.ts'

/** Script of the console before it shows anything; what draws charts comes when there is one. */
const CONSOLE_GZIP_BYTES_MAX = 60 * 1024
const DIST = `${ROOT}dist/`

const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`
const sizeOf = (bytes: Uint8Array) => `${kib(bytes.length)}, gzip ${kib(gzipSync(bytes, { level: 9 }).length)}`

function check(what: string, gzip: number, gzipMax: number): void {
  if (gzip <= gzipMax) return
  console.error(`${what} is over its limit: gzip ${kib(gzip)}, at most ${kib(gzipMax)}`)
  process.exitCode = 1
}

/** The modules of the Worker. Each is written in one step, so that a reader at the same time sees the old file or the new one. */
async function buildWorker(): Promise<void> {
  const modules = await bundleWorker(undefined, process.env['YAA_BUNDLED_CONFIG'])
  const folder = `${DIST}worker/`
  mkdirSync(folder, { recursive: true })
  for (const { name, bytes } of modules) replace(folder + name, bytes)
  const names = new Set(modules.map(({ name }) => name))
  for (const name of readdirSync(folder)) if (!names.has(name)) rmSync(folder + name, { force: true })
  const first = firstGzipBytes(modules)
  console.log(`dist/worker/  ${modules.length} modules; first load: gzip ${kib(first)}`)
  check('The first load of the Worker', first, FIRST_GZIP_BYTES_MAX)
}

async function buildLibrary(): Promise<void> {
  const library = await bundleLibrary()
  replace(`${DIST}library.js`, library)
  console.log(`dist/library.js  ${sizeOf(library)}`)
}

async function buildPages(): Promise<void> {
  const { files, firstLoad } = await writeAssets()
  const gzip = firstLoad['console.html'] ?? 0
  console.log(`dist/assets/  ${files.length} files; first load of the console: gzip ${kib(gzip)} of script`)
  check('The first load of the console', gzip, CONSOLE_GZIP_BYTES_MAX)
}

async function buildClients(): Promise<void> {
  for (const name of ['client', 'react'] as const) {
    const client = await bundleClient(name)
    replace(`${DIST}${name}.js`, client)
    console.log(`dist/${name}.js  ${sizeOf(client)}`)
  }
}

function writeTypes(): void {
  rmSync(`${DIST}types`, { recursive: true, force: true })
  for (const [name, text] of Object.entries(packageDeclarations())) {
    replace(`${DIST}${name}.d.ts`, Buffer.from(text))
    console.log(`dist/${name}.d.ts  ${sizeOf(Buffer.from(text))}`)
  }
}

async function buildPackage(): Promise<void> {
  await writePackedWorker()
  console.log(`dist/cli/  ${kib(await writeTerminal())}`)
}

mkdirSync(DIST, { recursive: true })
if (process.argv[2] === 'worker') await buildWorker()
else if (process.argv[2] === 'package') await buildPackage()
else {
  await Promise.all([buildWorker(), buildLibrary(), buildClients(), buildPages()])
  writeTypes()
}
