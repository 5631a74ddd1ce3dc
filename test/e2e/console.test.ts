import { afterAll, beforeAll, describe, test } from 'vitest'
import { ApiProblem } from '../../src/client/client.ts'
import { giveTask, startStage, type Stage, type Watched } from '../support/console.ts'
import { plan } from '../support/planned.ts'
import { calls, says } from '../support/scripted-model.ts'

const EVIL = '<img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>'
const PAGE = `<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p><pre>${EVIL.replaceAll('<', '&lt;')}</pre>`
const CHART = '```mermaid\ngraph TD\n  A[Heat] --> B{Boils?}\n  B -- yes --> C[Steam]\n```'
const ANSWER = `# Boiling\n\nIt boils at **100 °C**.\n\n| Place | °C |\n|---|---|\n| Sea | 100 |\n\n${CHART}\n\nThat is all.`

let stage: Stage
let watched: Watched

beforeAll(async () => {
  stage = await startStage({ html: PAGE })
  watched = await stage.open()
})
afterAll(() => stage.close())

const address = (path: string) => `${stage.site.url}/${path}`
/** A reply that streams its text and finishes with the same. */
const streamed = (text: string, more: Record<string, unknown> = {}) => ({
  content: text,
  tool_calls: [{ name: 'finish', arguments: { reason: text } }],
  chunks: 30,
  ...more,
})

/** A task of one's own in the window that all of these share. */
async function given(task: string, steps: Parameters<Stage['script']>[0]) {
  const { page } = watched
  await stage.script(steps)
  await page.goto(`${stage.url}/#/new`)
  await giveTask(page, task)
  return page
}

