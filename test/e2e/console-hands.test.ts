import { afterAll, beforeAll, test } from 'vitest'
import { giveTask, startStage, type Stage, type Watched } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

const KEY = 'opens-these-tests'

let stage: Stage
let watched: Watched

beforeAll(async () => {
  stage = await startStage({ html: '<p>Water boils.</p>', env: { YAA_API_KEY: KEY } })
  watched = await stage.open()
})
afterAll(() => stage.close())

const FINISH = calls('finish', { reason: 'Done.' })

test('a key is entered and kept by keyboard alone', async ({ expect }) => {
  const { page } = watched
  await page.getByLabel('API key').fill(KEY)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  const keep = page.getByLabel('Remember on this device')
  await expect.poll(() => keep.isChecked()).toBe(true)
  await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('checkbox')
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('.new-task').waitFor()
})

test('a menu is closed by Escape, by who leaves it and by what is outside of it, and the tab is named after the session', async ({
  expect,
}) => {
  const { page } = watched
  await stage.script([FINISH])
  await giveTask(page, 'Name the tab')
  await page.locator('.end-line').waitFor()
  await expect.poll(() => page.title()).toBe('Name the tab · yaa')
  const menu = page.locator('.menu')
  await menu.locator('summary').click()
  await page.keyboard.press('Escape')
  await expect.poll(() => menu.getAttribute('open')).toBe(null)
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('SUMMARY')
  await menu.locator('summary').click()
  await menu.locator('button').last().focus()
  await page.keyboard.press('Tab')
  await expect.poll(() => menu.getAttribute('open')).toBe(null)
  await menu.locator('summary').click()
  await page.locator('.long-list-room').click()
  await expect.poll(() => menu.getAttribute('open')).toBe(null)
})

test('who goes to another session before the first is there sees the other one', async ({ expect }) => {
  const { page } = watched
  await stage.script([FINISH, FINISH])
  const one = await stage.client.sessions.create({ task: 'The first of two' })
  const two = await stage.client.sessions.create({ task: 'The second of two' })
  let release = () => {}
  const released = new Promise<void>((done) => (release = done))
  await page.route('**/v1/tools*', async (route) => {
    await released
    await route.continue()
  })
  await page.goto(`${stage.url}/#/new`)
  await page.reload()
  await page.goto(`${stage.url}/#/s/${one.id}`)
  await page.locator('main .empty').waitFor()
  await page.goto(`${stage.url}/#/s/${two.id}`)
  await page.locator('.sessions a[aria-current]', { hasText: 'The second' }).waitFor()
  release()
  await page.locator('.said', { hasText: 'The second of two' }).waitFor()
  await expect.poll(() => page.locator('.said').count()).toBe(1)
})

test('an inbox that was not read yet does not say that nothing waits', async ({ expect }) => {
  const { page } = watched
  await page.route('**/v1/sessions?*', (route) => route.abort())
  await page.goto(`${stage.url}/#/inbox`)
  await page.reload()
  await page.locator('.problem').first().waitFor()
  await expect.poll(() => page.locator('.inbox').innerText()).not.toContain('Nothing waits')
  await page.unroute('**/v1/sessions?*')
  await page.getByText('Nothing is waiting for you.').waitFor()
})

test('the focus goes on to what waits next, then to where one writes, and what waits is said to who listens', async ({
  expect,
}) => {
  const { page } = watched
  await stage.script([
    calls('ask', { question: 'How hot?' }),
    calls('web_access', { url: `${stage.site.url}/a` }),
    FINISH,
  ])
  await page.goto(`${stage.url}/#/new`)
  await giveTask(page, 'Ask me twice')
  const news = page.locator('.news')
  await expect.poll(() => news.innerText()).toBe('Waiting for you: A question for you How hot?')
  await page.locator('.pending textarea').fill('Very')
  await page.keyboard.press('Enter')
  await expect.poll(() => news.innerText()).toContain('Open ')
  const focused = () => page.evaluate('document.activeElement.closest(".pending, .composer, body").className')
  await page.locator('.pending').press('a')
  await expect.poll(focused).toBe('composer')
  await expect.poll(() => news.innerText()).toBe('')
})

test('the options of a task outlive a reload, and so does what was written to a session that is gone', async ({
  expect,
}) => {
  const { page } = watched
  await page.goto(`${stage.url}/#/new`)
  const iterations = page.getByLabel('Max. model calls')
  await page.getByText('Options').click()
  await iterations.fill('-7')
  await page.reload()
  // What is set stands there; what is wrong is shown, also where it was folded, and whichever way one starts.
  await expect.poll(() => iterations.inputValue()).toBe('-7')
  await page.getByText('Options').click()
  await page.locator('.new-task textarea').fill('Be gone')
  await page.locator('.new-task textarea').press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('number')
  await iterations.fill('7')
  await stage.script([FINISH])
  await giveTask(page, 'Be gone')
  await page.locator('.end-line').waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  expect((await stage.client.sessions.get(id)).config.limits?.max_iterations_total).toBe(7)
  await page.locator('.composer textarea').fill('Half a thought')
  await stage.client.sessions.delete(id)
  await page.reload()
  await page.getByText('There is no such session.').waitFor()
  await expect.poll(() => page.locator('.left-draft').innerText()).toBe('Half a thought')
  await page.goto(`${stage.url}/#/new`)
  await page.getByText('Options').click()
  await expect.poll(() => iterations.inputValue()).toBe('')
})

test('columns of a table stand as they were asked to, and the prompt is shown to who wants each step', async ({
  expect,
}) => {
  const { page } = watched
  const table = '| a | b | c |\n|---|--:|:-:|\n| 1 | 2 | 3 |\n\n7. seven\n\n- [x] done'
  await stage.script([{ content: table, tool_calls: [{ name: 'finish', arguments: { reason: table } }] }])
  await page.goto(`${stage.url}/#/new`)
  await giveTask(page, 'Make a table')
  await page.locator('.end-line').waitFor()
  await page.locator('.reply td').first().waitFor()
  const sides = `[...document.querySelectorAll('.reply td')].map((cell) => getComputedStyle(cell).textAlign)`
  await expect.poll(() => page.evaluate(sides)).toEqual([expect.stringMatching(/left|start/), 'right', 'center'])
  const lists = `[document.querySelector('.reply ol').start, document.querySelector('.reply li input').type]`
  await expect.poll(() => page.evaluate(lists)).toEqual([7, 'checkbox'])
  const prompt = page.getByText('System prompt')
  await expect.poll(() => prompt.count()).toBe(0)
  await page.getByLabel('All steps').check()
  await expect.poll(() => prompt.count()).toBe(1)
  expect(watched.errors).toEqual([])
})

test('a key that was stored and is none any more is shown once when the page opens', async ({ expect }) => {
  const { page, close } = await stage.open({}, '')
  await page.locator('.gate').waitFor()
  const refused = async () => (await stage.client.audit.list({ action: 'access.key' })).data.length
  const before = await refused()
  await page.evaluate("localStorage.setItem('yaa.key', 'wrong-by-now-0123456789')")
  await page.reload()
  await page.getByText('The server does not accept this key.').waitFor()
  await page.waitForLoadState('networkidle')
  expect(await refused()).toBe(before + 1)
  await close()
})
