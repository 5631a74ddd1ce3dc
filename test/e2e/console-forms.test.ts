import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { onLoopback } from '../support/on-loopback.ts'
import { seriousFaults, startStage, type Stage, type Watched } from '../support/console.ts'

let stage: Stage
let watched: Watched

beforeAll(async () => {
  const price = { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' }
  const config = { locked: ['web.timeout_ms'] }
  const env = { YAA_SECRETS_KEY: 'a-key-of-the-console-forms-000000000000' }
  stage = await startStage({ html: '<p>Water boils.</p>', price, config, env })
  watched = await stage.open({ viewport: { width: 1440, height: 900 } })
})
afterAll(() => stage.close())

async function at(part: string): Promise<Page> {
  await watched.page.goto(`${stage.url}/#/setup/${part}`)
  return watched.page
}

const settings = () => stage.client.settings.get()

/** What a field is told to be wrong with, by its label. */
const wrongOf = async (field: Locator) => {
  const ids = (await field.getAttribute('aria-describedby')) ?? ''
  const problem = ids.split(' ').find((id) => id.endsWith('-problem'))
  return problem === undefined ? null : field.page().locator(`[id="${problem}"]`).innerText()
}

test('a model is added by the keyboard, its refusals stand at their fields, and its key is kept as a connection', async ({
  expect,
}) => {
  await stage.script([{ content: 'Here I am.', repeat: true }])
  const page = await at('models')
  const missed: string[] = []
  page.on('response', (response) => void (response.status() === 404 && missed.push(response.url())))
  await page.getByRole('button', { name: 'Add a model' }).press('Enter')
  const form = page.getByRole('form', { name: 'Add a model' })
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  const model = form.getByRole('textbox', { name: 'Model' })
  await expect.poll(() => wrongOf(model)).toBe('This field is required.')
  await expect.poll(() => model.and(page.locator(':focus')).count()).toBe(1)
  await model.fill('tiny')
  await form.getByLabel('Service').selectOption('other')
  await form.getByRole('textbox', { name: 'Address' }).fill(stage.model.url)
  await form.getByRole('textbox', { name: 'API key' }).fill('sk-typed-once')
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('mine')
  await form.getByRole('textbox', { name: 'Input', exact: true }).fill('1')
  await form.getByRole('textbox', { name: 'Output' }).fill('2.5')
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  const host = new URL(stage.model.url).host
  await expect
    .poll(() => wrongOf(form.getByRole('textbox', { name: 'Address' })))
    .toMatch(/private network.*Settings → Web/)
  await expect.poll(() => form.getByRole('textbox', { name: 'API key' }).inputValue()).toBe('sk-typed-once')
  expect((await stage.client.connections.list()).data).toEqual([])
  const { web } = (await settings()).effective
  const hosts = [...Object(web).allow_private_hosts, host]
  await stage.client.settings.patch({ web: { allow_private_hosts: hosts } })
  await form.getByRole('button', { name: 'Test' }).press('Enter')
  await page
    .getByRole('status')
    .getByText(/It answered in/)
    .waitFor()
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  const card = page.getByRole('article', { name: 'mine', exact: true })
  await card.getByText('CNY 1.00 in, CNY 2.50 out, per million tokens').waitFor()
  expect(missed).toEqual([])
  const [connection] = (await stage.client.connections.list()).data
  expect([connection?.name, connection?.origin]).toEqual(['model-mine', new URL(stage.model.url).origin])
  const { settings: held } = await settings()
  expect(held['models']).toEqual({
    mine: {
      api_url: stage.model.url,
      model: 'tiny',
      connection: 'model-mine',
      price: { prompt_per_mtok: 1, completion_per_mtok: 2.5, currency: 'CNY' },
    },
  })
  await card.getByRole('button', { name: 'Test' }).press('Enter')
  await card.getByText(/It answered in .*Here I am\./).waitFor()
  expect(await seriousFaults(page)).toEqual([])

  // A name that is taken, or too long, would be of another model.
  await page.getByRole('button', { name: 'Add a model' }).press('Enter')
  await model.fill('mine')
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(() => wrongOf(model)).toContain('There is a model named mine already.')
  const name = form.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('x'.repeat(101))
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(() => wrongOf(name)).toBe('Too long: at most 100.')
  await form.getByRole('button', { name: 'Cancel' }).press('Enter')
  expect(Object((await settings()).settings['models']).mine.model).toBe('tiny')
})

test('a model is changed and made the default, and goes with its key', async ({ expect }) => {
  const page = await at('models')
  const card = page.getByRole('article', { name: 'mine', exact: true })
  await card.getByRole('button', { name: 'Make default' }).click()
  await card.getByText('Default', { exact: true }).waitFor()
  await card.getByRole('button', { name: 'Change' }).click()
  const form = page.getByRole('form', { name: 'Change mine' })
  // What is typed is tested, not what is kept; the key goes to its own address alone.
  const tested = () => Object(stage.model.requests.at(-1)?.body).model
  await form.getByRole('textbox', { name: 'Model' }).fill('other')
  await form.getByRole('button', { name: 'Test' }).click()
  await page.getByText(/It answered in/).waitFor()
  expect(tested()).toBe('other')
  await form.getByRole('textbox', { name: 'Model' }).fill('tiny')
  const address = form.getByRole('textbox', { name: 'Address' })
  await address.fill('https://models.example/v1')
  await form.getByRole('button', { name: 'Test' }).click()
  await expect.poll(() => wrongOf(form.getByRole('textbox', { name: 'API key' }))).toContain('for the old address only')
  await address.fill(stage.model.url)
  await form.getByRole('textbox', { name: 'Output' }).fill('9')
  await form.locator('summary').click()
  await form.getByRole('textbox', { name: 'Longest answer' }).fill('1000')
  await form.getByRole('button', { name: 'Save' }).click()
  await card.getByText('CNY 9.00 out').waitFor()
  const models = Object((await settings()).settings['models'])
  expect(models.mine).toMatchObject({ model: 'tiny', connection: 'model-mine', max_tokens: 1_000 })
  await card.getByRole('button', { name: 'Remove' }).click()
  await card.waitFor({ state: 'detached' })
  const { settings: held } = await settings()
  expect([held['models'], held['default_model']]).toEqual([{}, undefined])
  expect((await stage.client.connections.list()).data).toEqual([])
})

test('settings are fields: what is wrong stands at its field, what is locked says so, and any version holds again', async ({
  expect,
}) => {
  const page = await at('settings')
  const limits = page.getByRole('form', { name: 'Limits of a run' })
  const calls = limits.getByRole('textbox', { name: 'Model calls per request' })
  await calls.fill('0')
  await limits.getByRole('textbox', { name: 'Longest run' }).fill('30')
  await limits.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => wrongOf(calls)).toBe('At least 1.')
  await expect.poll(() => limits.getByRole('textbox', { name: 'Longest run' }).inputValue()).toBe('30')
  await calls.fill('12')
  await limits.getByRole('button', { name: 'Save' }).click()
  await limits.getByText('Saved.').waitFor()
  expect((await settings()).settings['limits']).toEqual({ max_iterations: 12, deadline_ms: 1_800_000 })

  const budgets = page.getByRole('form', { name: 'Budgets' })
  const everybody = budgets.getByRole('group', { name: 'Everyone together' })
  await everybody.getByRole('textbox', { name: 'Cost per month' }).fill('50')
  await budgets.getByRole('button', { name: 'Save' }).click()
  await budgets.getByText('Saved.').waitFor()
  expect((await settings()).settings['budgets']).toEqual({
    tenant: { month: { max_cost: { amount: 50, currency: 'CNY' } } },
  })
  await page.locator('.versions li', { hasText: 'Changed: Budgets · Everyone together · Cost per month' }).waitFor()
  await everybody.getByRole('textbox', { name: 'Cost per month' }).fill('')
  await budgets.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await settings()).settings['budgets']).toEqual({ tenant: {} })

  const tools = page.getByRole('form', { name: 'Tools' })
  await tools.getByLabel('http_request').selectOption('deny')
  await tools.getByRole('button', { name: 'Save' }).click()
  await tools.getByText('Saved.').waitFor()
  const { settings: held, version } = await settings()
  expect(held['tools']).toEqual({ http_request: { permission: 'deny' } })
  for (const told of ['Changed: Tools · http_request', 'Models · mine · Longest answer'])
    await page.locator('.versions li', { hasText: told }).first().waitFor()
  const locked = page.getByRole('textbox', { name: 'Longest wait for a page' })
  expect([await locked.isDisabled(), await page.getByText('This is fixed in the config file.').count()]).toEqual([
    true,
    1,
  ])

  const first = page.locator('.versions li', { hasText: 'Limits · Model calls per request' })
  await first.getByText(/by \S+/).waitFor()
  await first.getByRole('button', { name: 'Restore' }).click()
  await page.locator('.versions li', { hasText: /back to version \d+/ }).waitFor()
  expect((await settings()).version).toBe(version + 1)
  expect(Object.keys((await settings()).settings)).not.toContain('tools')
  await expect.poll(() => tools.getByLabel('http_request').inputValue()).toBe('')
  expect([await seriousFaults(page), watched.errors]).toEqual([[], []])
})

