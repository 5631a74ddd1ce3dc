import { bundleWorker, FIRST_GZIP_BYTES_MAX, firstGzipBytes } from '../../../src/build/bundle.ts'
import type { Case } from '../harness/result.ts'

/** What of the Worker an isolate loads at its start, to its limit. */
export const bundle: Case = {
  name: 'bundle',
  run: async () => {
    const bytes = firstGzipBytes(await bundleWorker())
    const size = { ours: kib(bytes), floor: kib(FIRST_GZIP_BYTES_MAX), ratio: bytes / FIRST_GZIP_BYTES_MAX }
    return [{ name: 'first load of the Worker, gzip (to its limit)', ...size, spread: null, goal: 1 }]
  },
}

const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`
