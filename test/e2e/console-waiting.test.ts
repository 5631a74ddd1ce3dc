import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test, type ExpectStatic } from 'vitest'
import { seriousFaults, startStage, type Stage, type Watched } from '../support/console.ts'
import { NOTHING_LEFT, plan } from '../support/planned.ts'
import { calls, says } from '../support/scripted-model.ts'

const TOOLS = { wait: { enabled: true }, ask_form: { enabled: true }, plan_notes: { enabled: true } }
const FINISH = calls('finish', { reason: 'Done.' })

let stage: Stage
let watched: Watched

beforeAll(async () => {
  stage = await startStage({ html: '<p>Water boils.</p>' })
  watched = await stage.open()
})
afterAll(() => stage.close())

/** A session whose model calls one tool, then ends; opened in the page. */
async function opened(tool: string, args: Record<string, unknown>) {
  await stage.script([calls(tool, args), FINISH])
  const { id } = await stage.client.sessions.create({ task: 'Do it', config: { tools: TOOLS, language: 'en' } })
  await watched.page.goto(`${stage.url}/#/s/${id}`)
  return { id, page: watched.page }
}

/** The same answer on a Chinese page. */
async function refusedInChinese(id: string, expect: ExpectStatic) {
  const { page, close } = await stage.open({ locale: 'zh-CN' }, `/#/s/${id}`)
  const card = page.locator('.pending')
  await card.getByLabel('Guests').fill('0')
  await card.getByRole('button', { name: '回答', exact: true }).click()
  await expect
    .poll(() => card.locator('.problem').innerText())
    .toBe('回答不符合表单。answer.guests：至少应为 1，而不是 0')
  await close()
}

test('a form is filled in by its fields, and answers as JSON', async ({ expect }) => {
  const form = {
    type: 'object',
    properties: {
      city: { type: 'string', title: 'City' },
      guests: { type: 'integer', title: 'Guests', minimum: 1 },
      room: { type: 'string', enum: ['small', 'large'], title: 'Room' },
      late: { type: 'boolean', title: 'Late' },
    },
    required: ['city', 'guests', 'late'],
  }
  const { id, page } = await opened('ask_form', {
    question: 'Which room?',
    form,
    default: { city: 'Bonn', guests: 1, late: false },
  })
  const card = page.locator('.pending')
  await card.getByText('Which room?').waitFor()
  await expect.poll(() => card.getByLabel('City').inputValue()).toBe('Bonn')
  await card.getByLabel('City').fill('')
  await card.getByLabel('Guests').fill('0')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.labels[0].innerText')).toMatch(/^City/)
  expect(await card.locator('.field.wrong').allInnerTexts()).toEqual([
    expect.stringMatching(/^City \*\s+This field is required\.$/),
  ])
  expect(await page.evaluate('document.activeElement.willValidate && document.activeElement.validity.valid')).toBe(true)
  expect(await seriousFaults(page)).toEqual([])
  await card.getByLabel('City').fill('Köln')
  await card.locator('.field.wrong').waitFor({ state: 'detached' })
  await card.getByLabel('Room').selectOption('large')
  await card.getByRole('button', { name: 'Answer', exact: true }).click()
  await expect
    .poll(() => card.locator('.problem').innerText())
    .toBe('The answer does not fit the form. answer.guests: it has to be at least 1, but is 0')
  await refusedInChinese(id, expect)
  await card.getByLabel('Guests').fill('2')
  await card.getByRole('button', { name: 'Answer', exact: true }).click()
  await page.locator('.end-line').waitFor()
  await page.getByText('Answered: City: Köln · Guests: 2 · Room: large · Late: false').waitFor()
  const { messages } = await stage.client.sessions.get(id)
  const result = messages.find(({ tool_name: tool }) => tool === 'ask_form')
  expect(result?.content).toContain('{"city":"Köln","guests":2,"room":"large","late":false}')
})