test('what was spent is drawn with its axes and days without any, by each key, and is had as CSV', async ({
  expect,
}) => {
  const answer = { content: 'Cheap.', repeat: true, tool_calls: [{ name: 'finish', arguments: { reason: 'Cheap.' } }] }
  await stage.script([answer])
  const { id } = await stage.client.sessions.create({ task: 'Be cheap', user: 'ann', config: { model: 'm' } })
  const page = watched.page
  await page.goto(`${stage.url}/#/spend`)
  const chart = page.getByRole('img', { name: /^Cost \(CNY\)/ })
  await expect.poll(() => chart.locator('.bar-room').count()).toBe(30)
  await expect.poll(() => chart.locator('.bar:not(.none)').count()).toBeGreaterThan(0)
  await expect.poll(() => chart.locator('.y-axis').innerText()).toMatch(/CNY\s[\d.,]+\s[^]*CNY\s0\.00/)
  await expect.poll(() => chart.locator('.x-axis span').count()).toBeGreaterThan(3)
  await page.getByRole('button', { name: '7 days' }).press('Enter')
  await expect.poll(() => chart.locator('.bar-room').count()).toBe(7)
  await page.getByRole('button', { name: 'User', exact: true }).click()
  await page.locator('.lines li', { hasText: 'ann' }).first().waitFor()
  await page.getByRole('button', { name: 'Session', exact: true }).click()
  await page.locator(`main a[href="#/s/${id}"]`, { hasText: 'Be cheap' }).waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as CSV' }).click(),
  ])
  const csv = readFileSync(await file.path(), 'utf8')
  expect(csv).toMatch(/^session,total_tokens,[^\r\n]*,cost_cny\r\n/)
  expect(csv).toContain(`\r\n${id},`)
  expect(file.suggestedFilename()).toBe('usage-by-session.csv')
  expect([await seriousFaults(page), watched.errors]).toEqual([[], []])
})

