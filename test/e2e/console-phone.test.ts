import { afterAll, beforeAll, test } from 'vitest'
import {
  giveTask,
  seriousFaults,
  smallTargets,
  startStage,
  tooWide,
  type Stage,
  type Watched,
} from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const LINE_PX = 30

let stage: Stage
let watched: Watched

beforeAll(async () => {
  stage = await startStage({ html: '<title>Facts</title><p>Water boils at 100 degrees.</p>' })
  watched = await stage.open(PHONE)
})
afterAll(() => stage.close())

const heightOf = async (selector: string) => (await watched.page.locator(selector).first().boundingBox())?.height ?? 0

/** Of the height, where it is on the page. */
async function middleOf(selector: string): Promise<number> {
  const { y = 0, height = 0 } = (await watched.page.locator(selector).first().boundingBox()) ?? {}
  return y + height / 2
}

test('who has given no task yet is shown some, and takes one by a click', async ({ expect }) => {
  const { page } = watched
  await page.goto(`${stage.url}/#/new`)
  const hint = page.locator('.hints button').nth(1)
  const words = await hint.innerText()
  await hint.click()
  await expect.poll(() => page.locator('.new-task textarea').inputValue()).toBe(words)
  await page.locator('.new-task textarea').fill('')
})

test('on a phone a task is given on the first screen, above the sessions', async ({ expect }) => {
  const { page } = watched
  await page.goto(`${stage.url}/#/`)
  await page.locator('.new-task textarea').fill('Begin here')
  const field = await page.locator('.new-task textarea').boundingBox()
  const list = await page.locator('.sessions').boundingBox()
  expect(field?.y).toBeLessThan(list?.y ?? 0)
  expect(field?.y).toBeLessThan(400)
  expect(await seriousFaults(page)).toEqual([])
  await page.locator('.new-task textarea').fill('')
})