describe('a task in the console', () => {
  test('asks, runs with edited arguments, and streams an answer with a table and a chart', async ({ expect }) => {
    stage.site.hits.length = 0
    const page = await given('When does water boil?', [
      { reasoning: 'First the page.', tool_calls: [{ name: 'web_access', arguments: { url: address('asked') } }] },
      streamed(ANSWER),
    ])
    const card = page.locator('.pending')
    await card.getByText(address('asked')).waitFor()
    await card.getByRole('button', { name: 'Edit' }).click()
    const field = card.getByLabel('Edit the arguments')
    await field.fill('{"url": ')
    await expect.poll(() => card.getByRole('button', { name: 'Approve as edited' }).isDisabled()).toBe(true)
    await field.fill(JSON.stringify({ url: address('edited') }))
    await card.getByRole('button', { name: 'Approve as edited' }).click()
    await page.locator('.chart img').waitFor()
    await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
    expect(stage.site.hits).toEqual(['/edited'])
    await expect.poll(() => page.locator('.reply h1').innerText()).toBe('Boiling')
    await expect.poll(() => page.locator('.reply td').allInnerTexts()).toEqual(['Sea', '100'])
    await expect.poll(() => page.locator('.reply', { hasText: 'That is all.' }).count()).toBe(1)
    const call = page.locator('.call')
    await call.locator('summary').click()
    await expect.poll(() => call.locator('summary').innerText()).toMatch(/^\s*Opened .*\/edited[^]* m?s$/)
    await expect.poll(() => call.locator('dd').innerText()).toBe(address('edited'))
    await call.getByRole('button', { name: 'JSON' }).click()
    await expect.poll(() => call.locator('pre').first().innerText()).toContain('"url":')
    await expect.poll(() => call.locator('.outside').innerText()).toContain('Water boils at 100 degrees')
    await expect.poll(() => call.locator('summary').innerText()).toMatch(/from outside\s*: this is data/)
    await expect.poll(() => call.innerText()).not.toMatch(/[0-9a-f]{16}\]/)
    await expect.poll(() => page.locator('.thinking').first().innerText()).toContain('Thoughts')
    expect(watched.errors).toEqual([])
  })

  test('tells the model why a call was refused, and goes on', async ({ expect }) => {
    stage.site.hits.length = 0
    const page = await given('Read it', [calls('web_access', { url: address('no') }), streamed('Then I leave it.')])
    await page.locator('.pending').press('r')
    await page.locator('.pending textarea').fill('Use what you know')
    await page.locator('.pending button.danger').click()
    await page.locator('.reply', { hasText: 'Then I leave it.' }).waitFor()
    await page.locator('.call[data-status=refused]', { hasText: /Open .*no\s*refused/ }).waitFor()
    expect(stage.site.hits).toEqual([])
    expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toContain('Use what you know')
  })

  test('asks in the model’s words, and takes an option or an answer', async ({ expect }) => {
    const page = await given('Choose', [
      calls('ask', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] }),
      calls('ask', { question: 'How much?' }),
      streamed('Here it is.'),
    ])
    await page.getByRole('button', { name: 'Coffee', exact: true }).click()
    await page.locator('.question', { hasText: 'How much?' }).waitFor()
    await page.locator('.pending textarea').fill('A lot')
    await page.locator('.pending textarea').press('Enter')
    await page.locator('.reply', { hasText: 'Here it is.' }).waitFor()
    expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toMatch(/Coffee.*A lot/)
  })

  test('shows a call that waits for its caller, and takes a result or a reason in its place', async ({ expect }) => {
    const { page } = watched
    const order = (number: number) => calls('find_order', { number })
    await stage.script([order(7), order(8), streamed('It is on its way.')])
    const client_tools = [{ name: 'find_order', description: 'Looks up an order.', parameters: { type: 'object' } }]
    const { id } = await stage.client.sessions.create({ task: 'Where is it?', client_tools })
    await page.goto(`${stage.url}/#/s/${id}`)
    const card = page.getByRole('group', { name: 'Waiting for the caller to run find_order' })
    await card.locator('dd', { hasText: '7' }).waitFor()
    const field = card.getByLabel('Result as JSON, or why it failed')
    await field.fill('{"place": ')
    await expect.poll(() => card.getByRole('button', { name: 'Send as result' }).isDisabled()).toBe(true)
    await field.fill('{"place": "Cologne"}')
    await card.getByRole('button', { name: 'Send as result' }).click()
    await card.locator('dd', { hasText: '8' }).waitFor()
    await card.getByLabel('Result as JSON, or why it failed').fill('the shop is closed')
    await card.getByRole('button', { name: 'Send as failure' }).click()
    await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
    const told = JSON.stringify(stage.model.requests.at(-1)?.body)
    expect(told).toContain('Cologne')
    expect(told).toContain('the shop is closed')
  })

  test('is steered while it runs', async ({ expect }) => {
    const page = await given('Tell me all about tea', [
      { ...calls('rethink', { reason: 'so much' }), hold_after: 0 },
      streamed('Tea is green.'),
    ])
    await page.getByRole('button', { name: 'Stop' }).first().waitFor()
    await page.getByLabel('Message').fill('in one line')
    await page.getByRole('button', { name: 'Add to this run' }).click()
    await page.getByText('in one line').waitFor()
    await stage.release()
    await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
    expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toContain('in one line')
    await expect.poll(() => page.locator('.end-line').count()).toBe(1)
  })

  test('is cancelled, forked, exported and deleted', async ({ expect }) => {
    const page = await given('Take your time', [{ hang: true }, streamed('Again.')])
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.locator('.end-line', { hasText: 'Cancelled' }).waitFor()
    const first = page.url()
    await page.locator('.menu summary').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^ses_.*\.json$/)
    await page.locator('.menu summary').click()
    await page.getByRole('button', { name: 'Fork', exact: true }).click()
    await page.waitForURL((url) => url.href !== first)
    await page.locator('.said', { hasText: 'Take your time' }).waitFor()
    const id = page.url().split('/').at(-1) ?? ''
    await page.locator('.menu summary').click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.locator('.new-task').waitFor()
    const isGone = () =>
      stage.client.sessions.get(id).then(
        () => null,
        (error: unknown) => (error instanceof ApiProblem ? error.code : error),
      )
    await expect.poll(isGone, { timeout: 60_000 }).toBe('not_found')
  })
})

describe('what one types', () => {
  test('is kept for each session until it was sent, over a reload too', async ({ expect }) => {
    const page = await given('Remember', [streamed('Yes.'), streamed('Sent.')])
    await page.locator('.end-line').waitFor()
    const field = page.locator('.composer textarea')
    await field.fill('half a thought')
    await page.goto(`${stage.url}/#/inbox`)
    await page.goBack()
    await expect.poll(() => field.inputValue()).toBe('half a thought')
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe('half a thought')
    await field.press('Enter')
    await page.locator('.reply', { hasText: 'Sent.' }).waitFor()
    await expect.poll(() => field.inputValue()).toBe('')
  })

  test('stays in a second tab when the first one sends its own', async ({ expect }) => {
    const page = await given('Two tabs', [streamed('Yes.'), streamed('Sent.')])
    await page.locator('.end-line').waitFor()
    const field = page.locator('.composer textarea')
    const second = await page.context().newPage()
    await second.goto(page.url())
    const other = second.locator('.composer textarea')
    await field.fill('of the first')
    await other.fill('of the second')
    await field.press('Enter')
    await page.locator('.reply', { hasText: 'Sent.' }).waitFor()
    await expect.poll(() => field.inputValue()).toBe('')
    await second.reload()
    await expect.poll(() => other.inputValue()).toBe('of the second')
    await other.fill('')
    await second.close()
  })
})