test('the page is light, dark or as the system, and stays so', async ({ expect }) => {
  const { page, errors, close } = await stage.open({ colorScheme: 'light' }, '/#/setup/models')
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const now = (theme: string) => page.getByRole('button', { name: `Appearance: ${theme}` })
  await now('system').waitFor()
  const light = await ground()
  await now('system').press('Enter')
  await expect.poll(ground).not.toBe(light)
  const dark = await ground()
  await page.reload()
  await now('dark').waitFor()
  await expect.poll(ground).toBe(dark)
  expect(await seriousFaults(page)).toEqual([])
  await now('dark').click()
  await now('light').waitFor()
  await expect.poll(ground).toBe(light)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to …' }).fill('appearance system')
  await page.keyboard.press('Enter')
  await now('system').waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(ground).toBe(dark)
  expect(errors).toEqual([])
  await close()
})

test('each part stands in both languages, in the dark, on a phone, and keeps nobody out', async ({ expect }) => {
  const window = {
    locale: 'zh-CN',
    colorScheme: 'dark',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  } as const
  const { page, errors, close } = await stage.open(window)
  const parts = { models: '模型', settings: '通用设置', workflows: '工作流', audit: '审计', skills: '技能' }
  for (const [part, title] of Object.entries(parts)) {
    await page.goto(`${stage.url}/#/setup/${part}`)
    await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor()
    await page.locator('.resource, .settings, .empty').first().waitFor()
    expect([part, await seriousFaults(page)]).toEqual([part, []])
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  }
  expect(errors).toEqual([])
  await close()
})

