import { afterAll, beforeAll, describe, test } from 'vitest'
import { giveTask, startStage, seriousFaults, type Stage, type Watched } from '../support/console.ts'
import { NOTHING_LEFT, plan } from '../support/planned.ts'
import { calls, says } from '../support/scripted-model.ts'

const KEY = 'opens-these-tests'

let stage: Stage
let watched: Watched

beforeAll(async () => {
  const price = { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' }
  const budgets = { tenant: { month: { max_cost: { amount: 90, currency: 'CNY' } } } }
  const env = { YAA_API_KEY: KEY }
  stage = await startStage({ html: '<h1>Facts</h1><p>Water boils.</p>', env, price, config: { budgets } })
  watched = await stage.open()
})
afterAll(() => stage.close())

const key = () => crypto.randomUUID()
const begun = async (input: Parameters<Stage['client']['sessions']['begin']>[0]) =>
  (await stage.client.sessions.begin(input, { key: key() })).session_id

async function at(address: string) {
  await watched.page.goto(`${stage.url}/${address}`)
  return watched.page
}

test('a key is asked for where the server wants one, is told when it is wrong, and stays out of the address', async ({
  expect,
}) => {
  const { page } = watched
  await page.locator('.gate code', { hasText: /^npx yaa key$/ }).waitFor()
  await page.getByLabel('API key').fill('wrong')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByText('The server does not accept this key. It may be mistyped, expired or revoked.').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await expect
    .poll(() => page.evaluate('((one) => [one.value, one.selectionEnd - one.selectionStart])(document.activeElement)'))
    .toEqual(['wrong', 5])
  // A key that is wrong is shown once, whatever else the page reads when it opens.
  const { data: refused } = await stage.client.audit.list({ action: 'access.key' })
  expect(refused).toHaveLength(1)
  await page.getByLabel('API key').fill(KEY)
  await page.getByRole('button', { name: 'Open' }).click()
  await page.locator('.new-task').waitFor()
  await expect.poll(() => page.evaluate('[location.href.includes("opens"), localStorage.length]')).toEqual([false, 0])
  await page.reload()
  await page.locator('.new-task').waitFor()
})

test('the audit says of a key that nobody knows that it was refused, once', async ({ expect }) => {
  const page = await at('#/setup/audit')
  const line = page.locator('.audit .sentence', { hasText: 'An unknown key was refused' })
  await expect.poll(() => line.innerText()).toBe('An unknown key was refused')
})

test('the address that the server prints opens it with its key, which is gone from the address at once', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open({}, `/#key=${KEY}`)
  await page.locator('.new-task').waitFor()
  expect(page.url()).toBe(`${stage.url}/`)
  await page.goto(`${stage.url}/#/inbox`)
  await page.goto(`${stage.url}/#key=of-somebody-else`)
  await page.getByText('The server does not accept this key.').waitFor()
  await page.goBack()
  expect([page.url().includes('#key='), errors]).toEqual([false, []])
  await close()
})

test('the page of the API and the console show their icons, and ask for nothing that is not there', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open()
  const missing: string[] = []
  page.on('response', (answer) => answer.status() === 404 && missing.push(answer.url()))
  for (const path of ['/docs', '/']) {
    await page.goto(stage.url + path)
    const icon = `new Promise((done) => {
      const image = new Image()
      image.onload = () => done(image.naturalWidth > 0)
      image.onerror = () => done(false)
      image.src = document.querySelector('link[rel=icon]').href
    })`
    expect([path, await page.evaluate(icon)]).toEqual([path, true])
  }
  expect([missing, errors]).toEqual([[], []])
  await close()
})

test('the page of the API is read by all: its words stand out, its choices have names', async ({ expect }) => {
  const { page, close } = await stage.open({ viewport: { width: 1200, height: 800 } })
  await page.goto(`${stage.url}/docs`)
  await page.locator('.opblock-tag').first().click()
  await page.locator('.opblock-summary').first().click()
  await page.locator('.examples-select-element').first().waitFor()
  // How its headings and its buttons within buttons are nested is the library's own.
  const faults = (await seriousFaults(page)).filter((fault) => /^(color-contrast|select-name)/.test(fault))
  expect(faults).toEqual([])
  await close()
})

