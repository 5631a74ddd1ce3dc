import { afterAll, beforeAll, test } from 'vitest'
import { ApiProblem } from '../../src/client/client.ts'
import { seriousFaults, startStage, type Stage, type Watched } from '../support/console.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>', config: {} })
})
afterAll(() => stage.close())

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const made = (...titles: string[]) => Promise.all(titles.map((title) => stage.client.sessions.create({ title })))

async function isThere(id: string): Promise<boolean> {
  try {
    await stage.client.sessions.get(id)
    return true
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return false
    throw error
  }
}

const entry = (page: Watched['page'], title: string) => page.locator('.sessions li', { hasText: title })

test('a session that is pinned stands above those of today, and is found there when it is opened anew', async ({
  expect,
}) => {
  const [one] = await made('To keep at hand', 'One of many')
  const { page, errors, close } = await stage.open({}, `/#/s/${one?.id}`)
  await entry(page, 'One of many').waitFor()
  const groups = () => page.locator('.sessions .group').allInnerTexts()
  await expect.poll(async () => (await groups())[0]).toMatch(/^Today/)
  const menu = page.getByLabel('Actions').locator('xpath=self::summary')
  await menu.click()
  await page.getByRole('button', { name: 'Pin', exact: true }).click()
  await expect.poll(async () => (await groups())[0]).toMatch(/^Pinned/)
  await expect.poll(() => page.locator('.sessions ul').first().innerText()).toContain('To keep at hand')
  expect(await entry(page, 'To keep at hand').count()).toBe(1)
  expect(await stage.client.sessions.get(one?.id ?? '')).toMatchObject({ metadata: { pinned: true } })
  expect((await stage.client.sessions.list({ pinned: 'true' })).data.map(({ id }) => id)).toEqual([one?.id])
  await page.reload()
  await expect.poll(async () => (await groups())[0]).toMatch(/^Pinned/)
  await menu.click()
  await page.getByRole('button', { name: 'Unpin' }).click()
  await expect.poll(async () => (await groups())[0]).toMatch(/^Today/)
  expect((await stage.client.sessions.list({ pinned: 'true' })).data).toEqual([])
  expect(errors).toEqual([])
  await close()
})

test('a session that is deleted is gone at once, comes back when that is undone, and goes for good after a while', async ({
  expect,
}) => {
  const [one] = await made('To be deleted')
  const id = one?.id ?? ''
  const { page, errors, close } = await stage.open({}, `/#/s/${id}`)
  await entry(page, 'To be deleted').waitFor()
  const remove = async () => {
    await page.locator('.session-header summary').click()
    await page.locator('.menu-room').getByRole('button', { name: 'Delete' }).click()
  }
  await remove()
  const undo = page.getByRole('button', { name: 'Undo' })
  await page.getByText('“To be deleted” was deleted.').waitFor()
  await entry(page, 'To be deleted').waitFor({ state: 'detached' })
  expect(page.url()).toMatch(/#\/$/)
  expect(await seriousFaults(page)).toEqual([])
  expect(await isThere(id)).toBe(true)
  const focused = () => page.evaluate('document.activeElement.innerText.split("\\n")[0]')
  await expect.poll(focused).toBe('Undo')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.hash === `#/s/${id}`)
  await page.locator('.session-header').waitFor()
  await expect.poll(focused).toBe('To be deleted')
  await remove()
  await undo.waitFor()
  expect(await isThere(id)).toBe(true)
  await expect.poll(() => isThere(id), { timeout: 60_000 }).toBe(false)
  await undo.waitFor({ state: 'detached' })
  expect(await entry(page, 'To be deleted').count()).toBe(0)
  expect(errors).toEqual([])
  await close()
}, 120_000)

test('who leaves the page keeps nothing of what was deleted', async ({ expect }) => {
  const titles = ['one', 'two', 'three'].map((word) => `On the way out ${word}`)
  const ids = (await made(...titles)).map(({ id }) => id)
  const { page, close } = await stage.open({}, '/#/')
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  for (const title of titles) await page.getByLabel(title).check()
  await page.locator('.select-bar').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.goto('about:blank')
  await expect.poll(() => Promise.all(ids.map(isThere)), { timeout: 30_000 }).toEqual([false, false, false])
  await close()
})

