import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorker, ROOT, writeWorker } from './bundle.ts'
import { writeConfig } from './serve-config.ts'

/** What the Worker is made of. */
const SOURCES = ['src', 'configs', 'package.json', 'package-lock.json', 'node_modules/.package-lock.json']
const KEPT = `${ROOT}dist/serve`
/** As a package has it, without the sources (src/build/package.ts). */
export const PACKED = `${ROOT}dist/packed`
/** Of the builds that are kept, so that a server that starts meanwhile does not lose its own. */
const KEPT_MAX = 3

/** A folder with what workerd serves. */
export interface WorkerFolder {
  path: string
  /** After the server has started: removes what is not kept. */
  release(): void
}

/** The Worker with its capnp, built anew only if a source is another than it was. Where nothing can be kept it is built for this once. */
export async function workerFolder(): Promise<WorkerFolder> {
  if (!existsSync(`${ROOT}src/index.ts`)) return { path: PACKED, release: () => {} }
  const kept = join(KEPT, sourcesKey())
  if (existsSync(kept)) return { path: kept, release: () => {} }
  const built = await buildIn(tmpdir())
  const release = () => rmSync(built, { recursive: true, force: true })
  try {
    keep(built, kept)
    return { path: kept, release }
  } catch {
    return { path: built, release }
  }
}

async function buildIn(folder: string): Promise<string> {
  const built = mkdtempSync(join(folder, 'yaa-'))
  writeWorker(built, await bundleWorker())
  writeConfig(built)
  return built
}

/** In one step: whoever looks for the folder finds all of it. */
function keep(built: string, kept: string): void {
  mkdirSync(KEPT, { recursive: true })
  const draft = mkdtempSync(join(KEPT, 'draft-'))
  for (const name of readdirSync(built)) copyFileSync(join(built, name), join(draft, name))
  try {
    renameSync(draft, kept)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Another process was faster.
    if (!existsSync(kept)) throw error
  }
  const builds = readdirSync(KEPT).map((name) => ({ path: join(KEPT, name), time: statSync(join(KEPT, name)).mtimeMs }))
  for (const { path } of builds.toSorted((a, b) => b.time - a.time).slice(KEPT_MAX))
    rmSync(path, { recursive: true, force: true })
}

/** Another one whenever a source has another name, size or time. */
function sourcesKey(): string {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    const path = ROOT + source
    if (!existsSync(path)) continue
    const isFolder = statSync(path).isDirectory()
    const files = isFolder
      ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
      : [path]
    for (const file of files.toSorted()) {
      const { size, mtimeMs } = statSync(file)
      hash.update(`${file}\0${size}\0${mtimeMs}\n`)
    }
  }
  return hash.digest('hex').slice(0, 16)
}
