import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { plan } from '../support/planned.ts'
import { calls, says } from '../support/scripted-model.ts'

const ZH = { locale: 'zh-CN' }
const BUDGETS = { user: { day: { max_total_tokens: 1 } } }

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ html: '', config: { language: 'zh-CN', budgets: BUDGETS } })
})
afterAll(() => stage.close())

/** The id of a session that has come to rest. */
async function made(input: Parameters<Stage['client']['sessions']['begin']>[0]): Promise<string> {
  const { session_id: id } = await stage.client.sessions.begin(input, { key: crypto.randomUUID() })
  await stage.client.sessions.wait(id)
  return id
}

test('answers with a table each are no more places of the page than one answer is', async ({ expect }) => {
  const table = '**注意：**价格含税。\n\n| 壶 | 价格 |\n|---|--:|\n| 钢 | 39 |'
  const messages = [1, 2].flatMap((number) => [
    { role: 'user', content: `第 ${number} 问` },
    { role: 'assistant', content: table },
  ])
  const body = { object: 'session.export', version: 1, session: { title: '两张表', messages } }
  const { id } = await stage.client.json<{ id: string }>({ method: 'POST', path: '/v1/sessions/import', body })
  const { page, close } = await stage.open(ZH, `/#/s/${id}`)
  await page.getByRole('group', { name: '表格' }).nth(1).waitFor()
  expect(await page.locator('.markdown strong').allInnerTexts()).toEqual(['注意：', '注意：'])
  expect(await seriousFaults(page)).toEqual([])
  await close()
})

test('a link that opens nothing says why and what to do, and one to a decision has its headings in order', async ({
  expect,
}) => {
  await stage.script([calls('ask', { question: '给几个人准备？', options: ['两位', '四位'] })])
  const id = await made({ task: '安排晚餐' })
  const expires = () => new Date(Date.now() + 60_000).toISOString()
  const { url = '' } = await stage.client.links.create(id, { scope: 'decide', expires_time: expires() })
  const asked = await stage.open(ZH, new URL(url).pathname)
  await asked.page.getByText('给几个人准备？').waitFor()
  expect(await seriousFaults(asked.page)).toEqual([])
  const gone = await stage.client.links.create(id, { scope: 'read', expires_time: expires() })
  await stage.client.links.delete(id, gone.id)
  const over = await stage.open(ZH, new URL(gone.url ?? '').pathname)
  await over.page.getByRole('heading', { name: '这个链接无法打开' }).waitFor()
  await over.page.getByText('请向发送者要一个新的。').waitFor()
  expect(await over.page.locator('.problem').count()).toBe(0)
  expect(await seriousFaults(over.page)).toEqual([])
  const soon = new Date(Date.now() + 1_500).toISOString()
  const short = await stage.client.links.create(id, { scope: 'read', expires_time: soon })
  await expect.poll(async () => (await fetch(short.url ?? '')).status, { timeout: 10_000 }).toBe(410)
  const late = await stage.open(ZH, new URL(short.url ?? '').pathname)
  await late.page.getByRole('heading', { name: '这个链接已过期' }).waitFor()
  await Promise.all([asked.close(), over.close(), late.close()])
})

test('who reads by a link sees what was said, and not what the model was told before', async ({ expect }) => {
  await stage.script([says('水在一百度沸腾。')])
  const id = await made({ task: '水几度沸腾？' })
  const messages = (await stage.client.sessions.messages(id)).data
  expect(messages.some(({ kind }) => kind === 'prompt')).toBe(true)
  const { url = '' } = await stage.client.links.create(id, {
    scope: 'read',
    expires_time: new Date(Date.now() + 60_000).toISOString(),
  })
  const { page, errors, close } = await stage.open(ZH, new URL(url).pathname)
  await page.getByText('水在一百度沸腾。').waitFor()
  await page.getByText('水几度沸腾？').first().waitFor()
  expect(await page.getByText('系统提示词').count()).toBe(0)
  expect(errors).toEqual([])
  await close()
})

