import type { Route } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { giveTask, startStage, type Stage, type Watched } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

let stage: Stage
let watched: Watched

beforeAll(async () => {
  stage = await startStage({ html: '<title>Facts</title><p>Water boils at 100 degrees.</p>' })
  watched = await stage.open()
})
afterAll(() => stage.close())

const ended = (text: string) => ({ content: text, tool_calls: [{ name: 'finish', arguments: { reason: text } }] })

async function given(task: string, steps: Parameters<Stage['script']>[0]) {
  const { page } = watched
  await stage.script(steps)
  await page.goto(`${stage.url}/#/new`)
  await giveTask(page, task)
  return page
}

/** Requests that match wait until they are let go. */
async function held(pattern: string) {
  const { page } = watched
  let release = () => {}
  const released = new Promise<void>((done) => (release = done))
  let arrived = () => {}
  const came = new Promise<void>((done) => (arrived = done))
  const hold = async (route: Route) => {
    arrived()
    await released
    await route.continue()
  }
  await page.route(pattern, hold)
  return { came, release, done: () => page.unroute(pattern, hold) }
}

test('what is typed while a message is on its way stays, and only that', async ({ expect }) => {
  const page = await given('First', [ended('One.'), ended('Two.')])
  await page.locator('.end-line').waitFor()
  const field = page.locator('.composer textarea')
  const way = await held('**/v1/sessions/*/messages*')
  await field.fill('the second')
  await field.press('Enter')
  await way.came
  await field.fill('the second and a third')
  way.release()
  await page.locator('.reply', { hasText: 'Two.' }).waitFor()
  await expect.poll(() => field.inputValue()).toBe('and a third')
  await way.done()
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('and a third')
  await expect.poll(() => page.locator('.said .bubble').allInnerTexts()).toEqual(['First', 'the second'])
})

test('a word of refusal stays until the refusal was taken', async ({ expect }) => {
  const page = await given('Read', [calls('web_access', { url: `${stage.site.url}/a` }), ended('Then not.')])
  const card = page.locator('.pending')
  await card.press('r')
  await card.locator('textarea').fill('Use what you know')
  await page.route('**/pending/*', (route) => route.fulfill({ status: 409, json: { code: 'busy', detail: 'Not now' } }))
  await card.locator('button.danger').click()
  await card.getByText('Not now').waitFor()
  await expect.poll(() => card.locator('textarea').inputValue()).toBe('Use what you know')
  await page.unroute('**/pending/*')
  await card.locator('button.danger').click()
  await page.locator('.reply', { hasText: 'Then not.' }).waitFor()
  expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toContain('Use what you know')
  await expect
    .poll(() => page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("yaa.draft.pnd_"))'))
    .toEqual([])
})

test('arguments that are being edited outlive a reload', async ({ expect }) => {
  const url = `${stage.site.url}/mine`
  const page = await given('Read', [calls('web_access', { url: `${stage.site.url}/a` }), ended('Read.')])
  await page.locator('.pending').press('e')
  await page.locator('.pending textarea').fill(`{"url": "${url}`)
  await page.reload()
  await page.locator('.pending').press('e')
  const field = page.locator('.pending textarea')
  await expect.poll(() => field.inputValue()).toBe(`{"url": "${url}`)
  stage.site.hits.length = 0
  await field.fill(JSON.stringify({ url }))
  await page.getByRole('button', { name: 'Approve as edited' }).click()
  await page.locator('.reply', { hasText: 'Read.' }).waitFor()
  expect(stage.site.hits).toEqual(['/mine'])
  await expect
    .poll(() => page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("yaa.draft.pnd_"))'))
    .toEqual([])
})

test('a title is written in peace while the run ends, kept by Enter and left by Escape', async ({ expect }) => {
  const page = await given('The old title', [{ hang: true }])
  const title = page.locator('.session-header h1')
  await title.getByRole('button').click()
  const field = page.locator('.title-field')
  await field.fill('A better title')
  const id = page.url().split('/').at(-1) ?? ''
  await stage.client.sessions.cancel(id)
  await page.locator('.session-header .status', { hasText: 'Cancelled' }).waitFor()
  await expect.poll(() => field.inputValue()).toBe('A better title')
  await field.press('Escape')
  await expect.poll(() => title.innerText()).toBe('The old title')
  await title.getByRole('button').click()
  await field.fill('The new title')
  await field.press('Enter')
  await title.getByText('The new title').waitFor()
  expect((await stage.client.sessions.get(id)).title).toBe('The new title')
})

test('Enter that ends the work of an input method sends nothing', async ({ expect }) => {
  const { page } = watched
  await page.goto(`${stage.url}/#/new`)
  const field = page.locator('.new-task textarea')
  await field.fill('你好')
  const wasLeft = await page.evaluate(`document.querySelector('.new-task textarea').dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }))`)
  expect(wasLeft).toBe(true)
  await expect.poll(() => field.inputValue()).toBe('你好')
})

test('the field of a task that is being typed is the same on the first page and on that of a new task', async ({
  expect,
}) => {
  const { page } = watched
  await page.goto(`${stage.url}/#/inbox`)
  await page.goto(`${stage.url}/#/`)
  const field = await page.locator('.new-task textarea').elementHandle()
  await page.locator('.main-nav a.primary:not([aria-current])').click()
  await page.locator('.main-nav a.primary[aria-current=page]').waitFor()
  await expect.poll(() => field?.evaluate((element) => element.isConnected && element.matches(':focus'))).toBe(true)
})
