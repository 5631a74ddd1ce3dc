import { afterAll, beforeAll, test } from 'vitest'
import type { Scope } from '../../src/domain/access.ts'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>', config: {} })
})
afterAll(() => stage.close())

/** The console of somebody whose key has these scopes. */
async function openWith(scopes: Scope[], path: string, locale = 'en-US') {
  const { key = '' } = await stage.client.keys.create({ name: scopes.join(), scopes })
  const watched = await stage.open({ locale })
  await watched.page.addInitScript(`self === top && localStorage.setItem('yaa.key', '${key}')`)
  await watched.page.goto(`${stage.url}/${path}`)
  await watched.page.reload()
  return watched
}

/** A session that has answered, and waits for a decision. */
async function waitingSession() {
  const url = `${stage.site.url}/`
  await stage.script([calls('finish', { reason: 'Forty-two.' }), calls('web_access', { url })])
  const { id } = await stage.client.sessions.create({ task: 'Think' })
  await stage.client.files.put(id, 'notes.txt', 'Notes.')
  await stage.client.sessions.send(id, { content: 'Read' })
  return id
}

test('who may only read is offered no act in a session, and is told why', async ({ expect }) => {
  const id = await waitingSession()
  const { page, errors, close } = await openWith(['read'], `#/s/${id}`)
  await page.locator('.pending').getByText('This key may not decide this.').waitFor()
  await page.getByText('This key may not run tasks.').waitFor()
  expect(await page.locator('.pending .arguments').innerText()).toContain(stage.site.url)
  expect(await page.locator('.pending .acts').count()).toBe(0)
  expect(await page.locator('form.composer').count()).toBe(0)
  expect(await page.locator('button.title').count()).toBe(0)
  const offered = page.locator('.conversation article button')
  const names = await offered.evaluateAll((all) => all.map((one) => one.getAttribute('title')))
  expect([...new Set(names)]).toEqual(['Copy'])
  await page.locator('.session-header summary').click()
  expect(await page.locator('.menu-room button').allInnerTexts()).toEqual(['Export'])
  await page.keyboard.press('Escape')
  expect(await page.locator('.sessions').getByRole('button', { name: 'Select' }).count()).toBe(0)
  expect(await seriousFaults(page)).toEqual([])
  await page.goto(`${stage.url}/#/s/${id}/files`)
  await page.getByRole('button', { name: 'notes.txt' }).waitFor()
  expect(await page.locator('input[type=file]').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Delete notes.txt' }).count()).toBe(0)
  await page.goto(`${stage.url}/#/inbox`)
  await page.locator('.waiting .pending .notice').waitFor()
  expect(await page.locator('.waiting .acts').count()).toBe(0)
  expect(errors).toEqual([])
  await close()
})

test('who may decide and read decides, and writes nothing', async ({ expect }) => {
  const id = await waitingSession()
  await stage.script([calls('finish', { reason: 'Refused, then.' })])
  const { page, errors, close } = await openWith(['read', 'decide'], `#/s/${id}`)
  await page.locator('.composer .notice').waitFor()
  await page.locator('.pending').getByRole('button', { name: 'Refuse' }).click()
  await page.locator('.pending').getByRole('button', { name: 'Refuse' }).click()
  await page.getByText('Refused, then.').first().waitFor()
  expect(errors).toEqual([])
  await close()
})

test('who may only read is offered nothing in the set-up that would be refused', async ({ expect }) => {
  const { page, errors, close } = await openWith(['read'], '#/setup/models')
  const offered = async (part: string, words: string) => {
    await page.goto(`${stage.url}/#/setup/${part}`)
    await page.locator('main .notice', { hasText: words }).waitFor()
    return page.locator('main :is(button, input):visible').count()
  }
  expect(await offered('models', 'can add or change models')).toBe(0)
  expect(await offered('connections', 'can make changes here')).toBe(0)
  expect(await offered('audit', 'can read the log')).toBe(0)
  expect(errors).toEqual([])
  await close()
})

test('what a key lacks is called a permission, as where it was given', async ({ expect }) => {
  for (const [locale, lacks] of [
    ['en-US', 'This needs a key with the permission “read”.'],
    ['zh-CN', '需要具有权限“读取”的密钥。'],
  ] as const) {
    const { page, errors, close } = await openWith(['run'], '#/setup/webhooks', locale)
    await page.getByText(lacks).first().waitFor()
    expect(errors).toEqual([])
    await close()
  }
})

test('an address with a key that others wrote is no link, and takes no key away that the device keeps', async ({
  expect,
}) => {
  const address = `${stage.url}/#key=of-somebody-else-0123`
  await stage.script([{ content: `[Open](${address}) or ${address}` }])
  const { id } = await stage.client.sessions.create({ task: 'Where?' })
  const { page, close } = await stage.open({}, `/#/s/${id}`)
  await page.locator('.reply a').first().waitFor()
  const addresses = await page.locator('.reply a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
  expect(addresses).toEqual([null, null])
  const tab = await page.context().newPage()
  await tab.goto(address)
  await tab.locator('.gate').waitFor()
  expect(await tab.evaluate('[location.hash, localStorage.getItem("yaa.key")]')).toEqual(['', stage.key])
  await close()
})
