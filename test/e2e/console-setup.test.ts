import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'

const ZONE = 'Asia/Shanghai'
const DIGEST_INPUTS = {
  type: 'object',
  properties: {
    page: { type: 'string', title: 'Page' },
    most: { type: 'integer' },
    tags: { type: 'array' },
  },
  required: ['page'],
}
const DIGEST_STEPS = [{ id: 'say', type: 'set', values: { page: '{{ inputs.page }}' } }]

let stage: Stage

beforeAll(async () => {
  const price = { prompt_per_mtok: 4, completion_per_mtok: 12, currency: 'CNY' }
  stage = await startStage({ html: '<p>Water boils.</p>', price })
})
afterAll(() => stage.close())

async function opened(locale: string, part: string) {
  const window = await stage.open({ locale, timezoneId: ZONE })
  await window.page.goto(`${stage.url}/#/setup/${part}`)
  return window
}

test('what is set up is told in the words, the times and the language of who reads', async ({ expect }) => {
  const expires = new Date(Date.now() + 30 * 86_400_000)
  expires.setUTCHours(20, 30, 0, 0)
  const body = { name: 'reader', scopes: ['read', 'decide'], expires_time: expires.toISOString() }
  await stage.client.json({ method: 'POST', path: '/v1/keys', body })
  for (const [locale, may, price] of [
    ['en-US', 'read, decide', 'CNY 4.00 in, CNY 12.00 out, per million tokens'],
    ['zh-CN', '读取、决定', '每百万 Token：输入 ¥4.00，输出 ¥12.00'],
  ] as const) {
    const { page, errors, close } = await opened(locale, 'keys')
    const facts = page.locator('.resource', { hasText: 'reader' }).locator('.facts')
    await facts.getByText(may, { exact: true }).waitFor()
    const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: ZONE })
    expect((await facts.innerText()).replaceAll(/\s/g, ' ')).toContain(format.format(expires).replaceAll(/\s/g, ' '))
    await expect.poll(() => facts.innerText()).not.toMatch(/_time|scopes|\d{4}-\d\d-\d\dT/)
    await page.goto(`${stage.url}/#/setup/models`)
    await page.locator('.facts', { hasText: price }).first().waitFor()
    await page.goto(`${stage.url}/#/setup/skills`)
    const { data } = await stage.client.json<{ data: { description: string }[] }>({
      path: '/v1/skills',
      query: { language: locale },
    })
    await page.getByText(data[0]?.description ?? '', { exact: true }).waitFor()
    expect(await seriousFaults(page)).toEqual([])
    expect(errors).toEqual([])
    await close()
  }
})

test('all that is remembered of a user is shown, page by page', async ({ expect }) => {
  const { memory, sessions } = stage.client
  await stage.script([{ content: 'Done.', repeat: true }])
  const numbers = Array.from({ length: 21 }, (_, index) => index)
  await Promise.all(numbers.map((one) => memory.setPreference('ada', `likes ${one}`, 'yes')))
  await Promise.all(
    numbers.map((one) => sessions.begin({ task: `Task ${one}`, user: 'ada' }, { key: crypto.randomUUID() })),
  )
  const remembered = async () => (await memory.tasks('ada', { limit: 100 })).data.length
  await expect.poll(remembered, { timeout: 60_000 }).toBe(numbers.length)
  const { page, close } = await opened('en-US', 'memory')
  await page.getByLabel('User', { exact: true }).fill('ada')
  await page.keyboard.press('Enter')
  await page.locator('.card').first().waitFor()
  const shown = () => page.locator('.card').count()
  expect(await shown()).toBe(21 + 20 + 20)
  const more = page.getByRole('button', { name: 'Show more' })
  await more.first().click()
  await expect.poll(shown).toBe(21 + 21 + 20)
  await more.click()
  await expect.poll(shown).toBe(21 + 21 + 21)
  expect(await more.count()).toBe(0)
  await close()
})

test('a skill is added as a file, and what of it does not work is said', async ({ expect }) => {
  const main = '---\nname: brand\ndescription: Writes.\nallowed-tools: Bash\n---\nWrite.'
  const zip = zipSync({ 'brand/SKILL.md': strToU8(main), 'brand/scripts/count.py': strToU8('print(1)') })
  for (const [locale, scripts, name] of [
    ['en-US', 'scripts are not run here', 'brand'],
    ['zh-CN', '不会运行脚本', 'pinpai'],
  ] as const) {
    const { page, errors, close } = await opened(locale, 'skills')
    const isZip = name === 'brand'
    const buffer = Buffer.from(isZip ? zip : strToU8(main.replace('name: brand', `name: ${name}`)))
    const file = isZip ? 'brand.zip' : 'SKILL.md'
    await page.locator('input[type=file]').setInputFiles({ name: file, mimeType: '', buffer })
    await page.locator('.resource', { hasText: name }).locator('.facts', { hasText: 'Bash' }).waitFor()
    await page.locator('.facts', { hasText: scripts }).waitFor()
    expect(await seriousFaults(page)).toEqual([])
    expect(errors).toEqual([])
    await close()
  }
})