test('a model of which nothing has come is said to read, then to write', async ({ expect }) => {
  const page = await given('A long prompt', [{ content: 'It is read.', chunks: ['It ', 'is read.'], hold_after: 0 }])
  const activity = page.locator('.activity')
  await activity.filter({ hasText: 'm is reading' }).waitFor()
  expect(stage.model.release()).toBe(1)
  await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
  await expect.poll(() => activity.count()).toBe(0)

  await stage.script([{ content: 'One two', chunks: ['One ', 'two'], hold_after: 2 }])
  await page.locator('.composer textarea').fill('Again')
  await page.locator('.composer textarea').press('Enter')
  await activity.filter({ hasText: 'm is writing the answer' }).waitFor()
  expect(stage.model.release()).toBe(1)
  await page.locator('.end-line', { hasText: 'Completed' }).nth(1).waitFor()
})

test('code below words and in steps, and a long list, look while they are written as they do at the end', async ({
  expect,
}) => {
  const steps = [
    'Do this:\n```bash\nnpm ci\n```\n1. **Install**\n   ```bash\n',
    '   npm start\n   ```\n2. **Open** it\n',
  ]
  const tips = Array.from(
    { length: 60 },
    (_, tip) => `${tip + 3}. **Tip ${tip + 3}** ${'and so on '.repeat(12)}\n   - more\n`,
  )
  const chunks = [...steps, ...tips, 'The end.']
  const page = await given('How?', [{ content: chunks.join(''), chunks, hold_after: chunks.length }])
  await page.locator('.reply strong', { hasText: 'Tip 62' }).waitFor()
  const looks = async () => [
    (await page.locator('.reply pre').allInnerTexts()).map((code) => code.trim()),
    await page.locator('.reply strong').count(),
    (await page.locator('.reply').innerText()).includes('**'),
  ]
  const live = await looks()
  expect(live).toEqual([['npm ci', 'npm start'], expect.any(Number), false])
  await stage.release()
  await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
  expect(await looks()).toEqual(live)
})

test('a run that failed says once what happened, why and what to do, and goes on from there', async ({ expect }) => {
  const refused = { status: 401, body: { error: { message: 'Incorrect API key provided' } } }
  const page = await given('Try it', [refused, streamed('It went well.')])
  const card = page.locator('.failure')
  await card.getByRole('heading', { name: 'rejected the key' }).waitFor()
  await card.getByRole('link', { name: 'Check the key' }).waitFor()
  await expect.poll(() => page.locator('.problem, .note.bad').count()).toBe(0)
  await card.locator('summary').click()
  await card.locator('li', { hasText: 'Incorrect API key provided' }).waitFor()
  await card.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.reply', { hasText: 'It went well.' }).waitFor()
  await expect.poll(() => card.count()).toBe(0)

  await stage.script([calls('web_access', { url: address('more') }), streamed('With more it went well.')])
  const config = { limits: { max_iterations_total: 1 }, tools: { web_access: { permission: 'allow' as const } } }
  const { id } = await stage.client.sessions.create({ task: 'Read it', config })
  await page.goto(`${stage.url}/#/s/${id}`)
  await card.getByText('It used all of its model calls.').waitFor()
  await expect.poll(() => card.innerText()).not.toContain('max_iterations_total')
  await card.getByRole('button', { name: 'Raise the limit to 2 model calls' }).click()
  await page.locator('.reply', { hasText: 'With more it went well.' }).waitFor()
  await expect.poll(() => card.count()).toBe(0)
})

test('a model that its service does not know is checked, or another is chosen', async ({ expect }) => {
  const unknown = { status: 404, body: { error: { message: 'The model `m` does not exist' } } }
  const page = await given('Ask it', [unknown])
  const card = page.locator('.failure')
  await card.getByText('The model’s service does not know this model').waitFor()
  expect(await card.getByRole('link', { name: 'Check the model' }).getAttribute('href')).toBe('#/setup/models')
})

test('a try that a busy service turned away is told while the next one is waited for', async ({ expect }) => {
  const busy = { status: 429, body: { error: { message: 'Slow down' } } }
  await stage.script([busy, { ...streamed('Here it is.'), delay_ms: 1_500 }])
  const config = { llm: { retry: { times: 2, delay_ms: 400 } } }
  const { session_id: id } = await stage.client.sessions.begin({ task: 'Ask it', config }, { key: crypto.randomUUID() })
  const { page } = watched
  await page.goto(`${stage.url}/#/s/${id}`)
  await page.locator('.activity', { hasText: 'attempt 2: the service was busy' }).waitFor()
  await page.locator('.reply', { hasText: 'Here it is.' }).waitFor()
  expect(await page.locator('.failure').count()).toBe(0)
})