test('on a phone all of how a task is done is in sight, with nothing cut', async ({ expect }) => {
  const { page } = watched
  await page.goto(`${stage.url}/#/new`)
  const chips = page.locator('.composer-chips select')
  await chips.nth(4).waitFor()
  const room = await page.locator('.composer-room').boundingBox()
  const rows = new Set<number>()
  for (const chip of await chips.all()) {
    const { x = 0, y = 0, width = 0, height = 0 } = (await chip.boundingBox()) ?? {}
    rows.add(Math.round(y))
    expect(height).toBeGreaterThanOrEqual(44)
    expect(x).toBeGreaterThanOrEqual(room?.x ?? 0)
    expect(x + width).toBeLessThanOrEqual((room?.x ?? 0) + (room?.width ?? 0))
    expect(await chip.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
  }
  expect(rows.size).toBe(2)
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

test('on a phone every page leads back to the sessions', async () => {
  const { page } = watched
  for (const path of ['new', 'inbox', 'spend', 'connect', 'setup', 's/ses_gone', 'nowhere']) {
    await page.goto(`${stage.url}/#/${path}`)
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.waitForURL(`${stage.url}/#/`)
    await page.locator('.sessions').waitFor()
  }
})

test('on a phone no page grows because a field of it is written in', async ({ expect }) => {
  const { page } = watched
  for (const path of ['', 'setup/mcp-servers', 'setup/keys', 'setup/models', 'spend', 'connect']) {
    await page.goto(`${stage.url}/#/${path}`)
    if (path.startsWith('setup'))
      await page
        .getByRole('button', { name: /^(New|Add a model)$/ })
        .first()
        .click()
    await page.locator('main :is(input, textarea)').first().waitFor()
    const sizes = await page.evaluate<number[]>(
      `[...document.querySelectorAll('input:not([type=checkbox], .unseen), select, textarea')]
        .map((one) => parseFloat(getComputedStyle(one).fontSize))`,
    )
    expect(Math.min(...sizes), path).toBeGreaterThanOrEqual(16)
  }
})

test('on a phone words, times and buttons stay in one piece', async ({ expect }) => {
  const { page } = watched
  const columns = Array.from({ length: 9 }, (_, index) => `Column${index}`)
  const table = `| ${columns.join(' | ')} |\n|${'---|'.repeat(9)}\n| ${columns.join(' | ')} |`
  await stage.script([
    { content: table, tool_calls: [{ name: 'web_access', arguments: { url: stage.site.url } }] },
    { hang: true },
  ])
  await page.goto(`${stage.url}/#/new`)
  await giveTask(page, 'A title that is long enough to fill more than the line that it has on a phone')
  await page.locator('.pending').waitFor()
  expect(Math.abs((await middleOf('.conversation > .steps')) - (await middleOf('.tabs a')))).toBeLessThan(4)
  expect(await heightOf('.reply th')).toBeLessThan(2 * LINE_PX)
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await page.goto(`${stage.url}/#/inbox`)
  await page.locator('.pending').waitFor()
  expect(await heightOf('.waiting time')).toBeLessThan(LINE_PX)
  await page.goBack()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.locator('.composer textarea').fill('Something more')
  expect(await heightOf('.composer .stop')).toBeLessThan(2 * LINE_PX)
  const field = await page.locator('.composer textarea').boundingBox()
  expect(field?.width).toBeGreaterThan(200)
})

test('on a small phone a long form is read from its question on', async ({ expect }) => {
  const names = ['Name', 'Street', 'City', 'Country', 'Phone', 'Remark']
  const properties = Object.fromEntries(names.map((title) => [title.toLowerCase(), { type: 'string', title }]))
  const asks = calls('ask_form', { question: 'Where to?', form: { type: 'object', properties } })
  // What another test has under way takes no answer of this one.
  await stage.script([{ when: { contains: 'Send it' }, ...asks }])
  const { session_id: id } = await stage.client.sessions.begin(
    { task: 'Send it', config: { tools: { ask_form: { enabled: true } } } },
    { key: crypto.randomUUID() },
  )
  await stage.client.sessions.wait(id)
  const { page, close } = await stage.open({ ...PHONE, viewport: { width: 360, height: 640 } }, `/#/s/${id}`)
  const [question, last] = [page.locator('.pending .question').first(), page.getByLabel('Remark')]
  const isSeen = (one: typeof last) =>
    one.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      const room = element.closest('.long-list-room')?.getBoundingClientRect()
      return room !== undefined && top >= room.top && bottom <= room.bottom
    })
  await last.waitFor({ state: 'attached' })
  await expect.poll(() => isSeen(question)).toBe(true)
  await page.locator('.to-end').tap()
  await expect.poll(() => isSeen(last)).toBe(true)
  expect(await isSeen(question)).toBe(false)
  await page.setViewportSize({ width: 360, height: 420 })
  await last.fill('Ring twice')
  await expect.poll(() => isSeen(last)).toBe(true)
  await close()
})

test('on a phone a quote within many others moves nothing sideways', async ({ expect }) => {
  const messages = ['>', '- '].map((mark) => ({
    role: 'assistant',
    content: Array.from({ length: 40 }, (_, deep) =>
      mark === '>' ? `${mark.repeat(deep + 1)} Said before, ${deep} times.\n` : `${'  '.repeat(deep)}- Said before`,
    ).join('\n'),
  }))
  const body = { object: 'session.export', version: 1, session: { title: 'Quotes', messages } }
  const { id } = await stage.client.json<{ id: string }>({ method: 'POST', path: '/v1/sessions/import', body })
  const { page, close } = await stage.open(PHONE, `/#/s/${id}`)
  await page.locator('.reply li').last().waitFor()
  expect(await tooWide(page)).toEqual([])
  await close()
})

test('on a phone the Chinese dates of a chart stand apart', async ({ expect }) => {
  const { page, close } = await stage.open({ ...PHONE, locale: 'zh-CN' }, '/#/spend')
  const dates = page.locator('.x-axis').first().locator('span')
  await dates.first().waitFor()
  const boxes = (await Promise.all((await dates.all()).map((date) => date.boundingBox()))).filter((box) => box !== null)
  expect(boxes.length).toBeGreaterThan(2)
  const gaps = boxes.slice(1).map(({ x }, at) => x - (boxes[at]?.x ?? 0) - (boxes[at]?.width ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThan(4)
  await close()
})

test('on a phone the dates of what was spent do not break', async ({ expect }) => {
  const { page } = watched
  await page.goto(`${stage.url}/#/spend`)
  await page.locator('.spend tbody tr').first().waitFor()
  expect(await heightOf('.spend tbody tr')).toBeLessThan(2 * LINE_PX)
  expect(await heightOf('.spend thead tr')).toBeLessThan(2 * LINE_PX)
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

test('on a phone Enter breaks the line, and the button sends', async ({ expect }) => {
  const { page } = watched
  await stage.script([calls('finish', { reason: 'Done.' })])
  await page.goto(`${stage.url}/#/new`)
  const field = page.locator('.new-task textarea')
  await field.fill('one')
  await field.press('Enter')
  await field.pressSequentially('two')
  await expect.poll(() => field.inputValue()).toBe('one\ntwo')
  await page.locator('.new-task button[type=submit]').click()
  await page.locator('.said', { hasText: 'one' }).waitFor()
})

test('on a phone whatever is pressed is as big as a finger, and no page moves sideways', async ({ expect }) => {
  const { page } = watched
  const visit = calls('web_access', { url: stage.site.url })
  await stage.script([
    { reasoning: 'First the page.', ...visit },
    calls('finish', { reason: '| a | b |\n|---|---|\n| 1 | 2 |' }),
  ])
  const { id, pending } = await stage.client.sessions.create({ task: 'Read it' })
  await stage.client.callbacks.create({ name: 'ear', url: `${stage.site.url}/ear`, events: ['run.failed'] })
  const looksWell = async (path: string, isThere: string, act?: () => Promise<void>) => {
    await page.goto(`${stage.url}/#/${path}`)
    await page.locator(isThere).first().waitFor()
    await act?.()
    expect([path, await smallTargets(page), await tooWide(page)]).toEqual([path, [], []])
  }
  await looksWell('', '.sessions a')
  await looksWell('new', '.chip-choice', () => page.locator('.options-fold summary').tap())
  const box = await page.locator('.fields .check input').last().boundingBox()
  expect(box?.width).toBe(box?.height)
  await looksWell('inbox', '.pending')
  await looksWell(`s/${id}`, '.pending', () => page.locator('.session-header summary').tap())
  await stage.client.sessions.decide(id, pending[0]?.id ?? '', { decision: 'approve' })
  await page.reload()
  await looksWell(`s/${id}`, '.table-frame', () => page.locator('.call summary').first().tap())
  await stage.client.files.put(id, `${'x'.repeat(100)}.txt`, 'x')
  await looksWell(`s/${id}/files`, '.files td')
  const room = page.locator('.files .table-room')
  expect(await room.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
  for (const path of ['spend', 'connect']) await looksWell(path, 'h1')
  for (const part of ['models', 'settings', 'mcp-servers', 'memory', 'audit'])
    await looksWell(`setup/${part}`, '.setup-part h1')
  await looksWell('setup/callbacks', '.resource', async () => {
    await page.getByRole('button', { name: 'Send a test' }).tap()
    await page.getByText('delivered · 200').waitFor()
    await page.getByRole('button', { name: 'Deliveries' }).tap()
    await page.locator('.log td', { hasText: 'a test' }).waitFor()
  })
})
