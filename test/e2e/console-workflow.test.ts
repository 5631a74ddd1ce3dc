import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { LOOKS } from '../support/workflow-form.ts'

const down = { status: 400, body: { error: { message: 'down' } } }
const say = (id: string, prompt: string, more: object = {}) => ({ id, type: 'agent', prompt, ...more })
const STEPS = [
  { id: 'facts', type: 'set', values: { list: ['ships', 'harbours', 'tides'] } },
  {
    id: 'both',
    type: 'parallel',
    branches: [[say('left', 'Look left.')], [say('right', 'Look right.')]],
  },
  {
    id: 'each',
    type: 'map',
    over: 'steps.facts.output.list',
    on_error: 'skip',
    steps: [say('one', 'Tell of {{ item }}.')],
  },
  say('sum', 'Sum up: {{ steps.each.output }}'),
]

let stage: Stage
let id: string

beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>' })
  await stage.client.workflows.put('harbour', { description: 'All about harbours.', steps: STEPS })
  await stage.script([
    { when: { last_contains: 'Look left' }, content: 'Left is the sea.' },
    { when: { last_contains: 'Look right' }, content: 'Right is land.' },
    { when: { last_contains: 'Tell of ships' }, content: 'Ships float.' },
    { when: { last_contains: 'Tell of harbours' }, ...down },
    { when: { last_contains: 'Tell of tides' }, content: 'Tides turn.' },
    { when: { last_contains: 'Sum up' }, ...down },
    { when: { last_contains: 'Sum up' }, content: 'All is well.', repeat: true },
    { when: { last_contains: 'Tell of harbours' }, content: 'Harbours keep ships.' },
  ])
  id = (await stage.client.sessions.begin({ workflow: 'harbour', task: 'Go' }, { key: 'w' })).session_id
})
afterAll(() => stage.close())

test('a workflow is a graph of its steps, and one that failed is retried from there', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, `/#/s/${id}/workflow`)
  const node = (path: string) => page.locator(`[data-step="${path}"]`)
  await node('sum').and(page.locator('[data-status=failed]')).waitFor()
  await expect.poll(() => node('left').innerText()).toMatch(/left[^]*Completed[^]*Agent/)
  await expect.poll(() => node('each').innerText()).toContain('3 of 3, 1 failed')
  await expect.poll(() => page.locator('.flow-edges path').count()).toBe(3)
  await expect.poll(() => page.locator('.flow-group').count()).toBe(1)
  const panel = page.locator('.flow-panel')
  await node('left').click()
  await panel.getByText('Output').click()
  await expect.poll(() => panel.locator('pre').innerText()).toBe('Left is the sea.')
  expect(await seriousFaults(page)).toEqual([])
  await node('sum').focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => panel.innerText()).toMatch(/sum[^]*Failed[^]*down/)
  await panel.getByRole('button', { name: 'Run this step again' }).click()
  await node('sum').and(page.locator('[data-status=completed]')).waitFor()
  await expect.poll(() => page.locator('.flow-head').innerText()).toContain('100%')
  expect(errors).toEqual([])
  await close()
})

const ASKS = [
  {
    id: 'each',
    type: 'map',
    over: 'inputs.pages',
    steps: [{ id: 'agree', type: 'wait', approval: 'Send {{ item }}?' }],
  },
]
const PAGES = {
  type: 'object',
  properties: { pages: { type: 'array', items: { type: 'string' } }, note: { type: 'string' } },
}

test('what a run is given stands as names and values, behind a link to read too, and as JSON on demand', async ({
  expect,
}) => {
  const steps = [{ id: 'keep', type: 'set', values: { pages: '{{ inputs.pages }}' } }]
  await stage.client.workflows.put('keeps', { description: 'Keeps pages.', inputs: PAGES, steps })
  const task = JSON.stringify({ pages: ['a', 'b'], note: `Long. ${'words '.repeat(100)}` })
  const { session_id: session } = await stage.client.sessions.begin({ workflow: 'keeps', task }, { key: 'keeps' })
  const { page, errors, close } = await stage.open({}, `/#/s/${session}`)
  const bubble = page.locator('.said .bubble')
  await expect.poll(() => bubble.locator('dt').allInnerTexts()).toEqual(['Pages', 'Note'])
  expect(await bubble.locator('dt').first().getAttribute('title')).toBe('pages')
  expect(await bubble.locator('dd').first().innerText()).toBe('a\nb')
  expect(await bubble.innerText()).not.toContain('{')
  await bubble.getByText(/^Long. words .*…$/).click()
  expect(await seriousFaults(page)).toEqual([])
  await bubble.getByRole('button', { name: 'JSON' }).click()
  await expect.poll(() => bubble.innerText()).toContain('"pages": [')
  const expires = new Date(Date.now() + 60_000).toISOString()
  const { url = '' } = await stage.client.links.create(session, { scope: 'read', expires_time: expires })
  await page.goto(`${stage.url}${new URL(url).pathname}`)
  await expect.poll(() => bubble.locator('dt').allInnerTexts()).toEqual(['Pages', 'Note'])
  expect(errors).toEqual([])
  await close()
})

