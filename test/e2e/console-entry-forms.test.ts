import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'

const PHONE = { viewport: { width: 390, height: 844 } }

let stage: Stage
beforeAll(async () => {
  stage = await startStage({
    html: '<p>Water boils.</p>',
    env: { YAA_SECRETS_KEY: 'a-key-of-the-entry-forms-00000000000000' },
  })
})
afterAll(() => stage.close())

const field = (page: Page, name: string) => page.locator('.form.card').getByLabel(name, { exact: true })
const isFocused = (one: Locator) => one.and(one.page().locator(':focus')).count()

/** What each field is told to be wrong with, by what it is called. */
const wrongFields = (page: Page) =>
  page.evaluate<Record<string, string>>(
    `Object.fromEntries([...document.querySelectorAll('.field.wrong')].map((one) => [
      (one.querySelector('legend') ?? one.querySelector('label span')).innerText.replace(/ \\*$/, ''),
      one.querySelector('.field-problem').innerText]))`,
  )

async function begin(page: Page, part: string, words: { make: string; save: string }) {
  await page.goto(`${stage.url}/#/setup/${part}`)
  await page.getByRole('button', { name: words.make, exact: true }).press('Enter')
  await page.getByRole('button', { name: words.save }).press('Enter')
}

test.for<[locale: string, words: Record<'make' | 'save' | 'needed', string>, parts: Record<string, string[]>]>([
  [
    'en-US',
    { make: 'New', save: 'Save', needed: 'This field is required.' },
    {
      'mcp-servers': ['Name', 'Address'],
      'openapi-tools': ['Name', 'Address of the document'],
      connections: ['Name', 'For'],
      keys: ['Name'],
      schedules: ['Name', 'Task'],
      webhooks: ['Name'],
      callbacks: ['Address'],
    },
  ],
  [
    'zh-CN',
    { make: '新建', save: '保存', needed: '此项必填。' },
    {
      'mcp-servers': ['名称', '地址'],
      connections: ['名称', '适用地址'],
      keys: ['名称'],
      schedules: ['名称', '任务'],
      webhooks: ['名称'],
    },
  ],
] as const)(
  'an empty form says at each field that it is required, in %s',
  async ([locale, words, parts], { expect }) => {
    const { page, errors, close } = await stage.open({ locale, ...PHONE })
    for (const [part, names] of Object.entries(parts)) {
      await begin(page, part, words)
      const told = Object.fromEntries(names.map((name) => [name, words.needed]))
      await expect.poll(() => wrongFields(page)).toEqual(told)
      await expect.poll(() => isFocused(field(page, names[0] ?? ''))).toBe(1)
      expect(await seriousFaults(page)).toEqual([])
    }
    expect(errors).toEqual([])
    await close()
  },
)

test('what the server refuses stands at the field that it names, and is gone with the next letter', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open()
  const words = { make: 'New', save: 'Save' }
  await begin(page, 'connections', words)
  await field(page, 'Name').fill('a b')
  await field(page, 'For').fill('example')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await expect
    .poll(() => wrongFields(page))
    .toEqual({
      Name: 'Use up to 64 letters, digits, dots, hyphens and underscores.',
      For: 'Enter a whole address, such as https://example.com.',
      Secret: 'This field is required.',
    })
  await expect.poll(() => isFocused(field(page, 'Name'))).toBe(1)
  await field(page, 'Name').fill('ab')
  expect(Object.keys(await wrongFields(page))).toEqual(['For', 'Secret'])

  await begin(page, 'schedules', words)
  await field(page, 'Name').fill('often')
  await field(page, 'Task').fill('Look')
  await field(page, 'Cron').fill('sometimes')
  await field(page, 'Time zone').fill('Nowhere')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(async () => Object.keys(await wrongFields(page))).toEqual(['Time zone'])
  await expect.poll(() => isFocused(field(page, 'Time zone'))).toBe(1)
  await field(page, 'Time zone').fill('UTC')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(async () => Object.keys(await wrongFields(page))).toEqual(['Cron'])

  await page.getByRole('combobox', { name: 'When' }).selectOption('At an interval')
  await field(page, 'Every (minutes)').fill('0.01')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(() => wrongFields(page)).toEqual({ 'Every (minutes)': 'At least 1 s.' })
  await field(page, 'Every (minutes)').fill('600000')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(() => wrongFields(page)).toEqual({ 'Every (minutes)': 'At most 527,040.' })

  await begin(page, 'keys', words)
  await field(page, 'Name').fill('nobody')
  for (const scope of ['run tasks', 'read', 'decide']) await field(page, scope).uncheck()
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(() => wrongFields(page)).toEqual({ Permissions: 'This field is required.' })
  await expect.poll(() => isFocused(field(page, 'run tasks'))).toBe(1)
  expect(errors).toEqual([])
  await close()
})