test('what is no skill, and a prompt that is no template, say what is wrong and what to do', async ({ expect }) => {
  for (const [locale, zip, unclosed] of [
    [
      'en-US',
      'a zip of the folder of a skill, or its SKILL.md alone: this file is neither',
      '{{ at character 7 is not closed: write }} behind the name, as in {{user_input}}.',
    ],
    [
      'zh-CN',
      '应为技能文件夹的 zip，或单独的 SKILL.md：此文件两者都不是',
      '第 7 个字符处的 {{ 没有闭合：请在名称之后写上 }}，例如 {{user_input}}。',
    ],
  ] as const) {
    const { page, errors, close } = await opened(locale, 'skills')
    const buffer = Buffer.from('\x89PNG')
    await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
    await page.locator('.problem', { hasText: zip }).waitFor()
    await page.getByRole('button', { name: /^(New|新建)$/ }).click()
    await page.getByLabel(/^(Name|名称)/).fill('greeter')
    await page.getByLabel(/^(Description|说明)/).fill('Greets.')
    await page.getByLabel(/^(Prompt|提示词)/).fill('Greet {{user_input')
    await page.getByRole('button', { name: /^(Save|保存)$/ }).click()
    await page.locator('.field.wrong .field-problem', { hasText: unclosed }).waitFor()
    expect(errors).toEqual([])
    await close()
  }
})

test('a part of the set-up that there is not is said to be none', async () => {
  const { page, close } = await opened('en-US', 'foo')
  await page.getByText('There is no such page.').waitFor()
  await close()
})

test('times of a schedule are those of its zone, which is said where it is another than that of the browser', async ({
  expect,
}) => {
  const name = 'at nine'
  for (const [locale, zone, times] of [
    ['en-US', 'America/New_York', /By the clocks of America\/New_York:\n\w+ \d+, \d{4}, 9:00\sAM\n/],
    ['zh-CN', 'America/New_York', /按时区 America\/New_York：\n\d{4}年\d+月\d+日 09:00\n/],
    ['en-US', ZONE, /^\w+ \d+, \d{4}, 9:00\sAM\n/],
  ] as const) {
    const made = await stage.client.schedules.create({ name, task: 'Look', cron: '0 9 * * *', timezone: zone })
    await stage.client.schedules.run(made.id)
    const { due_time: due } = (await stage.client.schedules.runs(made.id)).data[0] ?? { due_time: '' }
    const { page, errors, close } = await opened(locale, 'schedules')
    const card = page.locator('.resource', { hasText: name })
    await card.getByRole('button', { name: /Run log|运行记录/ }).click()
    const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
    const log = card.locator('.log table')
    await log.getByText(format.format(new Date(due)).replaceAll(/\s/g, ' ')).waitFor()
    expect((await log.locator('thead').innerText()).includes(zone)).toBe(zone !== ZONE)
    await card.getByRole('button', { name: /Next runs|接下来的运行/ }).click()
    await expect.poll(() => card.locator('.act-row pre').innerText()).toMatch(times)
    expect((await card.locator('.facts').innerText()).includes(`09:00（${zone}）`)).toBe(locale === 'zh-CN')
    await card.getByRole('button', { name: /Edit|修改/ }).click()
    await card.locator('.form.card select').first().selectOption('at')
    const hint = /In the time zone of this browser, Asia\/Shanghai|按此浏览器的时区 Asia\/Shanghai/
    expect(await card.locator('.hint', { hasText: hint }).count()).toBe(zone === ZONE ? 0 : 1)
    expect(await seriousFaults(page)).toEqual([])
    expect(errors).toEqual([])
    await close()
    await stage.client.schedules.delete(made.id)
  }
})