test('who reads by a link sees of a call that it was done, and of none that went well that it failed', async ({
  expect,
}) => {
  await stage.script([
    calls('write_file', { path: 'a.txt', content: '一' }),
    calls('read_file', { path: 'none.txt' }),
    calls('finish', { reason: '写好了。' }),
  ])
  const allowed = { permission: 'allow' as const }
  const config = { tools: { write_file: allowed, read_file: allowed } }
  const id = await made({ task: '写一个文件', config })
  const expires = new Date(Date.now() + 60_000).toISOString()
  const { url = '' } = await stage.client.links.create(id, { scope: 'read', expires_time: expires })
  const { page, errors, close } = await stage.open(ZH, new URL(url).pathname)
  await page.getByText('写好了。').waitFor()
  const states = await page.locator('details.call').evaluateAll((all) => all.map((one) => one.dataset['status']))
  expect(states).toEqual(['ok', 'failed'])
  expect(errors).toEqual([])
  await close()
})

test('who reads by a link is told that an answer was cut at its limit', async ({ expect }) => {
  await stage.script([{ content: '水在一百度', finish_reason: 'length' }, says('沸腾。')])
  const id = await made({ task: '水几度沸腾？' })
  await stage.client.sessions.start(id, { type: 'message', content: '然后呢？' }, { key: crypto.randomUUID() })
  await stage.client.sessions.wait(id)
  const expires = new Date(Date.now() + 60_000).toISOString()
  const { url = '' } = await stage.client.links.create(id, { scope: 'read', expires_time: expires })
  const { page, errors, close } = await stage.open(ZH, new URL(url).pathname)
  await page.locator('.reply', { hasText: '沸腾。' }).waitFor()
  expect(await page.locator('.reply').allInnerTexts()).toEqual([
    expect.stringContaining('在此中断'),
    expect.not.stringContaining('在此中断'),
  ])
  expect(errors).toEqual([])
  await close()
})

test('a failure is said once, by what happened, and each attempt in the words of the page', async ({ expect }) => {
  const card = async (status: number) => {
    await stage.script([{ status, body: { error: { message: 'Said by the service' } } }])
    const { page, errors, close } = await stage.open(ZH, `/#/s/${await made({ task: `失败 ${status}` })}`)
    await page.locator('.failure summary').click()
    const text = await page.locator('.failure').innerText()
    expect(errors).toEqual([])
    await close()
    return text
  }
  const refused = await card(401)
  expect(refused.match(/模型服务不接受密钥/g)).toHaveLength(1)
  expect(refused).toContain('服务不接受密钥')
  const busy = await card(429)
  expect(busy).toContain('模型服务暂不接受请求')
  expect(busy).not.toContain('没有响应')
  const broken = await card(500)
  expect(broken).toContain('模型服务出错了')
  expect(busy).toContain('模型服务返回状态码 429：Said by the service')
  for (const text of [refused, busy, broken]) expect(text).not.toMatch(/model_|The model service/)
})

test('a failure of a session in English is told in Chinese on a page in Chinese', async ({ expect }) => {
  await stage.script([{ status: 401, body: { error: { message: 'Said by the service' } } }])
  const { id } = await stage.client.sessions.create({ task: 'Fail', config: { language: 'en' } })
  const { page, errors, close } = await stage.open(ZH, `/#/s/${id}`)
  await page.locator('.failure', { hasText: '模型服务返回状态码 401：Said by the service' }).waitFor()
  expect(await page.locator('.failure').innerText()).not.toContain('The model service')
  expect(errors).toEqual([])
  await close()
})

test('what to do about a budget that is used up is told in the language of the page', async () => {
  const { id } = await stage.client.sessions.create({ task: 'Tea', user: 'ann', config: { language: 'en' } })
  const other = await stage.client.sessions.create({ task: '茶', user: 'ann' })
  for (const [locale, session, words] of [
    ['zh-CN', id, '请等额度重新开始，或请管理员提高，然后重试。'],
    ['en-US', other.id, 'Try again once the budget begins anew, or have an admin raise it.'],
  ] as const) {
    const { page, close } = await stage.open({ locale }, `/#/s/${session}`)
    await page.locator('.failure', { hasText: words }).waitFor()
    await close()
  }
})

test('a sub-task that failed is told in Chinese on the board of a plan and among its steps', async ({ expect }) => {
  const refused = { status: 400, body: { error: { message: 'nobody answers' } } }
  await stage.script([says(plan('Ask the neighbour')), refused, says('Not done.')])
  const { id } = await stage.client.sessions.create({ task: 'Tea', orchestrator: 'plan', config: { language: 'en' } })
  const { page, errors, close } = await stage.open(ZH, `/#/s/${id}/plan`)
  await page.getByText('模型服务返回状态码 400：nobody answers').waitFor()
  expect(errors).toEqual([])
  await close()
})