/** What has the focus: a row by its name, else what it is called. */
const focused = (page: Page) =>
  page.evaluate<string>(`(() => { const one = document.activeElement
    return one.dataset.row ?? one.getAttribute('aria-label') ?? one.closest('label')?.innerText ?? one.innerText })()`)

test('the focus goes on where one does: into a form, back to its button, to the row that was saved, to the next of one that is gone', async ({
  expect,
}) => {
  const is = (wanted: string | RegExp) => expect.poll(() => focused(page)).toMatch(wanted)
  const { page, errors, close } = await stage.open({}, '/#/setup/mcp-servers')
  const press = (name: string, row?: string) =>
    (row === undefined ? page : page.locator(`[data-row="${row}"]`))
      .getByRole('button', { name, exact: true })
      .press('Enter')
  for (const name of ['one', 'two']) {
    await press('New')
    await is(/^Name/)
    await press('Cancel')
    await is(/^New$/)
    await press('New')
    await field(page, 'Name').fill(name)
    await field(page, 'Address').fill(`${stage.site.url}/${name}`)
    await press('Save')
    await is(`mcp-servers.${name}`)
  }
  await press('Edit', 'mcp-servers.one')
  await is(/^Address/)
  await press('Cancel')
  await is(/^Edit$/)
  await press('Edit', 'mcp-servers.one')
  await field(page, 'Description').fill('The first')
  await press('Save')
  await is('mcp-servers.one')
  await press('Check', 'mcp-servers.one')
  await is(/^Check$/)
  const [first = '', second = ''] = await page
    .locator('.resource')
    .evaluateAll((rows) => rows.map((row) => String(row.getAttribute('data-row'))))
  await press('Delete', first)
  await is(second)
  await press('Delete', second)
  await is(/^New$/)

  const steps = [{ id: 'say', type: 'set', values: { page: 'one' } }]
  const digest = { name: 'digest', description: 'Digests.', steps }
  await stage.client.json({ method: 'POST', path: '/v1/workflows', body: digest })
  await page.goto(`${stage.url}/#/setup/workflows`)
  await press('Edit', 'workflows.digest')
  await page.locator('.workflow-form').waitFor()
  await expect.poll(() => page.evaluate<boolean>(`document.activeElement.matches('.workflow-form *')`)).toBe(true)
  await press('Cancel')
  await is(/^Edit$/)
  expect(errors).toEqual([])
  await close()
})

test('the same in the forms of models and of settings, and among links that are revoked', async ({ expect }) => {
  const is = (wanted: string | RegExp) => expect.poll(() => focused(page)).toMatch(wanted)
  const session = await stage.client.sessions.create({ title: 'Shared' })
  const expires = new Date(Date.now() + 600_000).toISOString()
  for (let made = 0; made < 2; made++)
    await stage.client.links.create(session.id, { scope: 'read', expires_time: expires })
  const { page, errors, close } = await stage.open({}, '/#/setup/models')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().press('Enter')
  await press('Add a model')
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('SELECT')
  await press('Cancel')
  await is('Add a model')
  await page.locator('[data-row="models.m"]').getByRole('button', { name: 'Change' }).press('Enter')
  await page.getByRole('form', { name: 'Change m' }).getByRole('button', { name: 'Save' }).press('Enter')
  await is('models.m')

  await page.goto(`${stage.url}/#/setup/settings`)
  await page.getByRole('textbox', { name: 'Model calls per request' }).fill('12')
  await page.getByRole('form', { name: 'Limits of a run' }).getByRole('button', { name: 'Save' }).press('Enter')
  await page.getByText('Saved.').waitFor()
  await is('Save')

  await page.goto(`${stage.url}/#/s/${session.id}`)
  await page.locator('.session-header summary').press('Enter')
  await press('Share')
  await page.locator('.share-links li').nth(1).waitFor()
  await press('Revoke')
  await is(/^links\./)
  await press('Revoke')
  await is('Make a link')
  // A link that is revoked is not offered to be copied.
  await page.getByRole('button', { name: 'Make a link' }).click()
  await page.locator('.share-made').waitFor()
  await press('Revoke')
  await page.locator('.share-made').waitFor({ state: 'detached' })
  expect(errors).toEqual([])
  await close()
})

