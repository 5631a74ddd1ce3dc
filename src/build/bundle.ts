import { fileURLToPath, URL } from 'node:url'
import { build, type BuildOptions } from 'esbuild'

/** Absolute path of the project's folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export const WORKER_ENTRY = `${ROOT}src/index.ts`
export const LIBRARY_ENTRY = `${ROOT}src/library.ts`

const common = {
  bundle: true,
  write: false,
  format: 'esm',
  target: 'esnext',
  minify: true,
  legalComments: 'none',
  loader: { '.md': 'text' },
  mainFields: ['module', 'main'],
  logLevel: 'silent',
  absWorkingDir: ROOT,
  // The SDK's own choice would bring a second JSON Schema library; wrangler.toml says the same.
  alias: { '@modelcontextprotocol/client/_shims': `${ROOT}src/mcp/schema.ts` },
} as const satisfies BuildOptions

/** The Worker as one ES module; only `cloudflare:*` and `node:*` stay imports. Rejects with esbuild's errors. */
export function bundleWorker(entry: string = WORKER_ENTRY): Promise<Uint8Array> {
  return bundle({
    ...common,
    entryPoints: [entry],
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
  })
}

/** The library as one ES module without any import: what a browser and Node can load as it is. */
export function bundleLibrary(entry: string = LIBRARY_ENTRY): Promise<Uint8Array> {
  return bundle({ ...common, entryPoints: [entry], platform: 'neutral', conditions: ['browser'] })
}

async function bundle(options: BuildOptions & { write: false }): Promise<Uint8Array> {
  const { outputFiles } = await build(options)
  const [file] = outputFiles
  if (file === undefined || outputFiles.length !== 1)
    throw new Error(`one file was expected, not ${outputFiles.length}`)
  return file.contents
}