test('a plan is a board of sub-tasks with worker, status and result', async ({ expect }) => {
  await stage.script([
    says(plan('boil water', 'find a cup')),
    { when: { last_contains: 'boil water' }, content: 'It is **hot**.' },
    { when: { last_contains: 'find a cup' }, status: 400, body: { error: { message: 'no cup' } } },
    says(NOTHING_LEFT),
    says('Tea is ready.'),
  ])
  const id = await begun({ task: 'Make tea', orchestrator: 'plan' })
  const page = await at(`#/s/${id}`)
  await page.locator('.reply', { hasText: 'Tea is ready.' }).waitFor()
  await page.getByRole('link', { name: 'Plan' }).click()
  const done = page.getByRole('region', { name: 'Done', exact: true }).locator('.task')
  const failed = page.getByRole('region', { name: 'Failed' }).locator('.task')
  await expect.poll(() => done.innerText()).toContain('boil water')
  await expect.poll(() => failed.innerText()).toMatch(/find a cup[^]*no cup[^]*Retry/)
  await done.getByText('Result').click()
  await expect.poll(() => done.locator('.markdown strong').innerText()).toBe('hot')
  expect(await seriousFaults(page)).toEqual([])
  const size = page.viewportSize() ?? { width: 1200, height: 800 }
  await page.setViewportSize({ ...size, width: 768 })
  await expect.poll(async () => (await done.boundingBox())?.width).toBeGreaterThan(300)
  await page.setViewportSize(size)
})

test('a team is its roles and its rounds: who said what, and who heard it', async ({ expect }) => {
  await stage.script([
    { when: { contains: 'Do the draft' }, content: 'A short draft.' },
    { when: { contains: 'Do the review' }, content: 'It is good.' },
  ])
  const role = (name: string, watch: string, action: string) => ({
    name,
    profile: `${name} of the house`,
    watch: [watch],
    actions: [{ name: action, instruction: `Do the ${action}` }],
    react_mode: 'by_order' as const,
  })
  const roles = [role('Writer', 'UserRequirement', 'draft'), role('Critic', 'draft', 'review')]
  const id = await begun({ task: 'Write', team: { roles } })
  const page = await at(`#/s/${id}`)
  await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
  await page.getByRole('link', { name: 'Team' }).click()
  const rounds = page.locator('.rounds > li')
  await rounds.filter({ hasText: 'It is good.' }).waitFor()
  const told = await rounds.allInnerTexts()
  expect(told.find((text) => text.includes('A short draft.'))).toMatch(/Round 1[^]*Writer[^]*seen by Critic/)
  expect(told.at(-1)).toMatch(/Critic[^]*It is good/)
  await expect.poll(() => page.locator('.roles').innerText()).toMatch(/Writer[^]*Critic/)
  expect(await seriousFaults(page)).toEqual([])

  const field = page.getByLabel('Message to the team')
  await field.fill('Look at the title too')
  await page.getByLabel('Critic', { exact: true }).check()
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('Look at the title too')
  await field.press('Enter')
  const said = page.locator('.rounds .card', { hasText: 'Look at the title too' })
  await expect.poll(() => said.innerText()).toMatch(/You[^]*seen by Writer, Critic/)
  const { data: onTheBus } = await stage.client.sessions.teamMessages(id)
  expect(onTheBus.filter(({ send_to: to }) => to.length > 0)).toMatchObject([
    { content: 'Look at the title too', sent_from: 'user', send_to: ['Critic'] },
  ])
  await expect.poll(() => field.inputValue()).toBe('')
  await expect.poll(() => page.getByLabel('Critic', { exact: true }).isChecked()).toBe(false)

  await page.getByText(/^Rounds \d · at most \d per run/).waitFor()
  await page.getByRole('link', { name: 'Files' }).click()
  await page.getByRole('button', { name: 'Upload' }).waitFor()
  expect(await rounds.count()).toBe(0)
})