test('a step that waits leads to its decision, and one that failed is shown at first sight', async ({ expect }) => {
  await stage.client.workflows.put('asks', { description: 'Asks.', inputs: PAGES, steps: ASKS })
  const task = JSON.stringify({ pages: ['a', 'b'] })
  const waits = await stage.client.sessions.begin({ workflow: 'asks', task }, { key: 'asks' })
  const { page, errors, close } = await stage.open({}, `/#/s/${waits.session_id}/workflow`)
  const panel = page.locator('.flow-panel')
  await expect.poll(() => panel.innerText()).toMatch(/^(each|agree)/)
  await page.getByRole('button', { name: 'Go to the decision' }).press('Enter')
  await expect.poll(() => page.locator('.pending:focus-within, .pending:focus').innerText()).toContain('Send a?')
  const wrong = [{ id: 'each', type: 'map', over: 'task', steps: [{ id: 'x', type: 'set', values: { a: 1 } }] }]
  await stage.client.workflows.put('wrong', { description: 'Fails.', steps: wrong })
  const { session_id: session } = await stage.client.sessions.begin({ workflow: 'wrong', task: 'Go' }, { key: 'wrong' })
  await page.goto(`${stage.url}/#/s/${session}/workflow`)
  await panel.getByText('"task" in over is not a list.').waitFor()
  await panel.getByRole('button', { name: 'Close' }).press('Enter')
  await panel.waitFor({ state: 'detached' })
  expect(errors).toEqual([])
  await close()
})

test('a step that a person refuses is told as that, not as a failure of the run, and can be asked for again', async ({
  expect,
}) => {
  const steps = [{ id: 'agree', type: 'wait', approval: 'Send it?' }]
  await stage.client.workflows.put('agreed', { description: 'Asks first.', steps })
  for (const [language, locale, refuse, title, advice, again] of [
    ['en', 'en-US', 'Refuse', 'A step was refused', 'Try again to be asked once more.', 'Try again'],
    ['zh-CN', 'zh-CN', '拒绝', '有一步被拒绝', '重试会再次请求批准。', '重试'],
  ] as const) {
    const config = { language }
    const input = { workflow: 'agreed', task: 'Go', config }
    const { session_id: asked } = await stage.client.sessions.begin(input, { key: `agreed-${language}` })
    const { page, errors, close } = await stage.open({ locale }, `/#/s/${asked}`)
    const no = page.locator('.pending').getByRole('button', { name: refuse, exact: true })
    await no.click()
    await page.locator('.pending textarea').waitFor()
    await no.click()
    const card = page.locator('.failure')
    await card.getByRole('heading', { name: title }).waitFor()
    const words = await card.innerText()
    expect(words).toContain(advice)
    expect(words).not.toMatch(/failed|失败|another model|换个模型/)
    await card.getByRole('button', { name: again }).click()
    await no.waitFor()
    expect(await seriousFaults(page)).toEqual([])
    expect(errors).toEqual([])
    await close()
  }
})

test('the items of a list are counted, opened and retried one by one', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, `/#/s/${id}/workflow`)
  const node = (path: string) => page.locator(`[data-step="${path}"]`)
  await node('each').click()
  const panel = page.locator('.flow-panel')
  await panel.getByRole('button', { name: 'Item 1: done' }).click()
  await panel.locator('[data-item="0"]').getByText('Output').click()
  await expect.poll(() => panel.locator('[data-item="0"] pre').innerText()).toBe('Ships float.')
  await panel.getByRole('button', { name: 'Item 2: failed' }).click()
  await panel.getByRole('button', { name: 'Run this item again' }).click()
  await panel.getByRole('button', { name: 'Item 2: done' }).waitFor()
  await node('sum').and(page.locator('[data-status=completed]')).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  expect(errors).toEqual([])
  await close()
})

