// `npm run build`: dist/worker.js (for a look and its size), dist/library.js with its types. Fails above the size limit.
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { bundleLibrary, bundleWorker, ROOT } from './bundle.ts'

const WORKER_GZIP_BYTES_MAX = 400 * 1024
const DIST = `${ROOT}dist/`

const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`

/** Writes `dist/NAME` in one step, so that a reader at the same time sees the old file or the new one. */
function write(name: string, bytes: Uint8Array): number {
  const draft = `${DIST}${name}.${process.pid}`
  writeFileSync(draft, bytes)
  renameSync(draft, DIST + name)
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

mkdirSync(DIST, { recursive: true })
const [worker, library] = await Promise.all([bundleWorker(), bundleLibrary()])
const gzip = write('worker.js', worker)
write('library.js', library)
writeTypes()
if (gzip > WORKER_GZIP_BYTES_MAX) {
  console.error(`dist/worker.js is over its limit: gzip ${kib(gzip)}, at most ${kib(WORKER_GZIP_BYTES_MAX)}`)
  process.exitCode = 1
}