test('whoever writes an entry as JSON goes on where they are, whatever stands there meanwhile', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/mcp-servers')
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  await page.locator('.form.card summary').press('Enter')
  const json = page.getByLabel('As JSON', { exact: true })
  await json.press('Control+End')
  await page.keyboard.press('Backspace')
  await page.getByText('This is not a JSON object').waitFor()
  await page.keyboard.type('}')
  await field(page, 'Name').waitFor()
  expect([await isFocused(json), await json.isVisible()]).toEqual([1, true])
  expect(errors).toEqual([])
  await close()
})

test('an entry is changed by what can be changed of it, and is asked about by its name', async ({ expect }) => {
  await stage.client.keys.create({ name: 'lasting', scopes: ['read'] })
  const url = `${stage.site.url}/lasting`
  await stage.client.json({ method: 'POST', path: '/v1/mcp-servers', body: { name: 'lasting', url } })
  const { page, errors, close } = await stage.open()
  const asked: string[] = []
  page.on('dialog', (dialog) => asked.push(dialog.message()))
  for (const [part, fields] of [
    ['keys', ['limits', 'name']],
    ['mcp-servers', ['enabled', 'headers', 'oauth_grants', 'trust_hints', 'url']],
  ] as const) {
    await page.goto(`${stage.url}/#/setup/${part}`)
    const card = page.locator('.resource', { hasText: 'lasting' })
    await card.getByRole('button', { name: 'Edit' }).press('Enter')
    await card.getByText('Everything, as JSON').click()
    const written = await card.getByLabel('As JSON', { exact: true }).inputValue()
    expect(Object.keys(JSON.parse(written)).toSorted()).toEqual(fields)
    expect(await card.getByLabel('everything', { exact: true }).count()).toBe(0)
    await card.getByRole('button', { name: 'Delete' }).press('Enter')
    await card.waitFor({ state: 'detached' })
  }
  expect(asked).toEqual(['Delete lasting?', 'Delete lasting?'])
  expect(errors).toEqual([])
  await close()
})

test('what somebody else has saved meanwhile is replaced only by who saves again', async ({ expect }) => {
  const path = '/v1/skills/shared'
  const skill = (description: string) => ({ name: 'shared', version: '1.0.0', description, prompt: 'Be brief.' })
  const steps = [{ id: 'tea', type: 'agent', prompt: 'Make tea.' }]
  const save = async (description: string) => {
    await stage.client.json({ method: 'PUT', path, body: skill(description) })
    await stage.client.workflows.put('shared', { description, steps })
  }
  await save('As it was')
  const { page, errors, close } = await stage.open()
  for (const part of ['skills', 'workflows']) {
    await page.goto(`${stage.url}/#/setup/${part}`)
    const card = page.locator('.resource', { hasText: 'shared' })
    await card.getByRole('button', { name: 'Edit' }).press('Enter')
    await card
      .getByLabel(/^Description/)
      .first()
      .fill('As I see it')
    await save(`As others see it, ${part}`)
    await card.getByRole('button', { name: 'Save' }).press('Enter')
    await card.getByText('Somebody else has changed this since you opened it.').waitFor()
    const kept = await stage.client.json<{ description: string }>({ path: `/v1/${part}/shared` })
    expect(kept.description).toBe(`As others see it, ${part}`)
    await card.getByRole('button', { name: 'Save' }).press('Enter')
    await card.getByText('As I see it').waitFor()
  }
  expect(errors).toEqual([])
  await close()
})

test('what somebody else has deleted meanwhile is gone by who deletes it, too', async ({ expect }) => {
  const { id } = await stage.client.keys.create({ name: 'twice gone', scopes: ['read'] })
  const { page, errors, close } = await stage.open({}, '/#/setup/keys')
  const card = page.locator('.resource', { hasText: 'twice gone' })
  await card.waitFor()
  await stage.client.keys.delete(id)
  await card.getByRole('button', { name: 'Delete' }).press('Enter')
  await card.waitFor({ state: 'detached' })
  expect([await page.locator('.problem').count(), errors]).toEqual([0, []])
  await close()
})

test('a secret that is too short says so, and an input that a workflow needs is asked for at its field', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/webhooks')
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  await field(page, 'Name').fill('door')
  await field(page, 'Secret (leave empty to create one)').fill('short')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  const secret = 'Secret (leave empty to create one)'
  await expect.poll(() => wrongFields(page)).toEqual({ [secret]: 'Too short: at least 16.' })
  await field(page, secret).fill('')
  await page.locator('.form.card').getByLabel('Workflow').selectOption('page-digest')
  const urls = page.locator('.form.card').getByLabel('Addresses of the pages')
  await urls.waitFor()
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(() => isFocused(urls)).toBe(1)
  expect(await page.locator('.field-problem').allInnerTexts()).toEqual(['This field is required.'])
  await urls.fill('https://example.com')
  await expect.poll(() => page.locator('.field-problem').count()).toBe(0)
  expect(errors).toEqual([])
  await close()
})