test('a run of a workflow without inputs says what it is, and its approval is an answer in words', async ({
  expect,
}) => {
  const steps = [{ id: 'ok', type: 'wait', approval: '可以发布吗？' }]
  await stage.client.json({
    method: 'POST',
    path: '/v1/workflows',
    body: { name: 'publish', description: '发布', steps },
  })
  const { page, errors, close } = await stage.open(ZH, '/#/setup/workflows')
  const { session_id: id } = await stage.client.json<{ session_id: string }>({
    method: 'POST',
    path: '/v1/workflows/publish/run',
    body: { inputs: {} },
    headers: { prefer: 'respond-async', 'idempotency-key': crypto.randomUUID() },
  })
  await page.evaluate(`location.hash = '#/s/${id}'`)
  await page.locator('.bubble', { hasText: '运行工作流 publish' }).waitFor()
  await page.getByRole('button', { name: /^(允许|批准)$/ }).click()
  await page.locator('.end-line').waitFor()
  await page.locator('.end').getByText('已批准', { exact: true }).waitFor()
  expect(await page.locator('.long-list').innerText()).not.toContain('{')
  expect(errors).toEqual([])
  await close()
})

test('a search that finds nothing says where it looked, and leads back to all', async ({ expect }) => {
  await stage.script([says('好。')])
  await made({ task: '买茶叶' })
  const { page, errors, close } = await stage.open(ZH, '/#/')
  const entry = page.locator('.sessions li', { hasText: '买茶叶' })
  const search = page.getByRole('searchbox')
  await entry.waitFor()
  await search.fill('咖啡')
  await page.getByText('没有标题或任务包含“咖啡”。').waitFor()
  // Who has sessions is not new, whatever is looked for.
  expect(await page.locator('.hints').count()).toBe(0)
  await page.getByRole('button', { name: '显示全部会话' }).click()
  await entry.waitFor()
  expect(await search.inputValue()).toBe('')
  await search.fill('咖啡')
  await entry.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: '等你决定' }).click()
  await page.getByRole('link', { name: '新任务' }).click()
  await entry.waitFor()
  expect(await search.inputValue()).toBe('')
  expect(errors).toEqual([])
  await close()
})

test('what is opened while the server is away is read once it is back, and the word of it covers nothing', async ({
  expect,
}) => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const { page, errors, close } = await stage.open({ ...ZH, ...phone }, '/#/inbox')
  await page.locator('h1', { hasText: '等你决定' }).waitFor()
  await page.route('**/v1/**', (route) => route.abort())
  await page.evaluate(`location.hash = '#/setup/keys'`)
  await page.getByText('无法连接服务器，正在重试……').waitFor()
  const bottom = await page.locator('.unreached').evaluate((one) => one.getBoundingClientRect().bottom)
  const top = await page.locator('main .back').evaluate((one) => one.getBoundingClientRect().top)
  expect(top).toBeGreaterThanOrEqual(bottom)
  await page.locator('main').evaluate((one) => one.scrollTo(0, 1e6))
  const edge = await page.locator('main').evaluate((one) => one.getBoundingClientRect().top)
  expect(edge).toBeGreaterThanOrEqual(bottom)
  const read = page.waitForResponse((response) => response.url().includes('/v1/keys') && response.ok())
  await page.unroute('**/v1/**')
  await read
  await page.locator('.unreached').waitFor({ state: 'detached' })
  await expect.poll(() => page.locator('.problem').count()).toBe(0)
  expect(errors).toEqual([])
  await close()
})

test('a view whose script could not be read is there once the server is back, and not while one types', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open(ZH, '/#/inbox')
  await page.locator('h1', { hasText: '等你决定' }).waitFor()
  await page.context().setOffline(true)
  await page.evaluate(`location.hash = '#/spend'`)
  await page.locator('main button', { hasText: '重试' }).waitFor()
  await page.locator('.sessions [type=search]').fill('茶')
  await page.context().setOffline(false)
  await page.locator('.unreached').waitFor({ state: 'detached' })
  expect(await page.locator('.sessions [type=search]').inputValue()).toBe('茶')
  await page.locator('.sessions [type=search]').blur()
  await page.getByRole('heading', { name: '用量' }).first().waitFor()
  expect(errors).toEqual([])
  await close()
})

