import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

const FOCUSED = 'document.activeElement'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>', config: {} })
})
afterAll(() => stage.close())

test('Ctrl-K finds sessions, pages and actions by what is typed; arrows choose, Enter goes, Escape leaves', async ({
  expect,
}) => {
  const [tea] = await Promise.all(
    ['Tea in the afternoon', 'Bread'].map((title) => stage.client.sessions.create({ title })),
  )
  const { page, errors, close } = await stage.open({ colorScheme: 'dark' }, '/#/new')
  const task = page.locator('.new-task textarea')
  await task.fill('Half a task')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Go to …' })
  await field.fill('tea')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await page.keyboard.type(' more')
  await expect.poll(() => task.inputValue()).toBe('Half a task more')
  await page.keyboard.press('Control+k')
  await field.fill('tea')
  await page.getByRole('option', { name: 'Tea in the afternoon' }).waitFor()
  await expect.poll(() => page.locator('.palette [role=option]').count()).toBe(1)
  expect(await seriousFaults(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.hash === `#/s/${tea?.id}`)
  await field.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await field.waitFor()
  await field.press('ArrowDown')
  await expect.poll(() => page.locator('[aria-selected=true]').getAttribute('id')).toBe('palette-1')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.hash === '#/inbox')
  // Who has only keys goes on in the page, not before the list of sessions.
  await expect.poll(() => page.evaluate(`${FOCUSED}.id`)).toBe('main')

  await page.keyboard.press('Control+k')
  await expect
    .poll(() => page.locator('.palette [role=option]').nth(2).innerText())
    .toMatch(/^(Bread|Tea).*\s+Session$/)
  await field.fill('keys')
  await page.getByRole('option', { name: 'Keys', exact: false }).last().click()
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Keys' }).waitFor({ state: 'detached' })
  expect(errors).toEqual([])
  await close()
})

test('Ctrl-K has all parts of the set-up, which are found by their names in both languages', async ({ expect }) => {
  for (const [locale, label, finds] of [
    ['en-US', 'Go to …', { 定时: '#/setup/schedules', 'api op': '#/setup/openapi-tools', audit: '#/setup/audit' }],
    ['zh-CN', '前往……', { webhook: '#/setup/webhooks', memory: '#/setup/memory', 回调: '#/setup/callbacks' }],
  ] as const) {
    const { page, errors, close } = await stage.open({ locale }, '/#/setup/models')
    await page.locator('.setup-nav a').first().waitFor()
    const parts = await page.locator('.setup-nav a').allInnerTexts()
    expect(parts).toHaveLength(13)
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: label })
    await field.fill(locale === 'en-US' ? 'set-up ·' : '设置 ·')
    const listed = page.locator('.palette [role=option] .entry-title')
    await expect.poll(() => listed.allInnerTexts()).toEqual(parts.map((part) => expect.stringContaining(part)))
    for (const [typed, address] of Object.entries(finds)) {
      await field.fill(typed)
      await field.press('Enter')
      await page.waitForURL((url) => url.hash === address)
      await page.keyboard.press('Control+k')
    }
    expect(errors).toEqual([])
    await close()
  }
})

test('letters are keys where nothing is typed, and words where something is', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/connect')
  await page.locator('.sessions [type=search]').waitFor()
  await page.keyboard.press('/')
  await expect.poll(() => page.evaluate(`${FOCUSED}.type`)).toBe('search')
  await page.keyboard.type('g i?/')
  expect(await page.locator('.sessions [type=search]').inputValue()).toBe('g i?/')
  expect(page.url()).toMatch(/#\/connect$/)
  await page.locator('.sessions [type=search]').fill('')
  await page.locator('h1').first().click()
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Keys' }).waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await page.waitForURL((url) => url.hash === '#/inbox')
  expect(errors).toEqual([])
  await close()
})

test('Approve has the focus when a call begins to wait, unless somebody types', async ({ expect }) => {
  const visit = calls('web_access', { url: stage.site.url })
  await stage.script([visit, visit, calls('finish', { reason: 'Read.' })])
  const { page, close } = await stage.open({}, '/#/new')
  await page.locator('.new-task textarea').fill('Read it twice')
  await page.keyboard.press('Enter')
  await page.locator('.pending').waitFor()
  await expect.poll(() => page.evaluate(`${FOCUSED}.innerText`)).toBe('Approve')
  for (const [key, field] of [
    ['e', 'Edit the arguments'],
    ['r', 'What should it do instead? (optional)'],
  ] as const) {
    await page.locator('.pending').press(key)
    await page.getByLabel(field).press('Escape')
    await page.getByLabel(field).waitFor({ state: 'detached' })
  }
  await page.locator('.composer textarea').fill('I am writing')
  await page.locator('.pending').focus()
  await page.keyboard.press('Shift+A')
  await page.locator('.composer textarea').click()
  await page.locator('.pending .primary').waitFor()
  expect(await page.locator('.composer textarea').inputValue()).toBe('I am writing')
  await close()
})

test('the browser notifies of what waits while the page is hidden, for who asked for it', async ({ expect }) => {
  const { page, close } = await stage.open({ permissions: ['notifications'] }, '/#/new')
  await page.locator('.new-task').waitFor()
  await page.evaluate(`window.told = []; window.Notification = class extends EventTarget {
    static requestPermission = async () => 'granted'
    constructor(title, options) { super(); window.told.push([title, options.body]) } }`)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to …' }).fill('notify')
  await page.getByRole('option', { name: 'Notify me when something is waiting for me' }).click()
  await expect.poll(() => page.evaluate(`localStorage.getItem('yaa.notify')`)).toBe('yes')
  await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => true })`)
  await stage.script([calls('web_access', { url: stage.site.url })])
  await stage.client.sessions.create({ task: 'Look there', title: 'Looks' })
  await expect.poll(() => page.evaluate('window.told'), { timeout: 60_000 }).toEqual([['Waiting for you', 'Looks']])
  await close()
})