test('one is run from the set-up, with the inputs that it declares', async ({ expect }) => {
  const inputs = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const steps = [{ id: 'keep', type: 'set', values: { city: '{{ inputs.city }}' } }]
  await stage.client.workflows.put('town', { description: 'Keeps a town.', inputs, steps })
  const { page, errors, close } = await stage.open({}, '/#/setup/workflows')
  const card = page.locator('.resource').filter({ hasText: 'Keeps a town.' })
  await card.getByText('Run now').click()
  await card.getByRole('button', { name: 'Start' }).click()
  const city = card.getByLabel('city *')
  await expect.poll(() => city.and(page.locator(':focus[aria-invalid=true]')).count()).toBe(1)
  await card.getByText('This field is required.').waitFor()
  await page.keyboard.type('Oslo')
  await card.getByText('This field is required.').waitFor({ state: 'detached' })
  await card.getByRole('button', { name: 'Start' }).click()
  await page.locator('[data-step="keep"][data-status=completed]').click()
  await page.locator('.flow-panel').getByText('Output').click()
  await expect.poll(() => page.locator('.flow-panel pre').innerText()).toContain('Oslo')
  await expect.poll(() => page.locator('.session h1, .session h2').first().innerText()).toContain('town')
  expect(errors).toEqual([])
  await close()
})

const LISTS = {
  type: 'object',
  properties: {
    urls: { type: 'array', items: { type: 'string', minLength: 3 }, title: 'Addresses' },
    sizes: { type: 'array', items: { type: 'integer' } },
  },
  required: ['urls'],
}

test('lists are given an item a line, and what is wrong is told at its field', async ({ expect }) => {
  const steps = [{ id: 'keep', type: 'set', values: { urls: '{{ inputs.urls }}', sizes: '{{ inputs.sizes }}' } }]
  await stage.client.workflows.put('lists', { description: 'Keeps lists.', inputs: LISTS, steps })
  const { page, errors, close } = await stage.open({}, '/')
  await page.getByLabel('Workflow').selectOption('lists')
  const urls = page.getByLabel('Addresses *')
  const sizes = page.getByLabel('sizes')
  const start = () => page.locator('.new-task button[type=submit]').press('Enter')
  const gone = (field: typeof urls) =>
    expect.poll(() => field.and(page.locator(':focus[aria-invalid=true]')).count()).toBe(1)
  await urls.fill('')
  await start()
  await gone(urls)
  await page.keyboard.type('https://a.example\nb\n')
  await sizes.fill('12\nmany')
  await start()
  await gone(sizes)
  await page.getByText('Line 2: Enter a whole number.').waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await sizes.fill('12\n13')
  await start()
  await gone(urls)
  await page.getByText(/^Line 2: /).waitFor()
  await urls.fill('https://a.example\n\nhttps://b.example\n')
  await start()
  await page.locator('.session').waitFor()
  const [session] = (await stage.client.sessions.list({ limit: 1 })).data
  expect((await stage.client.sessions.get(session?.id ?? '')).result).toContain(
    '{"urls":["https://a.example","https://b.example"],"sizes":[12,13]}',
  )
  expect(errors).toEqual([])
  await close()
})

test.for(LOOKS)(
  'at %i px, %s and in %s it has room, and keeps nobody out',
  async ([width, colorScheme, locale], { expect }) => {
    const options = { viewport: { width, height: 800 }, colorScheme, locale }
    const { page, errors, close } = await stage.open(options, `/#/s/${id}/workflow`)
    await page.locator('[data-step="sum"][data-status=completed]').waitFor()
    await page.locator('[data-step="each"]').click()
    await page.locator('.flow-panel').waitFor()
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await seriousFaults(page)).toEqual([])
    const word = locale === 'zh-CN' ? '逐项处理' : 'For each'
    await expect.poll(() => page.locator('[data-step="each"]').innerText()).toContain(word)
    expect(errors).toEqual([])
    await close()
  },
)

test('a workflow is written in YAML, and what does not fit is told beside it with its line', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/workflows')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  const form = page.locator('.form.card')
  await form.getByRole('button', { name: 'Start from an example' }).click()
  await form.getByText('Everything, as YAML').click()
  const text = form.getByLabel('Workflow as YAML')
  const begun = await text.inputValue()
  await text.fill(begun.replace('inputs.who', 'inputs.whom'))
  await form.getByRole('button', { name: 'Save' }).click()
  await form
    .getByRole('alert')
    .getByText(/line \d+: step words/)
    .waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await text.fill(begun)
  await form.getByRole('button', { name: 'Save' }).click()
  const card = (name: string) => page.locator('.resource').filter({ has: page.getByText(name, { exact: true }) })
  await card('greet').getByText('Greets somebody').waitFor()
  expect((await stage.client.workflows.get('greet')).steps).toHaveLength(2)
  await card('greet').getByRole('button', { name: 'Delete' }).waitFor()
  await card('page-digest').getByText('built in').waitFor()
  expect(await card('page-digest').getByRole('button').allInnerTexts()).toEqual(['Show', 'Edit'])
  expect(errors).toEqual([])
  await close()
})