test('what runs later is told the language of the page that made it, until another is chosen', async ({ expect }) => {
  const configs = async (part: string) =>
    (await stage.client.json<{ data: { name: string; config: unknown }[] }>({ path: `/v1/${part}` })).data.flatMap(
      ({ name, config }) => (name === 'spoken' ? [config] : []),
    )
  for (const part of ['schedules', 'webhooks']) {
    const english = await opened('en-US', part)
    const { page } = english
    await page.getByRole('button', { name: 'New', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('spoken')
    await page.getByLabel(/^Task/).fill('Look')
    await expect.poll(() => page.getByRole('combobox', { name: 'Language' }).inputValue()).toBe('en')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.form.card').waitFor({ state: 'detached' })
    expect(await configs(part)).toEqual([{ language: 'en' }])
    await english.close()

    const chinese = await opened('zh-CN', part)
    const card = chinese.page.locator('.resource', { hasText: 'spoken' })
    const change = async (act: () => Promise<unknown>) => {
      await card.getByRole('button', { name: '修改' }).click()
      await act()
      await card.getByRole('button', { name: '保存' }).click()
      await card.locator('.form.card').waitFor({ state: 'detached' })
    }
    await change(() => card.getByLabel('任务').fill('看看'))
    expect(await configs(part)).toEqual([{ language: 'en' }])
    await change(() => card.getByRole('combobox', { name: '语言' }).selectOption('中文'))
    expect(await configs(part)).toEqual([{ language: 'zh-CN' }])
    await change(() => card.getByRole('combobox', { name: '语言' }).selectOption('服务默认'))
    expect(await configs(part)).toEqual([{}])
    expect(await seriousFaults(chinese.page)).toEqual([])
    expect([...english.errors, ...chinese.errors]).toEqual([])
    await chinese.close()
  }
})

test('a key, a schedule, a webhook and a callback are made by their fields, and what is written outlives a reload', async ({
  expect,
}) => {
  const { page, errors, close } = await opened('en-US', 'keys')
  const begin = async (part: string) => {
    await page.goto(`${stage.url}/#/setup/${part}`)
    await page.getByRole('button', { name: 'New', exact: true }).click()
  }
  const field = (name: string) => page.locator('.form.card').getByLabel(name, { exact: true })
  const choice = (name: string) => page.locator('.form.card').getByRole('combobox', { name })
  const made = async (part: string, name: string) => {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.form.card').waitFor({ state: 'detached' })
    const { data } = await stage.client.json<{ data: Record<string, unknown>[] }>({ path: `/v1/${part}` })
    return data.find((entry) => entry['name'] === name)
  }
  await begin('keys')
  await field('Name').fill('half a')
  await page.reload()
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await expect.poll(() => field('Name').inputValue()).toBe('half a')
  await field('Name').fill('watcher')
  await field('run tasks').uncheck()
  await field('Expires').fill('2030-01-31T09:30')
  expect(await seriousFaults(page)).toEqual([])
  expect(await made('keys', 'watcher')).toMatchObject({
    scopes: ['read', 'decide'],
    expires_time: '2030-01-31T01:30:00.000Z',
  })
  await begin('keys')
  await expect.poll(() => field('Name').inputValue()).toBe('')

  await begin('schedules')
  await field('Name').fill('half-hourly')
  await choice('When').selectOption('At an interval')
  await field('Every (minutes)').fill('30')
  await field('Task').fill('Look around')
  await choice('Session').selectOption('always the same')
  await choice('Skill').selectOption('translate')
  expect(await made('schedules', 'half-hourly')).toMatchObject({
    every_ms: 1_800_000,
    task: 'Look around',
    session: 'same',
    skill: 'translate',
  })
  const halfHourly = page.locator('.resource', { hasText: 'half-hourly' })
  const edit = halfHourly.getByRole('button', { name: 'Edit' })
  await edit.click()
  await field('Task').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.field.wrong', { hasText: 'Task' }).getByText('This field is required.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.form.card').waitFor({ state: 'detached' })
  await edit.click()
  await expect.poll(() => field('Task').inputValue()).toBe('Look around')
  await choice('Skill').selectOption('none')
  await choice('Team').selectOption('debate')
  await field('Every (minutes)').fill('45')
  expect(await made('schedules', 'half-hourly')).toMatchObject({
    every_ms: 2_700_000,
    task: 'Look around',
    skill: null,
    team: { name: 'debate' },
  })

  const digest = { name: 'digest', description: 'Digests.', inputs: DIGEST_INPUTS, steps: DIGEST_STEPS }
  await stage.client.json({ method: 'POST', path: '/v1/workflows', body: digest })
  await begin('schedules')
  await field('Name').fill('each morning')
  await field('Task').fill('Digest')
  await choice('Workflow').selectOption('digest')
  await field('Page *').fill('https://example.com')
  await field('most').fill('3')
  expect(await seriousFaults(page)).toEqual([])
  const inputs = { page: 'https://example.com', most: 3 }
  expect(await made('schedules', 'each morning')).toMatchObject({ workflow: 'digest', inputs })

  await begin('webhooks')
  await field('Name').fill('on each push')
  await choice('Signature').selectOption('Bearer token')
  await field('Task for each delivery').fill('')
  await choice('Skill').selectOption('translate')
  await choice('Workflow').selectOption('digest')
  await choice('Skill').waitFor({ state: 'detached' })
  await field('Page *').fill('{{body.page}}')
  await field('most').fill('{{body.most}}')
  await field('tags').fill('["a"]')
  expect(await made('webhooks', 'on each push')).toMatchObject({
    workflow: 'digest',
    inputs: { page: '{{body.page}}', most: '{{body.most}}', tags: ['a'] },
  })

  await begin('webhooks')
  await field('Name').fill('door')
  await choice('Signature').selectOption('Bearer token')
  await field('Task for each delivery').fill('Greet {{body.who}}')
  expect(await seriousFaults(page)).toEqual([])
  expect(await made('webhooks', 'door')).toMatchObject({ scheme: 'bearer', task_template: 'Greet {{body.who}}' })

  await begin('callbacks')
  await field('Name').fill('ear')
  await field('Address').fill(`${stage.site.url}/ear`)
  await field('waiting').check()
  await choice('Format').selectOption('Slack')
  expect(await made('callbacks', 'ear')).toMatchObject({
    events: ['run.completed', 'run.interrupted'],
    template: 'slack',
  })
  expect(errors).toEqual([])
  await close()
})
