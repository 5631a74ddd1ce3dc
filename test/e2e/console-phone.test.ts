import { afterAll, beforeAll, test } from 'vitest'
import { giveTask, seriousFaults, startStage, type Stage, type Watched } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const LINE_PX = 30

let stage: Stage
let watched: Watched

beforeAll(async () => {
  stage = await startStage({ html: '<title>Facts</title><p>Water boils at 100 degrees.</p>' })
  watched = await stage.open(PHONE)
})
afterAll(() => stage.close())

const heightOf = async (selector: string) => (await watched.page.locator(selector).first().boundingBox())?.height ?? 0

test('who has given no task yet is shown some, and takes one by a click', async ({ expect }) => {
  const { page } = watched
  await page.goto(`${stage.url}/#/new`)
  const hint = page.locator('.hints button').nth(1)
  const words = await hint.innerText()
  await hint.click()
  await expect.poll(() => page.locator('.new-task textarea').inputValue()).toBe(words)
  await page.locator('.new-task textarea').fill('')
})

test('on a phone a task is given on the first screen, above the sessions', async ({ expect }) => {
  const { page } = watched
  await page.goto(`${stage.url}/#/`)
  await page.locator('.new-task textarea').fill('Begin here')
  const field = await page.locator('.new-task textarea').boundingBox()
  const list = await page.locator('.sessions').boundingBox()
  expect(field?.y).toBeLessThan(list?.y ?? 0)
  expect(field?.y).toBeLessThan(400)
  expect(await seriousFaults(page)).toEqual([])
  await page.locator('.new-task textarea').fill('')
})

test('on a phone every page leads back to the sessions', async () => {
  const { page } = watched
  for (const path of ['new', 'inbox', 'spend', 'connect', 'setup', 's/ses_gone', 'nowhere']) {
    await page.goto(`${stage.url}/#/${path}`)
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.waitForURL(`${stage.url}/#/`)
    await page.locator('.sessions').waitFor()
  }
})

test('on a phone words, times and buttons stay in one piece', async ({ expect }) => {
  const { page } = watched
  const columns = Array.from({ length: 9 }, (_, index) => `Column${index}`)
  const table = `| ${columns.join(' | ')} |\n|${'---|'.repeat(9)}\n| ${columns.join(' | ')} |`
  await stage.script([
    { content: table, tool_calls: [{ name: 'web_access', arguments: { url: stage.site.url } }] },
    { hang: true },
  ])
  await page.goto(`${stage.url}/#/new`)
  await giveTask(page, 'A title that is long enough to fill more than the line that it has on a phone')
  await page.locator('.pending').waitFor()
  expect(await heightOf('.reply th')).toBeLessThan(2 * LINE_PX)
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await page.goto(`${stage.url}/#/inbox`)
  await page.locator('.pending').waitFor()
  expect(await heightOf('.waiting time')).toBeLessThan(LINE_PX)
  await page.goBack()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.locator('.composer textarea').fill('Something more')
  expect(await heightOf('.composer .stop')).toBeLessThan(2 * LINE_PX)
  const field = await page.locator('.composer textarea').boundingBox()
  expect(field?.width).toBeGreaterThan(200)
})

test('on a phone the dates of what was spent do not break', async ({ expect }) => {
  const { page } = watched
  await page.goto(`${stage.url}/#/spend`)
  await page.locator('.spend tbody tr').first().waitFor()
  expect(await heightOf('.spend tbody tr')).toBeLessThan(2 * LINE_PX)
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

test('on a phone Enter breaks the line, and the button sends', async ({ expect }) => {
  const { page } = watched
  await stage.script([calls('finish', { reason: 'Done.' })])
  await page.goto(`${stage.url}/#/new`)
  const field = page.locator('.new-task textarea')
  await field.fill('one')
  await field.press('Enter')
  await field.pressSequentially('two')
  await expect.poll(() => field.inputValue()).toBe('one\ntwo')
  await page.locator('.new-task button[type=submit]').click()
  await page.locator('.said', { hasText: 'one' }).waitFor()
})
