import { gzipSync } from 'node:zlib'
import { bundleWorker } from '../../../src/build/bundle.ts'
import type { Case } from '../harness/result.ts'

const GZIP_BYTES_MAX = 400 * 1024

/** The Worker as it is deployed, to its limit. */
export const bundle: Case = {
  name: 'bundle',
  run: async () => {
    const bytes = gzipSync(await bundleWorker(), { level: 9 }).length
    const size = { ours: kib(bytes), floor: kib(GZIP_BYTES_MAX), ratio: bytes / GZIP_BYTES_MAX }
    return [{ name: 'bundle, gzip (to its limit)', ...size, spread: null, goal: 1 }]
  },
}

const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`