test('a step that waits for something from outside says what, and takes it from a person too', async ({ expect }) => {
  await stage.client.workflows.put('parcel', {
    description: 'Waits for a parcel.',
    steps: [{ id: 'here', type: 'wait', signal: 'parcel of {{ inputs.who }}' }],
    inputs: { type: 'object', properties: { who: { type: 'string' } } },
  })
  const task = JSON.stringify({ who: 'Ada' })
  const { session_id: id } = await stage.client.sessions.begin({ workflow: 'parcel', task }, { key: randomUUID() })
  const { page } = watched
  await page.goto(`${stage.url}/#/s/${id}`)
  const card = page.getByRole('group', { name: 'Waiting for “parcel of Ada” from outside' })
  await card.getByText('A program sends a result under this name.').waitFor()
  await card.getByRole('textbox').fill('{ "weight": 3 }')
  await card.getByRole('button', { name: 'Send as result' }).click()
  await card.waitFor({ state: 'detached' })
  await expect.poll(async () => (await stage.client.sessions.get(id)).result).toBe('{"weight":3}')
})

test('a wait says until when, and is ended or called off by a button', async ({ expect }) => {
  for (const button of ['Continue now', 'Cancel the wait']) {
    const { page } = await opened('wait', { seconds: 3_600, reason: 'the kettle boils' })
    await page.locator('.pending').getByText('the kettle boils').waitFor()
    await expect.poll(() => page.locator('.pending h3').innerText()).toBe('The agent is waiting')
    const told = await page.locator('.pending').innerText()
    expect(told).toMatch(/Waits until \w+ \d+, \d{4}[^]*Continues in (1 hour|\d+ minutes) at the latest/)
    expect(told).not.toContain(new Date().toISOString().slice(0, 10))
    await page.locator('.pending').getByRole('button', { name: button }).click()
    await page.locator('.end-line').waitFor()
  }
})

test('the newest to-do list stands open with what is done, those before it are a line each', async ({ expect }) => {
  const list = (...states: string[]) =>
    calls('plan_notes', { items: states.map((state, index) => ({ state, text: `step ${index + 1}` })) })
  await stage.script([list('doing', 'todo'), list('done', 'doing'), FINISH])
  const { id } = await stage.client.sessions.create({ task: 'Do it', config: { tools: TOOLS, language: 'en' } })
  const { page } = watched
  await page.goto(`${stage.url}/#/s/${id}`)
  const rows = page.locator('.call', { hasText: 'To-do list' })
  const isOpen = (index: number) => rows.nth(index).evaluate((row) => row.hasAttribute('open'))
  for (const reload of [false, true]) {
    if (reload) await page.reload()
    await rows.nth(1).getByText('1/2 · step 2').waitFor()
    expect(await rows.nth(0).innerText()).toMatch(/0\/2 · step 1/)
    expect([await isOpen(0), await isOpen(1)]).toEqual([false, true])
    const lines = rows.nth(1).locator('.notes li')
    expect(await lines.evaluateAll((all) => all.map((line) => line.getAttribute('data-state')))).toEqual([
      'done',
      'doing',
    ])
    expect(await lines.locator('svg').count()).toBe(2)
    expect(await rows.nth(1).innerText()).not.toContain('Noted')
  }
})

/** A session whose workflow waits. */
async function waitsAt(wait: object): Promise<string> {
  await stage.client.workflows.put('ask', { description: 'Asks.', steps: [{ id: 'agree', type: 'wait', ...wait }] })
  const { session_id: id } = await stage.client.sessions.begin({ workflow: 'ask', task: 'Go' }, { key: randomUUID() })
  return id
}

test('a step that asks for approval says what its author wrote, and is agreed to or not', async ({ expect }) => {
  const id = await waitsAt({ approval: 'Send the letter to {{ task }}?\n\nIt goes to 12 people.' })
  const { page } = watched
  for (const place of [`/s/${id}`, '/inbox']) {
    await page.goto(`${stage.url}/#${place}`)
    const card = page.locator('.pending').filter({ hasText: 'Send the letter' })
    await expect.poll(() => card.locator('h3').innerText()).toBe('Send the letter to Go?')
    await card.getByText('It goes to 12 people.').waitFor()
    expect(await card.getByRole('button').allInnerTexts()).toEqual(['Approve', 'Refuse'])
    expect(await card.getByRole('checkbox').count()).toBe(0)
    expect(await card.innerText()).not.toMatch(/stp_|workflow/)
  }
  const card = page.locator('.pending').filter({ hasText: 'Send the letter' })
  await card.focus()
  await page.keyboard.press('e')
  await page.keyboard.press('r')
  await card.getByLabel('Why? (optional)').fill('Too late')
  await card.getByRole('button', { name: 'Refuse' }).click()
  await card.waitFor({ state: 'detached' })
  await expect.poll(async () => (await stage.client.sessions.get(id)).status).toBe('failed')
})

