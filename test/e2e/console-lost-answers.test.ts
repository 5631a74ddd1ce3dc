import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { startStage, type Stage } from '../support/console.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<p>Water boils.</p>' })
})
afterAll(() => stage.close())

async function named(part: string, wanted: string) {
  const { data } = await stage.client.json<{ data: { id: string; name: string }[] }>({ path: `/v1/${part}` })
  return data.filter(({ name }) => name === wanted)
}

/** The first answer to each creation is lost on its way. Gives those that were. */
async function loseFirst(page: Page): Promise<Set<string>> {
  const lost = new Set<string>()
  await page.route(/\/v1\/(schedules|webhooks|callbacks|keys)$/, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (route.request().method() !== 'POST' || lost.has(pathname)) return route.continue()
    lost.add(pathname)
    await route.fetch()
    await route.abort()
  })
  return lost
}

async function saveTwice(page: Page): Promise<void> {
  const card = page.locator('.form.card')
  await page.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Not saved: ').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await card.waitFor({ state: 'detached' })
}

test('an entry whose answer is lost is there once when it is saved again, with a secret to copy', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/schedules')
  const lost = await loseFirst(page)
  const card = page.locator('.form.card')
  const fill = async (fields: Record<string, string>) => {
    await page.getByRole('button', { name: 'New', exact: true }).click()
    for (const [label, value] of Object.entries(fields)) await card.getByLabel(label, { exact: true }).fill(value)
  }
  await fill({ Name: 'once', Task: 'Look around' })
  await saveTwice(page)
  expect([await named('schedules', 'once'), await page.locator('.secret').count()]).toEqual([[expect.anything()], 0])

  const copied: string[] = []
  for (const [part, fields] of [
    ['webhooks', { Name: 'once' }],
    ['callbacks', { Name: 'once', Address: 'https://example.com/told' }],
    ['keys', { Name: 'once' }],
  ] as const) {
    await page.goto(`${stage.url}/#/setup/${part}`)
    await fill(fields)
    await saveTwice(page)
    copied.push(await page.locator('.secret code').innerText())
    expect(await named(part, 'once')).toHaveLength(1)
  }
  expect(copied).toEqual([
    expect.stringMatching(/^whsec_/),
    expect.stringMatching(/^whsec_/),
    expect.stringMatching(/^\w{20,}/),
  ])
  const held = await fetch(`${stage.url}/v1/sessions`, { headers: { authorization: `Bearer ${copied[2]}` } })
  expect([held.status, lost.size]).toEqual([200, 4])
  expect(errors).toEqual([])
  await close()
})

test('a secret of one’s own is no new one', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/webhooks')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  const card = page.locator('.form.card')
  await card.getByLabel('Name', { exact: true }).fill('given')
  await card.getByRole('combobox', { name: 'Signature' }).selectOption('Bearer token')
  await card
    .getByLabel('Secret (leave empty to create one)', { exact: true })
    .fill('own-0123456789abcdef0123456789abcdef')
  await loseFirst(page)
  await saveTwice(page)
  await page.locator('.resource', { hasText: 'given' }).waitFor()
  expect([await named('webhooks', 'given'), await page.locator('.secret').count()]).toEqual([[expect.anything()], 0])
  expect(errors).toEqual([])
  await close()
})

test('what is deleted before it is saved again is made anew', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/schedules')
  const card = page.locator('.form.card')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await card.getByLabel('Name', { exact: true }).fill('again')
  await card.getByLabel('Task', { exact: true }).fill('Look around')
  await loseFirst(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Not saved: ').waitFor()
  const [first] = await named('schedules', 'again')
  await page.goto(`${stage.url}/#/setup/keys`)
  await card.waitFor({ state: 'detached' })
  await page.goto(`${stage.url}/#/setup/schedules`)
  const entry = page.locator('.resource', { hasText: 'again' })
  await entry.getByRole('button', { name: 'Delete' }).click()
  await entry.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await entry.waitFor()
  const [second, ...others] = await named('schedules', 'again')
  expect([second?.id === first?.id, others, errors]).toEqual([false, [], []])
  await close()
})