describe('what waits', () => {
  test('is in the inbox, in all sessions, and can be decided there', async ({ expect }) => {
    await stage.script([
      calls('web_access', { url: `${stage.site.url}/one` }),
      calls('ask', { question: 'How hot?' }),
      { content: 'Fine.', repeat: true, tool_calls: [{ name: 'finish', arguments: { reason: 'Fine.' } }] },
    ])
    const areWaiting = async () => (await stage.client.sessions.list({ status: 'interrupted' })).data.length
    await stage.client.sessions.create({ task: 'Read it' })
    await expect.poll(areWaiting).toBe(1)
    const page = await at('#/inbox')
    await page.locator('.pending', { hasText: '/one' }).waitFor()
    const { id: second } = await stage.client.sessions.create({ task: 'Ask me' })
    await expect.poll(areWaiting).toBe(2)
    await page.evaluate(`dispatchEvent(new Event('focus'))`)
    await page.locator('.pending', { hasText: 'How hot?' }).waitFor()
    await expect.poll(() => page.locator('.main-nav .count').innerText()).toBe('2')
    expect(await seriousFaults(page)).toEqual([])
    await page.locator('.pending', { hasText: '/one' }).getByRole('button', { name: 'Approve' }).click()
    await page.locator('.pending textarea').fill('Very')
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await page.getByText('Nothing is waiting for you.').waitFor()
    await page.goto(`${stage.url}/#/s/${second}`)
    await page.locator('.reply', { hasText: 'Fine.' }).waitFor()
  })

  test('can be decided by a signed link, without a key, and only that', async ({ expect }) => {
    await stage.script([
      calls('web_access', { url: `${stage.site.url}/linked` }),
      { content: 'Read.', tool_calls: [{ name: 'finish', arguments: { reason: 'Read.' } }] },
    ])
    const made = await stage.client.sessions.create({ task: 'Read that' })
    const link = await stage.client.json<{ url: string }>({
      method: 'POST',
      path: `/v1/sessions/${made.id}/links`,
      body: { scope: 'decide', pending_id: made.pending[0]?.id },
    })
    const { page, errors, close } = await stage.open({}, new URL(link.url).pathname)
    const card = page.locator('.pending')
    await card.locator('dd', { hasText: '/linked' }).waitFor()
    await expect.poll(() => card.getByText('Always allow in this session').count()).toBe(0)
    await card.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('status').getByText('Approved', { exact: true }).waitFor()
    expect([errors, await page.locator('.side').count()]).toEqual([[], 0])
    await close()
    await at(`#/s/${made.id}`)
    await watched.page.locator('.reply', { hasText: 'Read.' }).waitFor()
    expect(stage.site.hits).toContain('/linked')
  })
})

test('a task is given what it may cost at most, and the budgets show what is left', async ({ expect }) => {
  await stage.script([{ content: 'Cheap.', tool_calls: [{ name: 'finish', arguments: { reason: 'Cheap.' } }] }])
  const page = await at('#/new')
  await page.getByText('Options').click()
  await page.getByLabel('Max. cost (CNY)').fill('2.5')
  await giveTask(page, 'Be cheap')
  await page.locator('.reply', { hasText: 'Cheap.' }).waitFor()
  const { config } = await stage.client.sessions.get(page.url().split('/').at(-1) ?? '')
  expect(config.limits?.max_cost).toEqual({ amount: 2.5, currency: 'CNY' })
  await at('#/spend')
  const budget = page.locator('.budget')
  await expect.poll(() => budget.innerText()).toMatch(/this month[^]*Cost[^]*CNY\s\d+(\.\d+)? of CNY\s90\.00 left/)
  expect(Number(await budget.locator('meter').getAttribute('value'))).toBeLessThan(90)
})

