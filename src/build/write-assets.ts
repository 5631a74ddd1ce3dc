import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { ROOT } from './bundle.ts'
import { bundleAssets, type Assets } from './pages.ts'

/** Where the pages' files are; `wrangler.toml` names the same folder. */
export const ASSETS_FOLDER = `${ROOT}dist/assets`

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
