import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { filledIn } from '../../src/console/connect/recipes.ts'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { playFor, RECIPES } from '../support/recipes.ts'

const SHOWN = RECIPES.filter(({ isShown }) => isShown)
const COPYING = { permissions: ['clipboard-read', 'clipboard-write'] }

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<p>Water boils.</p>' })
})
afterAll(() => stage.close())

async function opened(options: Parameters<Stage['open']>[0]) {
  const window = await stage.open(options)
  await window.page.goto(`${stage.url}/#/connect`)
  await window.page.locator('.connect form').waitFor()
  return window
}

const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')
const snippets = (page: Page) => page.locator('.snippet pre').allInnerTexts()

describe('the page Connect', () => {
  test('makes a key with the scopes that are chosen, shows it once, and puts it into what works when it is copied', async ({
    expect,
  }) => {
    const { page, errors, close } = await opened({ locale: 'en-US', ...COPYING })
    await page.getByRole('link', { name: 'Connect' }).waitFor()
    expect(await snippets(page)).toEqual([filledIn(SHOWN[0]?.code ?? '', stage.url, 'YOUR_KEY')])
    await page.getByLabel('Name').fill('script')
    await page.getByLabel('decide').uncheck()
    await page.getByRole('button', { name: 'Create a key' }).click()
    const key = await page.locator('.secret code').innerText()
    const { data } = await stage.client.keys.list()
    expect(data.find(({ name }) => name === 'script')).toMatchObject({ scopes: ['run', 'read'] })
    for (const title of new Set(SHOWN.map((recipe) => recipe.title))) {
      await page.getByRole('button', { name: title, exact: true }).click()
      const own = SHOWN.filter((recipe) => recipe.title === title)
      expect(await snippets(page)).toEqual(own.map(({ code }) => filledIn(code, stage.url, key)))
    }
    await page.getByRole('button', { name: 'curl', exact: true }).click()
    await page.getByRole('button', { name: 'Copy: curl.sh' }).click()
    await page.getByRole('button', { name: 'Copied: curl.sh' }).waitFor()
    await playFor(stage)
    const { stdout } = await promisify(execFile)('bash', ['-c', await copied(page)])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', result: 'Water boils at 100 °C.' })
    await page.getByRole('button', { name: 'Copy: Key' }).click()
    expect(await copied(page)).toBe(key)
    await page.reload()
    await page.locator('.connect form').waitFor()
    await expect.poll(() => page.locator('.secret').count()).toBe(0)
    expect(errors).toEqual([])
    await close()
  })

  test('is used by keyboard, on a phone, in the dark, in Chinese', async ({ expect }) => {
    const phone = {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    } as const
    const { page, errors, close } = await opened({ locale: 'zh-CN', ...phone, ...COPYING })
    await page.getByRole('heading', { name: '接入' }).waitFor()
    await page.getByLabel('名称').focus()
    await page.keyboard.type('钥匙')
    await page.keyboard.press('Enter')
    const key = await page.locator('.secret code').innerText()
    for (const title of new Set(SHOWN.map((recipe) => recipe.title))) {
      const button = page.getByRole('button', { name: title, exact: true })
      await button.focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true')
      expect((await snippets(page)).join('')).toContain(key)
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      expect(await seriousFaults(page)).toEqual([])
    }
    await page.locator('.snippet button').first().focus()
    await page.keyboard.press('Enter')
    expect(await copied(page)).toContain(key)
    expect(errors).toEqual([])
    await close()
  })

  test('says so where the key of the page may make no other', async ({ expect }) => {
    const { key = '' } = await stage.client.keys.create({ name: 'reader', scopes: ['read'] })
    const { page, errors, close } = await stage.open({ locale: 'en-US' })
    await page.addInitScript(`self === top && localStorage.setItem('yaa.key', '${key}')`)
    await page.goto(`${stage.url}/#/connect`)
    await page.reload()
    await page.getByText('cannot create keys').waitFor()
    await expect.poll(() => page.locator('.connect form').count()).toBe(0)
    expect((await snippets(page)).join('')).toContain('YOUR_KEY')
    expect(await seriousFaults(page)).toEqual([])
    expect(errors).toEqual([])
    await close()
  })
})
