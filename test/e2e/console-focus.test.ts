import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { startStage, type Stage } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

const FINISH = calls('finish', { reason: 'Done.' })
const ASK = calls('ask', { question: 'How hot?' })

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>', config: {} })
})
afterAll(() => stage.close())

/** What has the focus: the name that it is known by. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(({ ariaLabel, innerText, tagName }) => ariaLabel || innerText || tagName)(document.activeElement)`,
  )

async function answered(task = 'Make tea') {
  await stage.script([FINISH, FINISH])
  const { id } = await stage.client.sessions.create({ task, config: { language: 'en' } })
  return { id, ...(await stage.open({}, `/#/s/${id}`)) }
}

test('an example is sent by Enter, and one goes on writing in the session that it begins', async ({ expect }) => {
  await stage.script([FINISH])
  const { page, errors, close } = await stage.open()
  await page.locator('.hints button').first().focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('What would you like done?')
  await page.keyboard.press('Enter')
  await page.locator('.end-line').waitFor()
  await expect.poll(() => focused(page)).toBe('Message')
  expect(errors).toEqual([])
  await close()
})

test.for(['Edit and run again', 'Run again'])('%s leaves one where one writes', async (act, { expect }) => {
  const { id, page, errors, close } = await answered()
  await page.getByRole('button', { name: act, exact: true }).click()
  if (act.startsWith('Edit')) await page.locator('.composer textarea').press('Enter')
  await page.waitForURL((url) => url.hash !== `#/s/${id}`)
  await page.locator('.end-line').waitFor()
  await expect.poll(() => focused(page)).toBe('Message')
  expect(errors).toEqual([])
  await close()
})

test('what is tried again leaves one where one writes, too', async ({ expect }) => {
  await stage.script([{ status: 400, body: { error: { message: 'down' } } }, FINISH])
  const { id } = await stage.client.sessions.create({ task: 'Fail', config: { language: 'en' } })
  const { page, close } = await stage.open({}, `/#/s/${id}`)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.failure').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('Message')
  await close()
})

test('a button that was not to be pressed while it was at work has the focus again', async ({ expect }) => {
  const { page, close } = await stage.open({}, '/#/new')
  await page.locator('.new-task textarea').fill('Go nowhere')
  await page.route('**/v1/sessions', (route) => route.fulfill({ status: 500, json: {} }))
  await page.getByRole('button', { name: 'Start' }).click()
  await page.locator('.new-task .problem').waitFor()
  await expect.poll(() => focused(page)).toBe('Start')
  await close()
})

test('a menu that is folded, and a list that becomes another, keep the focus', async ({ expect }) => {
  const { page, close } = await answered()
  await page.locator('.menu summary').click()
  await page.getByRole('button', { name: 'Pin' }).click()
  await expect.poll(() => focused(page)).toBe('Actions')
  await page.getByRole('button', { name: 'Select' }).click()
  await expect.poll(() => page.evaluate('document.activeElement.closest(".select-bar") !== null')).toBe(true)
  await page.getByRole('button', { name: 'Done' }).click()
  await expect.poll(() => focused(page)).toBe('Select')
  await page.locator('h1 .title').click()
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('Make tea')
  await close()
})

test('a question has the focus in its field, unless somebody types', async ({ expect }) => {
  await stage.script([ASK, ASK, FINISH])
  const { page, close } = await stage.open({}, '/#/new')
  await page.locator('.new-task textarea').fill('Ask me')
  await page.keyboard.press('Enter')
  await page.locator('.pending').waitFor()
  await expect.poll(() => focused(page)).toBe('Your answer')
  await page.locator('.composer textarea').fill('I am writing')
  await page.locator('.pending textarea').fill('Very')
  await page.locator('.pending').getByRole('button', { name: 'Answer', exact: true }).click()
  await page.locator('.composer textarea').focus()
  await expect.poll(() => page.locator('.pending textarea').inputValue()).toBe('')
  expect(await focused(page)).toBe('Message')
  expect(await page.locator('.composer textarea').inputValue()).toBe('I am writing')
  await close()
})

test('of two calls that ask at once the first has the focus, and who leaves a form stays at its call', async ({
  expect,
}) => {
  const write = (path: string) => calls('write_file', { path, content: 'x' }).tool_calls
  await stage.script([{ tool_calls: [...write('one.md'), ...write('two.md')] }, FINISH])
  const { page, close } = await stage.open({}, '/#/new')
  await page.locator('.new-task textarea').fill('Write both')
  await page.keyboard.press('Enter')
  const card = (path: string) => page.getByRole('group', { name: `Write ${path}?` })
  await card('two.md').waitFor()
  await expect.poll(() => focused(page)).toBe('Approve')
  expect(await card('one.md').locator(':focus').count()).toBe(1)
  for (const act of ['Edit', 'Refuse']) {
    await card('two.md').getByRole('button', { name: act, exact: true }).click()
    await expect.poll(() => card('two.md').locator('textarea:focus, input:focus').count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe('Write two.md?')
  }
  await close()
})

test('what waits is shown in the inbox once the server can be reached again', async ({ expect }) => {
  await stage.script([ASK])
  const { id } = await stage.client.sessions.create({ task: 'Boil it', config: { language: 'en' } })
  const { page, close } = await stage.open()
  await page.route(`**/v1/sessions/${id}?*`, (route) => route.abort())
  await page.goto(`${stage.url}/#/inbox`)
  const waiting = page.locator('.waiting', { hasText: 'Boil it' })
  await waiting.locator('.problem').or(page.locator('.unreached')).first().waitFor()
  await page.unroute(`**/v1/sessions/${id}?*`)
  await waiting.getByText('How hot?').waitFor()
  await expect.poll(() => page.locator('.problem').count()).toBe(0)
  await close()
})
