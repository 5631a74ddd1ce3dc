import { afterAll, beforeAll, test } from 'vitest'
import { giveTask, seriousFaults, startStage, type Stage } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>', config: { titles: 'model' } })
})
afterAll(() => stage.close())

test('a model that writes the answer is said to write, while it is asked for a title, too', async ({ expect }) => {
  await stage.script([
    { when: { contains: 'Give the task below a title' }, content: 'Tides', delay_ms: 300 },
    { content: 'High at six', chunks: ['High ', 'at six'], hold_after: 2 },
  ])
  const { page, close } = await stage.open()
  await giveTask(page, 'When is high tide?')
  await page.locator('h1 .title', { hasText: 'Tides' }).waitFor()
  await expect.poll(() => page.locator('.activity').innerText()).toContain('m is writing the answer')
  await stage.release()
  await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
  await close()
})

test('a session that is begun here is named by its model, in its head, in the list and in the tab', async ({
  expect,
}) => {
  await stage.script([
    { when: { contains: 'Give the task below a title' }, content: '**Harbour hours**' },
    calls('finish', { reason: 'At six.' }),
  ])
  const { page, errors, close } = await stage.open({}, '/#/new')
  await giveTask(page, 'Please tell me when the harbour opens, in summer and in winter')
  await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
  await expect.poll(() => page.locator('h1 .title').innerText()).toBe('Harbour hours')
  await page.locator('.sessions li', { hasText: 'Harbour hours' }).waitFor()
  await expect.poll(() => page.title()).toBe('Harbour hours · yaa')
  const { config, usage } = await stage.client.sessions.get(page.url().split('/').at(-1) ?? '')
  expect([config.titles, usage.model_calls, errors]).toEqual(['model', 2, []])
  await close()
})

test('the tab names each page, in the language of the page, and what a link opens', async ({ expect }) => {
  for (const [locale, titles] of [
    [
      'en-US',
      {
        '#/': 'yaa',
        '#/new': 'New task · yaa',
        '#/spend': 'Spend · yaa',
        '#/setup': 'Models · Set-up · yaa',
        '#/setup/mcp-servers': 'MCP servers · Set-up · yaa',
        '#/bogus': 'There is no such page. · yaa',
      },
    ],
    [
      'zh-CN',
      { '#/inbox': '等你决定 · yaa', '#/setup/keys': '密钥 · 设置 · yaa', '#/s/ses_nope': '没有这个会话 · yaa' },
    ],
  ] as const) {
    const { page, errors, close } = await stage.open({ locale }, '/#/')
    for (const [address, title] of Object.entries(titles)) {
      await page.evaluate(`location.hash = '${address}'`)
      await expect.poll(() => page.title()).toBe(title)
    }
    expect(errors).toEqual([])
    await close()
  }
  const { id } = await stage.client.sessions.create({ title: 'Read me' })
  const expires = new Date(Date.now() + 60_000).toISOString()
  const { url = '' } = await stage.client.links.create(id, { scope: 'read', expires_time: expires })
  const { page, close } = await stage.open({}, new URL(url).pathname)
  await expect.poll(() => page.title()).toBe('Read me · yaa')
  await page.goto(`${stage.url}/links/nothing`)
  await expect.poll(() => page.title()).toBe('This link does not work · yaa')
  await close()
})

test('where there is nothing it is said why that may be, with the ways on', async ({ expect }) => {
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
  for (const [options, address, says, on, find] of [
    [{}, '#/bogus', 'may be mistyped', 'New task', 'Find sessions and pages'],
    [{ locale: 'zh-CN', ...phone }, '#/s/ses_nope', '可能已被删除，也可能是地址不完整', '新任务', '查找会话和页面'],
    [{}, '#/setup/foo', 'There is no such page.', 'New task', 'Find sessions and pages'],
  ] as const) {
    const { page, errors, close } = await stage.open(options, `/${address}`)
    await page.getByText(says).waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await page.getByRole('button', { name: find }).click()
    await page.locator('.palette input').press('Escape')
    await page.locator('main').getByRole('link', { name: on }).click()
    await page.waitForURL((url) => url.hash === '#/new')
    expect(errors).toEqual([])
    await close()
  }
})
