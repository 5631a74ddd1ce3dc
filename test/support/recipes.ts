import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { filledIn, type Recipe, recipesIn } from '../../src/console/connect/recipes.ts'
import type { Project } from './project.ts'
import type { ScriptPage } from './script-page.ts'
import { calls, says } from './scripted-model.ts'
import type { Served } from './served.ts'

/** Every recipe of the pages about clients. */
export const RECIPES: readonly Recipe[] = [
  'docs/clients.md',
  'docs/foreign-clients.md',
  'docs/a2a.md',
  'docs/ag-ui.md',
].flatMap((page) => recipesIn(readFileSync(page, 'utf8')))

/** Packages that the recipes import, but for ours. */
export const IMPORTED: readonly string[] = [
  ...new Set(
    RECIPES.filter(({ language }) => /^[jt]sx?$/.test(language)).flatMap(({ code }) =>
      [...code.matchAll(/from '((?:@[^/']+\/)?[^./'][^/']*)/g)].map((match) => match[1] ?? ''),
    ),
  ),
].filter((name) => name !== 'yaa' && !name.startsWith('node:'))

/** What the model of a recipe does: it reads where it is asked to read, and then says what it knows. */
export async function playFor(served: Served): Promise<void> {
  const reads = { when: { last_contains: 'Read https://' }, ...calls('web_access', { url: served.site.url }) }
  const asks = { when: { last_contains: 'my kettle' }, ...calls('read_kettle', { kettle: 'blue' }) }
  await served.script([reads, asks, ...Array.from({ length: 10 }, () => says('Water boils at 100 °C.'))])
}

const codeFor = ({ code }: Recipe, { url, key }: Served) => filledIn(code, url, key)

/** Runs a recipe as its reader would, in a project that has the package; gives what it prints. */
export async function runRecipe(recipe: Recipe, served: Served, project: Project, command?: string): Promise<string> {
  const commands: Record<string, string> = { sh: 'bash', ts: process.execPath, js: process.execPath, py: 'python3' }
  const runner = command ?? commands[recipe.language]
  if (runner === undefined) throw new Error(`nobody here runs ${recipe.file}`)
  await playFor(served)
  project.write(recipe.file, codeFor(recipe, served))
  const { code, stdout, stderr } = await project.run(runner, [recipe.file])
  if (code !== 0) throw new Error(`${recipe.file} ended with ${code}: ${stderr}`)
  return stdout
}

/** Uses a recipe of React in a browser: gives it a task, approves what it asks; gives what its page shows in the end. */
export async function useRecipe(
  recipe: Recipe,
  served: Served,
  project: Project,
  browser: Browser,
  site: ScriptPage,
): Promise<string> {
  await playFor(served)
  project.write(recipe.file, codeFor(recipe, served))
  const root = `import { createRoot } from 'react-dom/client'\nimport { App } from './${recipe.file}'\ncreateRoot(document.querySelector('main')!).render(<App />)`
  const entry = project.write('root.tsx', root)
  const options = { bundle: true, write: false, format: 'esm', jsx: 'automatic' } as const
  const { outputFiles } = await build({ ...options, entryPoints: [entry], absWorkingDir: project.path })
  const page = await browser.newPage()
  try {
    site.run(outputFiles[0]?.text ?? '')
    await page.goto(site.url)
    await page.getByLabel('Task').fill('Read https://example.com and say when water boils')
    await page.getByLabel('Task').press('Enter')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('assistant: Water boils').waitFor()
    return await page.locator('main main').innerText()
  } finally {
    await page.close()
  }
}

/** Whether a text is what a page says that is printed, where `…` stands for anything. */
export function isPrinted(text: string, prints: string): boolean {
  const parts = prints.trim().split('…')
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('[^]*')
  return new RegExp(`^${pattern}$`).test(text.trim())
}