test('what was spent is shown by day, by model and by skill, and a key is made, shown once and revoked', async ({
  expect,
}) => {
  const page = await at('#/spend')
  await page.getByRole('button', { name: 'Model' }).click()
  await page.getByRole('cell', { name: 'm', exact: true }).waitFor()
  await expect.poll(() => page.locator('.spend table').innerText()).toContain('CNY')
  await page.getByRole('button', { name: 'Skill' }).click()
  await page.getByRole('columnheader', { name: 'Skill' }).waitFor()
  await expect
    .poll(() => page.locator('.spend tbody tr').allInnerTexts())
    .toEqual([expect.stringMatching(/^no skill\s/)])
  await page.getByRole('group', { name: 'By' }).getByRole('button', { name: 'Session' }).click()
  await page.getByRole('link', { name: 'Be cheap' }).nth(1).waitFor()
  await page.locator('.lines').first().getByText('Be cheap').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await at('#/setup/keys')
  await page.getByRole('button', { name: 'New' }).click()
  await page.getByText('Everything, as JSON').click()
  await page.getByLabel('As JSON').fill(JSON.stringify({ name: 'reader', scopes: ['read'] }))
  await page.getByRole('button', { name: 'Save' }).click()
  const made = await page.locator('.secret code').innerText()
  const [entry] = (await stage.client.json<{ data: { prefix: string }[] }>({ path: '/v1/keys' })).data
  expect(made.startsWith(entry?.prefix ?? 'none')).toBe(true)
  await page.locator('.resource', { hasText: 'reader' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Nothing here yet.').waitFor()
  expect(await seriousFaults(page)).toEqual([])
})

test('webhooks, callbacks and schedules are tried, their logs read and sent again, and the audit is verified', async ({
  expect,
}) => {
  const answer = { content: 'Hi.', repeat: true, tool_calls: [{ name: 'finish', arguments: { reason: 'Hi.' } }] }
  await stage.script([answer])
  await stage.client.webhooks.create({ name: 'door', scheme: 'standard', task_template: 'Greet {{body.who}}' })
  await stage.client.callbacks.create({ name: 'ear', url: `${stage.site.url}/ear`, events: ['run.failed'] })
  await stage.client.schedules.create({ name: 'daily', task: 'Greet', cron: '0 9 * * *' })
  const page = await at('#/setup/webhooks')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await page.locator('.trial summary').click()
  await page.getByLabel('Delivery body (JSON)').fill('{"who": "Ann"}')
  await press('Try')
  await page.locator('.trial dd', { hasText: 'Ann' }).waitFor()
  await expect.poll(() => page.locator('.trial a').count()).toBe(0)
  await page.getByLabel('Start the run').check()
  await press('Try')
  await page.locator('.trial').getByRole('link', { name: 'Open the session' }).waitFor()
  await press('Deliveries')
  await page.locator('.log td', { hasText: 'started' }).waitFor()
  await press('Edit')
  await page.getByText('Everything, as JSON').click()
  const json = page.getByLabel('As JSON', { exact: true })
  await json.fill((await json.inputValue()).replace('door', 'gate'))
  await press('Save')
  await page.locator('.resource strong', { hasText: 'gate' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])

  await at('#/setup/callbacks')
  await press('Send a test')
  await page.getByText('delivered · 200').waitFor()
  await press('Deliveries')
  await page.locator('.log').getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => stage.site.hits.filter((path) => path === '/ear').length).toBe(2)

  await at('#/setup/schedules')
  await press('Next runs')
  await page.locator('.act-row pre').waitFor()
  await press('Run now')
  await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
  await at('#/setup/schedules')
  await press('Run log')
  await page.locator('.log').getByRole('link', { name: 'Open the session' }).waitFor()

  await at('#/setup/audit')
  await press('Verify the log')
  await page.getByText(/The log is intact: \d+ entries/).waitFor()
  await page.locator('.sentence', { hasText: 'tried the schedule “daily”' }).first().waitFor()
  await page.getByLabel('What', { exact: true }).selectOption('schedule.test')
  await press('Filter')
  await expect.poll(() => page.locator('.resource').count()).toBe(1)
  expect(await seriousFaults(page)).toEqual([])
})

test('webhooks, callbacks, schedules and keys are made, changed and deleted, and the audit tells of it', async ({
  expect,
}) => {
  const parts = [
    ['webhooks', 'webhook', { scheme: 'bearer', task_template: 'Greet' }],
    ['callbacks', 'callback', { url: `${stage.site.url}/made`, events: ['run.failed'] }],
    ['schedules', 'schedule', { task: 'Greet', cron: '0 9 * * *', timezone: 'UTC' }],
    ['keys', 'key', { scopes: ['read'] }],
  ] as const
  for (const [part, noun, fields] of parts) {
    const page = await at(`#/setup/${part}`)
    const json = page.getByLabel('As JSON', { exact: true })
    const entry = (name: string) => page.locator('.resource').filter({ has: page.getByText(name, { exact: true }) })
    await page.getByRole('button', { name: 'New', exact: true }).click()
    await page.getByText('Everything, as JSON').click()
    await json.fill(JSON.stringify({ ...fields, name: `made ${noun}` }))
    await page.getByRole('button', { name: 'Save' }).click()
    await entry(`made ${noun}`).getByRole('button', { name: 'Edit' }).click()
    await entry(`made ${noun}`).getByLabel('Name', { exact: true }).fill(`changed ${noun}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await entry(`changed ${noun}`).waitFor()
    const kept = async () =>
      (await stage.client.json<{ data: { name: string }[] }>({ path: `/v1/${part}` })).data.map(({ name }) => name)
    expect(await kept()).toContain(`changed ${noun}`)
    await entry(`changed ${noun}`).getByRole('button', { name: 'Delete' }).click()
    await entry(`changed ${noun}`).waitFor({ state: 'detached' })
    expect(await kept()).not.toContain(`changed ${noun}`)
  }
  const page = await at('#/setup/audit')
  for (const action of parts.flatMap(([, noun]) => [`${noun}.create`, `${noun}.update`, `${noun}.delete`]))
    await page.locator('.resource', { hasText: action }).first().waitFor()
})

/** Without a font for Chinese the boxes in its place are narrower, and fit where the text would not. */
const IS_FULL_WIDTH = `(() => {
  const { font, fontSize } = getComputedStyle(document.body)
  const drawing = Object.assign(document.createElement('canvas').getContext('2d'), { font })
  return drawing.measureText('好').width >= parseFloat(fontSize)
})()`

test('speaks Chinese to a Chinese browser, in the dark, on a phone', async ({ expect }) => {
  const { page, errors, close } = await stage.open({
    locale: 'zh-CN',
    colorScheme: 'dark',
    viewport: { width: 390, height: 780 },
    hasTouch: true,
  })
  await page.getByLabel('API 密钥').fill(KEY)
  await page.getByRole('button', { name: '打开' }).click()
  await stage.script([{ content: '好的', tool_calls: [{ name: 'finish', arguments: { reason: '**好**的' } }] }])
  await page.locator('.new-task textarea').fill('你好')
  await page.getByRole('button', { name: '开始' }).click()
  await page.locator('.end-line', { hasText: '已完成' }).waitFor()
  await expect.poll(() => page.evaluate(IS_FULL_WIDTH)).toBe(true)
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('zh-CN')
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('link', { name: '返回' }).click()
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('button', { name: 'Start' }).waitFor()
  expect(errors).toEqual([])
  await close()
})

test('a session of 3,000 messages opens at its end, and keeps few rows in the page wherever one looks', async ({
  expect,
}) => {
  const messages = Array.from({ length: 3_000 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `Message number ${index}.\n\n${'Some more of it. '.repeat(index % 7)}`,
  }))
  const document = { object: 'session.export', version: 1, session: { title: 'Long', messages } }
  const { id } = await stage.client.json<{ id: string }>({
    method: 'POST',
    path: '/v1/sessions/import',
    body: document,
  })
  const page = await at(`#/s/${id}`)
  await page.getByText('Message number 2999.').waitFor()
  const rows = () => page.locator('.row').count()
  expect(await rows()).toBeLessThan(80)
  await page.evaluate(`new Promise((done) => {
    const room = document.querySelector('.long-list-room')
    const up = () => document.body.innerText.includes('Message number 0.') ? done() : (room.scrollTop = 0, setTimeout(up, 20))
    up()
  })`)
  expect(await rows()).toBeLessThan(80)
  await page.getByRole('button', { name: 'Jump to the latest' }).click()
  await page.getByText('Message number 2999.').waitFor()
  // What is read comes in batches, and rows grow between them: each time it is another place at which they part.
  for (let time = 0; time < 10; time++) {
    await page.reload()
    await page.getByText('Message number 2999.').waitFor()
  }
  const room = page.locator('.long-list-room')
  for (let step = 0; step < 3; step++) {
    await page.getByText('Message number 2999.').waitFor()
    await room.press('Home')
    await expect.poll(() => page.evaluate(HAS_READ_BACK)).toBe(true)
    await room.press('End')
    await expect.poll(() => page.evaluate(IS_AT_END)).toBe(true)
  }
})

const ROOM = `document.querySelector('.long-list-room')`
const IS_AT_END = `${ROOM}.scrollHeight - ${ROOM}.scrollTop - ${ROOM}.clientHeight < 2`
/** Away from the end, with older rows above what is seen. */
const HAS_READ_BACK = `!(${IS_AT_END}) && ${ROOM}.scrollTop > 1000`