test('a link to such a step says the same', async ({ expect }) => {
  const id = await waitsAt({ approval: 'Close the shop?' })
  const pending = async () => (await stage.client.sessions.get(id)).pending
  await expect.poll(async () => (await pending()).length).toBe(1)
  const expires = new Date(Date.now() + 60_000).toISOString()
  const wanted = { scope: 'decide', allow_edit: true, expires_time: expires } as const
  const { url = '' } = await stage.client.links.create(id, wanted)
  const { page, errors, close } = await stage.open({}, new URL(url).pathname)
  const card = page.locator('.pending')
  await expect.poll(() => card.locator('h3').innerText()).toBe('Close the shop?')
  expect(await card.getByRole('button').allInnerTexts()).toEqual(['Approve', 'Refuse'])
  await card.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Approved', { exact: true }).waitFor()
  expect(errors).toEqual([])
  await close()
})

test('what a call is given is named in the language of the page, and by its own names as JSON', async ({ expect }) => {
  await stage.script([calls('web_access', { url: stage.site.url })])
  const { id } = await stage.client.sessions.create({ task: 'Look' })
  for (const [locale, name] of [
    ['en-US', 'Address'],
    ['zh-CN', '网址'],
  ] as const) {
    const { page, close } = await stage.open({ locale }, `/#/s/${id}`)
    const card = page.locator('.pending')
    await expect.poll(() => card.locator('dt').allInnerTexts()).toEqual([name])
    await card.getByRole('button', { name: 'JSON' }).click()
    await expect.poll(() => card.locator('pre').innerText()).toContain('"url"')
    await close()
  }
})

test('an inbox of more sessions than it shows says so, and leads to the rest', async ({ expect }) => {
  await stage.script([{ ...calls('ask', { question: 'Which one?' }), repeat: true }])
  const begin = (_: unknown, index: number) =>
    stage.client.sessions.begin({ task: `Ask ${index}` }, { key: randomUUID() })
  await Promise.all(Array.from({ length: 41 }, begin))
  const asking = async () =>
    (await stage.client.sessions.list({ status: 'interrupted', q: 'Ask', limit: 100 })).data.length
  await expect.poll(asking, { timeout: 60_000 }).toBe(41)
  const { page, close } = await stage.open({}, '/#/inbox')
  await page.locator('.main-nav .count', { hasText: '40+' }).waitFor()
  await page.locator('.inbox').getByRole('link', { name: 'Show more' }).click()
  await page.locator('.new-task').waitFor()
  expect(await page.locator('.sessions select').inputValue()).toBe('interrupted')
  await close()
})

test('sub-tasks of a plan that a human refused stand apart from those that failed', async ({ expect }) => {
  await stage.script([says(plan('boil water')), says(NOTHING_LEFT), says('No tea.')])
  const { id } = await stage.client.sessions.create({
    task: 'Make tea',
    orchestrator: 'plan',
    config: { plan: { review: true } },
  })
  const { page, close } = await stage.open({}, `/#/s/${id}`)
  await page.getByRole('button', { name: 'Refuse' }).click()
  await page.getByRole('button', { name: 'Refuse' }).click()
  await page.locator('.reply', { hasText: 'No tea.' }).waitFor()
  await page.getByRole('link', { name: 'Plan' }).click()
  const left = page.getByRole('region', { name: 'Cancelled or skipped' }).locator('.task')
  await expect.poll(() => left.innerText()).toContain('boil water')
  expect(await page.getByRole('region', { name: 'Failed' }).locator('.task').count()).toBe(0)
  await close()
})

test('a role whose run failed in the midst of its turn is not shown at work', async ({ expect }) => {
  await stage.script([{ status: 400, body: { error: { message: 'no ink' } } }])
  const actions = [{ name: 'draft', instruction: 'x' }]
  const roles = [
    { name: 'Writer', profile: 'writes', watch: ['UserRequirement'], actions, react_mode: 'by_order' as const },
  ]
  const { id } = await stage.client.sessions.create({ task: 'Write', team: { roles } })
  const { page, close } = await stage.open({}, `/#/s/${id}/team`)
  await expect.poll(() => page.locator('.roles .tag').innerText()).toBe('has work')
  expect(await page.locator('.rounds .pulse').count()).toBe(0)
  await close()
})
