import { afterAll, beforeAll, describe, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { makeProject, type Project } from '../support/project.ts'
import { IMPORTED, isPrinted, RECIPES, runRecipe, useRecipe } from '../support/recipes.ts'
import { type ScriptPage, startScriptPage } from '../support/script-page.ts'
import { type Served, startServed } from '../support/served.ts'
import type { Browser } from 'playwright-core'

let project: Project
let served: Served
let browser: Browser
let site: ScriptPage
beforeAll(async () => {
  site = await startScriptPage()
  const libraries = new Set(['zod', 'react', 'react-dom', '@types/react', '@types/react-dom', ...IMPORTED])
  ;[project, served, browser] = await Promise.all([
    makeProject([...libraries], 'built'),
    startServed({ html: '<p>Water boils at 100 °C.</p>', config: { cors: { origins: [site.origin] } } }),
    launchBrowser(),
  ])
})
afterAll(async () => {
  await browser.close()
  project.remove()
  await served.close()
  await site.close()
})

const inLanguages = (...languages: string[]) => RECIPES.filter(({ language }) => languages.includes(language))

describe('the recipes of docs/clients.md', () => {
  test('are there for each client, name a file each, and say what comes of them', ({ expect }) => {
    expect(RECIPES.filter(({ isShown }) => isShown).map(({ title }) => title)).toEqual(
      expect.arrayContaining(['curl', 'yaa/client', 'yaa/react']),
    )
    expect(new Set(RECIPES.map(({ file }) => file)).size).toBe(RECIPES.length)
    expect(RECIPES.filter(({ prints }) => prints === null)).toEqual([])
    expect(RECIPES.filter(({ language }) => !['sh', 'ts', 'js', 'tsx', 'py'].includes(language))).toEqual([])
  })

  test.for(inLanguages('sh', 'ts', 'js'))('$file does what the page says', async (recipe, { expect }) => {
    const printed = await runRecipe(recipe, served, project)
    expect(isPrinted(printed, recipe.prints ?? ''), printed).toBe(true)
  })

  test.for(inLanguages('tsx'))('$file does what the page says, in a browser', async (recipe, { expect }) => {
    const shown = await useRecipe(recipe, served, project, browser, site)
    expect(isPrinted(shown.replaceAll(/\n+/g, '\n'), recipe.prints ?? ''), shown).toBe(true)
  })

  test('hold the types of the package', async ({ expect }) => {
    const recipes = inLanguages('ts', 'tsx')
    for (const { file, code } of recipes) project.write(file, code)
    const isOurs = ({ code }: (typeof recipes)[number]) => /from 'yaa/.test(code)
    const home = { resolution: 'bundler', platform: 'page' } as const
    const filesOf = (some: typeof recipes) => some.map(({ file }) => file)
    expect(await project.check(filesOf(recipes.filter(isOurs)), home)).toBe('')
    // What others say of their own packages is theirs.
    expect(await project.check(filesOf(recipes), { ...home, takesLibraries: true })).toBe('')
  })
})