test('the word of what was deleted covers nothing that one writes in', async ({ expect }) => {
  const [, other] = await made('Goes away', 'Is written to')
  for (const options of [{}, PHONE]) {
    const { page, close } = await stage.open(options, '/#/')
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await page.getByLabel('Goes away').check()
    await page.locator('.select-bar').getByRole('button', { name: 'Delete' }).click()
    await page.evaluate(`location.hash = '#/s/${other?.id}'`)
    await page.locator('.composer').waitFor()
    const toast = await page.locator('.toast').boundingBox()
    const composer = await page.locator('.composer').boundingBox()
    expect((composer?.y ?? 0) + (composer?.height ?? 0)).toBeLessThanOrEqual(toast?.y ?? 0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await close()
  }
})

test('what could not be deleted is there again, and why', async ({ expect }) => {
  const [one] = await made('Not to be deleted')
  const { page, close } = await stage.open({}, '/#/')
  await page.route('**/v1/sessions/*', (route) =>
    route.request().method() === 'DELETE' ? route.abort() : route.continue(),
  )
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  await page.getByLabel('Not to be deleted').check()
  await page.locator('.select-bar').getByRole('button', { name: 'Delete' }).click()
  await entry(page, 'Not to be deleted').waitFor({ state: 'detached' })
  await page.getByText('“Not to be deleted” could not be deleted:').waitFor()
  await entry(page, 'Not to be deleted').waitFor()
  await page.locator('.toast').getByRole('button', { name: 'Close' }).click()
  await page.locator('.toast').waitFor({ state: 'detached' })
  expect(await isThere(one?.id ?? '')).toBe(true)
  await close()
}, 120_000)

test.for([
  ['with a mouse', {}],
  ['on a phone in the dark', { ...PHONE, colorScheme: 'dark' as const }],
] as const)('many are ticked and deleted at once: %s', { timeout: 120_000 }, async ([name, options], { expect }) => {
  const titles = ['first', 'second', 'third'].map((word) => `${word} ${name}`)
  const ids = (await made(...titles)).map(({ id }) => id)
  const { page, errors, close } = await stage.open(options, '/#/')
  await entry(page, titles[0] ?? '').waitFor()
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  for (const title of titles.slice(0, 2)) await page.getByLabel(title).check()
  await page.locator('.select-bar').getByText('2 selected').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.locator('.select-bar').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('2 sessions were deleted.').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Undo')
  if (name === 'with a mouse') {
    await page.keyboard.press('Enter')
    await entry(page, titles[0] ?? '').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toMatch(/^(first|second) with/)
    await page.getByRole('button', { name: 'Select', exact: true }).press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('checkbox')
    await page.locator('.select-bar').getByRole('button', { name: 'Done' }).press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Select')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('checkbox')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Select')
    await page.keyboard.press('Enter')
    for (const title of titles.slice(0, 2)) await page.getByLabel(title).check()
    await page.locator('.select-bar').getByRole('button', { name: 'Delete' }).click()
  }
  await entry(page, titles[0] ?? '').waitFor({ state: 'detached' })
  await entry(page, titles[2] ?? '').waitFor()
  await expect.poll(() => Promise.all(ids.map(isThere)), { timeout: 60_000 }).toEqual([false, false, true])
  expect(errors).toEqual([])
  await close()
})

test('what one begins elsewhere than at a task is listed at once', async ({ expect }) => {
  const [one] = await made('The origin')
  await stage.client.workflows.put('keeps', {
    description: 'Keeps.',
    steps: [{ id: 'keep', type: 'set', values: { a: '1' } }],
  })
  const { page, close } = await stage.open({}, `/#/s/${one?.id}`)
  await entry(page, 'The origin').waitFor()
  // The server's own list is not asked.
  await page.route(/\/v1\/sessions\?/, (route) => route.abort())
  await page.locator('.session-header summary').click()
  await page.locator('.menu-room').getByRole('button', { name: 'Fork' }).click()
  await page.waitForURL((url) => url.hash !== `#/s/${one?.id}`)
  await expect.poll(() => entry(page, 'The origin').count()).toBe(2)
  await page.evaluate(`location.hash = '#/setup/workflows'`)
  const card = page.locator('.resource').filter({ hasText: 'Keeps.' })
  await card.getByText('Run now').first().click()
  await card.getByRole('button', { name: 'Start' }).click()
  await page.waitForURL(/workflow$/)
  await expect.poll(() => page.locator('.sessions li').first().innerText()).toContain('keeps')
  await close()
})