test('why a delivery was not taken is told in the language of the page', async ({ expect }) => {
  const body = { name: 'ear', url: `${stage.site.url}/ear`, events: ['run.failed'] }
  await stage.client.json({ method: 'POST', path: '/v1/callbacks', body })
  const { page, errors, close } = await stage.open({}, '/#/setup/callbacks')
  await page.route('**/v1/callbacks/*/test', async (route) => {
    const response = await route.fetch()
    const delivery = { ...(await response.json()), status: 'dead' }
    const attempt_log = [{ status: 404, error: { code: 'http_status', detail: '接收方答复了 404，而不是 2xx。' } }]
    await route.fulfill({ response, json: { ...delivery, attempt_log } })
  })
  await page.getByRole('button', { name: 'Send a test' }).press('Enter')
  await page.getByText('given up · 404 · the receiver did not accept it', { exact: true }).waitFor()
  expect(errors).toEqual([])
  await close()
})

test('a key that was made is copied with the next press', async ({ expect }) => {
  const { page, errors, close } = await stage.open(
    { permissions: ['clipboard-read', 'clipboard-write'] },
    '/#/setup/keys',
  )
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  await field(page, 'Name').fill('mine')
  await field(page, 'Name').press('Enter')
  await expect.poll(() => focused(page)).toBe('Copy: Keys')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copied: Keys' }).waitFor()
  const key = await page.locator('.secret code').innerText()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  expect(errors).toEqual([])
  await close()
})

test('what is saved while the server is away is said not to be, and stays to be saved again', async ({ expect }) => {
  const { page, errors, close } = await stage.open({ locale: 'zh-CN', ...PHONE }, '/#/setup/keys')
  await page.getByRole('button', { name: '新建', exact: true }).press('Enter')
  await field(page, '名称').fill('later')
  await page.route('**/v1/keys', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
  await page.getByRole('button', { name: '保存' }).press('Enter')
  await page.locator('.form.card').getByText('没有保存：无法连接服务器。').waitFor()
  await expect.poll(() => focused(page)).toBe('保存')
  expect(await field(page, '名称').inputValue()).toBe('later')
  expect(await seriousFaults(page)).toEqual([])
  await page.unroute('**/v1/keys')
  await page.getByRole('button', { name: '保存' }).press('Enter')
  await page.locator('.resource', { hasText: 'later' }).waitFor()
  await page.goto(`${stage.url}/#/setup/settings`)
  const limits = page.getByRole('form', { name: '单次运行的限制' })
  await limits.locator('input').first().fill('7')
  await page.route('**/v1/settings', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  )
  await limits.getByRole('button', { name: '保存' }).press('Enter')
  await limits.getByText('没有保存：无法连接服务器。').waitFor()
  expect(await limits.locator('input').first().inputValue()).toBe('7')
  expect(errors).toEqual([])
  await close()
})

test('a key that only reads is offered nothing that it is refused, and is told why', async ({ expect }) => {
  const { key = '' } = await stage.client.keys.create({ name: 'reader', scopes: ['read'] })
  const body = { name: 'seen', url: `${stage.site.url}/seen` }
  await stage.client.json({ method: 'POST', path: '/v1/mcp-servers', body })
  const { page, errors, close } = await stage.open()
  await page.addInitScript(`self === top && localStorage.setItem('yaa.key', '${key}')`)
  for (const part of ['mcp-servers', 'keys', 'schedules', 'skills']) {
    await page.goto(`${stage.url}/#/setup/${part}`)
    await page.reload()
    await page.locator('.setup-part .notice').waitFor()
    const offered = await page.locator('.resources button').allInnerTexts()
    expect(offered.filter((name) => !['Show', 'Try', 'Next runs', 'Run log'].includes(name))).toEqual([])
    expect(await page.locator('.resources .problem').count()).toBe(0)
    expect(await seriousFaults(page)).toEqual([])
  }
  await page.goto(`${stage.url}/#/new`)
  await page.getByText('This key may not run tasks.').waitFor()
  expect(await page.locator('.new-task').locator('textarea, button').count()).toBe(0)
  expect(errors).toEqual([])
  await close()
})