test('an empty part says what it is for, and a server is added there by its fields', async ({ expect }) => {
  await watched.page.route('**/v1/mcp-servers?*', async (route) => {
    await new Promise((done) => setTimeout(done, 500))
    await route.continue()
  })
  const page = await at('mcp-servers')
  // Whoever presses it as soon as it is there must not miss it: it stays where it was first shown.
  const begin = await page.getByRole('button', { name: 'New', exact: true }).elementHandle()
  await page.getByText('An MCP server brings in the tools of another service').waitFor()
  expect(await begin?.evaluate((button) => button.isConnected)).toBe(true)
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  await page.keyboard.type('desk')
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('desk')
  await page.getByLabel('Address', { exact: true }).fill(`${stage.site.url}/mcp`)
  await page.getByLabel('Description', { exact: true }).fill('reads issues')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await page.locator('.resource', { hasText: 'desk' }).waitFor()
  const [server] = (await stage.client.mcpServers.list()).data
  expect(server).toMatchObject({ name: 'desk', url: `${stage.site.url}/mcp`, description: 'reads issues' })
  expect(await seriousFaults(page)).toEqual([])
})

test('an API is added by its fields, with a connection and the operations that are wanted, and changed', async ({
  expect,
}) => {
  const operation = { get: { operationId: 'list_items' }, delete: { operationId: 'empty' } }
  const document = { openapi: '3.1.0', info: { title: 'Shop', version: '2' }, paths: { '/items': operation } }
  const api = await onLoopback(createServer((_, response) => response.end(JSON.stringify(document))))
  onTestFinished(() => api.close())
  await stage.client.settings.patch({ web: { allow_private_hosts: [api.host] } })
  await stage.client.connections.create({ name: 'till', origin: api.url, secret: 'of-the-till-0123456789' })
  onTestFinished(() => stage.client.connections.delete('till'))
  const page = await at('openapi-tools')
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  await page.getByLabel('Name', { exact: true }).fill('shop')
  await page.getByLabel('Address of the document').fill(`${api.url}/openapi.json`)
  await page.getByLabel('Connection that authorises').selectOption('till')
  await page.getByLabel('Only these operations').fill('list_*\n\n')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  const card = page.locator('.resource', { hasText: 'shop' })
  await card.waitFor()
  expect(await card.innerText()).toMatch(/Title\s+Shop[^]*Tools\s+1/)
  expect(await stage.client.openApiTools.get('shop')).toMatchObject({
    auth: { connection: 'till', origin: api.url },
    include: ['list_*'],
  })
  await card.getByRole('button', { name: 'Edit' }).press('Enter')
  await card.getByText('Everything, as JSON').click()
  const json = card.getByLabel('As JSON')
  await json.fill((await json.inputValue()).replace('"till"', '"none"'))
  await card.getByRole('button', { name: 'Save' }).press('Enter')
  await card.locator('.field.wrong', { hasText: 'Connection' }).getByText('There is no such connection').waitFor()
  await card.getByLabel('Connection that authorises').selectOption('till')
  await card.getByLabel('Description').fill('What is sold')
  await card.getByRole('button', { name: 'Save' }).press('Enter')
  await card.getByText('What is sold').waitFor()
  expect(await stage.client.openApiTools.get('shop')).toMatchObject({
    auth: { connection: 'till' },
    description: 'What is sold',
  })
})
