// `npm run build`: dist/assets (the pages), dist/worker.js (for a look and its size), dist/library.js with its types. Fails
// above the size limits.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { bundleLibrary, bundleWorker, ROOT } from './bundle.ts'
import { replace, writeAssets } from './pages.ts'

const WORKER_GZIP_BYTES_MAX = 512 * 1024
/** Script of the console before it shows anything; what draws charts comes when there is one. */
const CONSOLE_GZIP_BYTES_MAX = 60 * 1024
const DIST = `${ROOT}dist/`

const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`

/** Writes `dist/NAME` in one step, so that a reader at the same time sees the old file or the new one. */
function write(name: string, bytes: Uint8Array): number {
  replace(DIST + name, bytes)
  const gzip = gzipSync(bytes, { level: 9 }).length
  console.log(`dist/${name}  ${kib(bytes.length)}, gzip ${kib(gzip)}`)
  return gzip
}

function writeTypes(): void {
  rmSync(`${DIST}types`, { recursive: true, force: true })
  execFileSync(
    process.execPath,
    [`${ROOT}node_modules/typescript/bin/tsc`, '-p', `${ROOT}src/build/tsconfig.library.json`],
    {
      stdio: 'inherit',
    },
  )
  console.log('dist/types/src/library.d.ts')
}

function check(what: string, gzip: number, gzipMax: number): void {
  if (gzip <= gzipMax) return
  console.error(`${what} is over its limit: gzip ${kib(gzip)}, at most ${kib(gzipMax)}`)
  process.exitCode = 1
}

mkdirSync(DIST, { recursive: true })
const [worker, library, { files, firstLoad }] = await Promise.all([bundleWorker(), bundleLibrary(), writeAssets()])
const gzip = write('worker.js', worker)
write('library.js', library)
const consoleGzip = firstLoad['console.html'] ?? 0
console.log(`dist/assets/  ${files.length} files; first load of the console: gzip ${kib(consoleGzip)} of script`)
writeTypes()
check('dist/worker.js', gzip, WORKER_GZIP_BYTES_MAX)
check('The first load of the console', consoleGzip, CONSOLE_GZIP_BYTES_MAX)
