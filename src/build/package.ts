import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { bundleWorker, ROOT, skillFoldersPlugin, writeWorker } from './bundle.ts'
import { bundleDeclarations } from './declarations/declarations.ts'
import { PACKED } from './kept-worker.ts'
import { writeConfig } from './serve-config.ts'
import { replace } from './pages.ts'

/** What the package exports for those who talk to a server, by the name of the file. */
const CLIENTS = { client: 'src/client/index.ts', react: 'src/react/index.ts' } as const
export type ClientEntry = keyof typeof CLIENTS

/** The hooks use the client as anybody does: by what it exports. */
const clientOutside: Plugin = {
  name: 'client-outside',
  setup: (build) =>
    build.onResolve({ filter: /\/client\/index\.ts$/ }, () => ({ path: './client.js', external: true })),
}

/** The client, or the hooks over it, as one ES module that who uses it makes small: names and lines are left as they are. */
export async function bundleClient(name: ClientEntry): Promise<Uint8Array> {
  const options: BuildOptions = { plugins: name === 'react' ? [clientOutside] : [], external: ['react'] }
  const [file] = await bundled(CLIENTS[name], { ...options, platform: 'neutral', mainFields: ['module', 'main'] })
  if (!file) throw new Error(`nothing was made of ${CLIENTS[name]}`)
  return file.contents
}

async function bundled(entry: string, options: BuildOptions) {
  const { build } = await import('esbuild')
  const { outputFiles = [] } = await build({
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'silent',
    absWorkingDir: ROOT,
    entryPoints: [entry],
    ...options,
  })
  return outputFiles
}

/** Declarations by the name of their file: of the library, the client and the hooks. */
export function packageDeclarations(): Record<string, string> {
  const { library: module, ...clients } = { library: 'src/library.ts', ...CLIENTS }
  const library = bundleDeclarations(`${ROOT}src/build/tsconfig.library.json`, [{ module }])
  const others = bundleDeclarations(`${ROOT}src/react/tsconfig.json`, [
    { module: clients.client },
    { module: clients.react, imports: { from: './client.js', module: clients.client } },
  ])
  const text = (made: ReadonlyMap<string, string>, of: string) => made.get(of) ?? ''
  return {
    library: text(library, module),
    client: text(others, clients.client),
    react: text(others, clients.react),
  }
}

/** Where a package has the terminal; in a checkout it runs as it is written. */
const TERMINAL = `${ROOT}dist/cli/`

/** The terminal as JavaScript, for a package: Node strips no types below node_modules. What only a checkout needs is not in it. */
export async function writeTerminal(): Promise<number> {
  const files = await bundled('src/cli/main.ts', {
    platform: 'node',
    target: 'node22',
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    outdir: TERMINAL,
    loader: { '.md': 'text' },
    external: ['workerd', 'esbuild', 'wrangler', 'typescript'],
    alias: { '@modelcontextprotocol/client/_shims': `${ROOT}src/mcp/schema.ts` },
    plugins: [skillFoldersPlugin],
    // What is in it of CommonJS asks for modules of Node by `require`.
    banner: { js: "import{createRequire as nodeRequire}from'node:module';const require=nodeRequire(import.meta.url);" },
  })
  rmSync(TERMINAL, { recursive: true, force: true })
  mkdirSync(TERMINAL, { recursive: true })
  for (const { path, contents } of files) replace(TERMINAL + basename(path), contents)
  return files.reduce((sum, { contents }) => sum + contents.length, 0)
}

/** The Worker as workerd serves it, for a package, which has no sources to build it of. */
export async function writePackedWorker(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'yaa-'))
  try {
    writeWorker(folder, await bundleWorker())
    rmSync(PACKED, { recursive: true, force: true })
    mkdirSync(PACKED, { recursive: true })
    copyFileSync(writeConfig(folder), join(PACKED, 'config.bin'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
