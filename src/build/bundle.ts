import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath, URL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { BuildOptions, Metafile, OutputFile, Plugin } from 'esbuild'
import { SKILLS_MODULE, skillsModule } from './skill-folders.ts'

/** One of the ES modules that a Worker is made of. */
export interface WorkerModule {
  /** File name, which the others import it by. */
  name: string
  bytes: Uint8Array
  /** Whether it is loaded when an isolate starts: the main module, and what that imports statically. */
  first: boolean
}

/** Absolute path of the project's folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export const WORKER_ENTRY = `${ROOT}src/index.ts`
export const LIBRARY_ENTRY = `${ROOT}src/library.ts`

export const skillFoldersPlugin: Plugin = {
  name: 'skill-folders',
  setup: (build) =>
    build.onLoad({ filter: SKILLS_MODULE }, ({ path }) => ({ contents: skillsModule(dirname(path)), loader: 'js' })),
}

/** The MCP SDK signs with jose where it is given keys, which ours never is: so only what we use ourselves is bundled. */
const unsignedPlugin: Plugin = {
  name: 'unsigned',
  setup: (build) => {
    build.onResolve({ filter: /^jose$/ }, ({ importer }) =>
      importer.includes('@modelcontextprotocol') ? { path: 'jose', namespace: 'left-out' } : undefined,
    )
    build.onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({
      contents: `throw new Error('${path} is not bundled for the MCP SDK')`,
    }))
  },
}

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
  plugins: [skillFoldersPlugin, unsignedPlugin],
  // The SDK's own choice would bring a second JSON Schema library.
  alias: {
    '@modelcontextprotocol/client/_shims': `${ROOT}src/mcp/schema.ts`,
    '@modelcontextprotocol/server/_shims': `${ROOT}src/mcp/schema.ts`,
  },
} as const satisfies BuildOptions

const MAIN_MODULE = 'worker.js'
const DEFAULT_CONFIG = `${ROOT}configs/default.json`

/** The Worker as ES modules, the main one first; what is behind `import()` is loaded when it is needed. Only `cloudflare:*` and
 *  `node:*` are imported from elsewhere. `config`: a server config to bundle in instead of the default. Rejects with esbuild's errors, and where
 *  the config is none. */
export async function bundleWorker(entry: string = WORKER_ENTRY, config?: string): Promise<WorkerModule[]> {
  await checkConfig(config ?? DEFAULT_CONFIG)
  const { outputFiles, metafile } = await buildWorker(entry, config)
  const first = new Set(loadedWith(`worker/${MAIN_MODULE}`, metafile).map((path) => basename(path)))
  const modules = outputFiles.map(({ path, contents }) => {
    const name = basename(path)
    return { name, bytes: contents, first: first.has(name) }
  })
  return modules.toSorted((a, b) => Number(b.name === MAIN_MODULE) - Number(a.name === MAIN_MODULE))
}

/** The modules as esbuild makes them, and what each is made of and imports. */
export async function buildWorker(
  entry: string = WORKER_ENTRY,
  config?: string,
): Promise<{ outputFiles: OutputFile[]; metafile: Metafile }> {
  const { build } = await import('esbuild')
  return build({
    ...common,
    alias: { ...common.alias, ...(config === undefined ? {} : { '#server-config': resolve(config) }) },
    entryPoints: [{ in: entry, out: MAIN_MODULE.replace('.js', '') }],
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    splitting: true,
    metafile: true,
    outdir: 'worker',
    chunkNames: '[name]-[hash].part',
  })
}

/** A config that is bundled is not checked again when the Worker starts. */
async function checkConfig(file: string): Promise<void> {
  const { serverConfig } = await import('../models/providers.ts')
  serverConfig.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** An output file and all that it imports statically, itself first. */
export function loadedWith(output: string, { outputs }: Metafile): string[] {
  const found = new Set([output])
  for (const path of found)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && imported in outputs) found.add(imported)
  return [...found]
}

/** What an isolate may load at its start. */
export const FIRST_GZIP_BYTES_MAX = 32 * 1024

/** Bytes of gzip that an isolate loads at its start, packed together. */
export function firstGzipBytes(modules: readonly WorkerModule[]): number {
  const first = modules.filter((module) => module.first)
  return gzipSync(Buffer.concat(first.map(({ bytes }) => bytes)), { level: 9 }).length
}

/** Writes a Worker's modules into a folder, with `modules.capnp`, which lists them for workerd. */
export function writeWorker(folder: string, modules: readonly WorkerModule[]): void {
  for (const { name, bytes } of modules) writeFileSync(join(folder, name), bytes)
  const list = modules.map(({ name }) => `  (name = "${name}", esModule = embed "${name}"),\n`)
  const head = 'using Workerd = import "/workerd/workerd.capnp";\n'
  writeFileSync(
    join(folder, 'modules.capnp'),
    `${head}const modules :List(Workerd.Worker.Module) = [\n${list.join('')}];\n`,
  )
}

/** What the library says where it cannot run, on lines of its own: Node shows the line that threw, and the others of a bundle are long. */
const TOO_OLD = `if (!Promise.withResolvers) {
  const node = globalThis.process?.versions?.node
  const here = node ? \`, this is \${node}\` : ', or a browser of 2024 or newer'
  throw new Error(\`yaa: Node 22 or newer is needed\${here}.\`)
}`

/** The library as one ES module without any import: what a browser and Node can load as it is. */
export async function bundleLibrary(entry: string = LIBRARY_ENTRY): Promise<Uint8Array> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    ...common,
    entryPoints: [entry],
    platform: 'neutral',
    conditions: ['browser'],
    banner: { js: TOO_OLD },
  })
  const [file] = outputFiles
  if (file === undefined || outputFiles.length !== 1)
    throw new Error(`one file was expected, not ${outputFiles.length}`)
  return file.contents
}