test('a link that is opened while the server is away is read once it is back', async () => {
  await stage.script([says('水在一百度沸腾。')])
  const id = await made({ task: '水几度沸腾？' })
  const expires = new Date(Date.now() + 60_000).toISOString()
  const { url = '' } = await stage.client.links.create(id, { scope: 'read', expires_time: expires })
  const { page, close } = await stage.open(ZH, '/docs')
  const isData = /\/(links\/|healthz)/
  await page.route(isData, (route) => (route.request().resourceType() === 'fetch' ? route.abort() : route.continue()))
  await page.goto(`${stage.url}${new URL(url).pathname}`)
  await page.getByText('无法连接服务器').waitFor()
  await page.unroute(isData)
  await page.getByText('水在一百度沸腾。').waitFor({ timeout: 10_000 })
  await close()
})

test('who decides by a link while the server is away is told that it was not done', async ({ expect }) => {
  await stage.script([calls('ask', { question: '几点开始？', options: ['六点', '七点'] })])
  const id = await made({ task: '安排聚会' })
  const expires = new Date(Date.now() + 60_000).toISOString()
  const { url = '' } = await stage.client.links.create(id, { scope: 'decide', expires_time: expires })
  const { page, close } = await stage.open(ZH, new URL(url).pathname)
  await page.getByText('几点开始？').waitFor()
  await page.route('**/links/**', (route) => route.abort())
  await page.getByRole('button', { name: '六点' }).click()
  await page.locator('.pending .problem', { hasText: '无法连接服务器。输入的内容还在，请再试一次。' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await close()
})

test('what is remembered of a user is read as it was said, and the audit quotes without spaces', async ({ expect }) => {
  await stage.script([calls('finish', { reason: `喝绿茶。${'\n再来一杯。'.repeat(40)}` })])
  await stage.client.json({ method: 'POST', path: '/v1/budgets/anna/credit', body: { tokens: 100_000 } })
  await made({ task: '早上喝什么好？', user: 'anna' })
  const { page, errors, close } = await stage.open(ZH, '/#/setup/memory')
  await page.getByLabel('用户', { exact: true }).fill('anna')
  await page.getByRole('button', { name: '查看' }).click()
  const task = page.locator('article.card', { hasText: '已完成' })
  await task.waitFor()
  expect((await task.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/^早上喝什么好？ 已完成 喝绿茶。 .*打开会话$/)
  expect(await page.locator('main').innerText()).not.toContain('{')
  expect(await seriousFaults(page)).toEqual([])
  await page.goto(`${stage.url}/#/setup/audit`)
  await page.getByText('布置了任务“早上喝什么好？”').waitFor()
  expect(errors).toEqual([])
  await close()
})

test('on a phone the columns of a log keep their words whole, and lineage stands on one line', async ({ expect }) => {
  await stage.script([calls('finish', { reason: '好的。' })])
  const id = await made({ task: '第一个会话，它的标题长得在手机上一行放不下，因此要截短' })
  const forked = await stage.client.sessions.fork(id)
  await stage.client.sessions.patch(forked.id, { metadata: { forked_from: id } })
  const phone = { ...ZH, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const { page, errors, close } = await stage.open(phone, `/#/s/${forked.id}`)
  const [title, origin] = [page.locator('.session-header h1'), page.locator('.session-header .origin')]
  await origin.waitFor()
  const [above, below] = await Promise.all([title.boundingBox(), origin.boundingBox()])
  expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0))
  expect(below?.height).toBeLessThanOrEqual(44)
  const expires = new Date(Date.now() + 60_000).toISOString()
  const shared = await stage.client.links.create(id, { scope: 'read', expires_time: expires })
  const read = await stage.open(phone, new URL(shared.url ?? '').pathname)
  const other = read.page.getByRole('button', { name: 'English' })
  await other.waitFor()
  expect((await other.boundingBox())?.height).toBeLessThanOrEqual(40)
  await read.close()
  await stage.client.callbacks.create({ name: '回声', url: `${stage.site.url}/ear`, events: ['run.completed'] })
  await page.goto(`${stage.url}/#/setup/callbacks`)
  await page.getByRole('button', { name: '发送测试' }).tap()
  await page.getByText('已送达 · 200').waitFor()
  await page.getByRole('button', { name: '投递记录' }).tap()
  const head = page.locator('.log th').first()
  await head.waitFor()
  const lines = await page.locator('.log th').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
  expect(Math.max(...lines)).toBeLessThan(40)
  expect(errors).toEqual([])
  await close()
})