test('an account without credit is told from a service that is busy', async ({ expect }) => {
  const message = 'You exceeded your current quota, please check your plan and billing details.'
  for (const answer of [
    { status: 402, body: { error: { message: 'Insufficient Balance' } } },
    { status: 429, body: { error: { message, code: 'insufficient_quota' } } },
  ]) {
    const page = await given(
      'Ask it',
      Array.from({ length: 8 }, () => answer),
    )
    const card = page.locator('.failure')
    await card.getByRole('heading', { name: 'The account with the model’s service has no credit left' }).waitFor()
    await card.getByText('Top up the account and try again').waitFor()
    expect(await card.getByRole('link', { name: 'Check' }).count()).toBe(0)
  }
})

test('results and plans are told without the words that the model gets', async ({ expect }) => {
  const visit = calls('web_access', { url: 'http://127.0.0.1:1/' })
  await stage.script([visit, streamed('好了。')])
  const tools = { web_access: { permission: 'allow' as const } }
  const { id } = await stage.client.sessions.create({ task: '读一下', config: { tools, language: 'zh-CN' } })
  const { page } = watched
  await page.goto(`${stage.url}/#/s/${id}`)
  await page.locator('.call summary').click()
  await page.locator('.call pre', { hasText: '不允许访问' }).waitFor()
  await expect.poll(() => page.locator('.call pre').innerText()).not.toContain('执行失败')
  await stage.script([{ status: 401, body: { error: { message: 'Incorrect API key provided' } } }])
  const { id: failed } = await stage.client.sessions.create({ task: '再读一下', config: { language: 'zh-CN' } })
  const { page: chinese, close } = await stage.open({ locale: 'zh-CN' }, `/#/s/${failed}`)
  await chinese.locator('.failure', { hasText: '模型服务不接受密钥' }).waitFor()
  await close()
  await stage.script([says(plan('Find the shop'))])
  const review = { orchestrator: 'plan' as const, config: { plan: { review: true } } }
  const { id: planned } = await stage.client.sessions.create({ task: 'Buy tea', ...review })
  await page.goto(`${stage.url}/#/s/${planned}`)
  await expect.poll(() => page.locator('.pending li').innerText()).toBe('Find the shop the model itself')
  await page.locator('.note', { hasText: 'Plan for round 1: 1 sub-task' }).waitFor()
})

test('an answer that is JSON is laid out', async ({ expect }) => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  await stage.script([{ tool_calls: [{ name: 'finish', arguments: { reason: '{"n":4}' } }] }])
  const { id } = await stage.client.sessions.create({ task: '2 + 2?', output_schema: schema })
  const { page } = watched
  await page.goto(`${stage.url}/#/s/${id}`)
  await page.locator('.reply pre', { hasText: '"n": 4' }).waitFor()
  await expect.poll(() => page.locator('.reply pre').innerText()).toContain('{\n  "n": 4\n}')
})

test('the server dies in the middle of a stream: nothing is missing and nothing comes twice', async ({ expect }) => {
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`)
  const page = await given('Count', [
    { content: words.join(' '), chunks: words.map((word) => `${word} `), hold_after: 10 },
    streamed(words.join(' '), { chunks: 60 }),
  ])
  await page.getByText('word5 ').waitFor()
  await stage.restart()
  await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
  await expect.poll(() => page.locator('.reply').count()).toBe(1)
  expect((await page.locator('.reply .markdown').innerText()).split(/\s+/)).toEqual(words)
  await expect.poll(() => page.locator('.said').count()).toBe(1)
  await page.locator('.composer textarea').fill('still there')
  await page.locator('.problem').waitFor({ state: 'detached' })
})

test('hostile text in a page, a result, an answer and a chart stays text', async ({ expect }) => {
  const chart = '```mermaid\ngraph TD\n  A["<img src=x onerror=alert(4)>"] --> B\n  click A "javascript:alert(5)"\n```'
  const page = await given(`Read ${EVIL}`, [
    calls('web_access', { url: address('evil'), focus: EVIL }),
    streamed(
      `${EVIL}\n\n[a](javascript:alert(6)) ![p](https://evil.example/p.png) <a href="data:text/html,x">b</a>\n\n${chart}`,
    ),
  ])
  await page.locator('.pending').press('a')
  await page.locator('.chart img').waitFor()
  await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
  await page.locator('.call summary').click()
  expect(
    await page.locator('.markdown img:not(.chart img), .markdown script, .markdown svg, .markdown iframe').count(),
  ).toBe(0)
  const links = await page.evaluate('[...document.querySelectorAll(".markdown a[href]")].map((link) => link.href)')
  expect(links).toEqual(['https://evil.example/p.png'])
  await expect.poll(() => page.locator('.reply').last().innerText()).toContain('<script>alert(2)</script>')
  expect(watched.errors).toEqual([])
})
