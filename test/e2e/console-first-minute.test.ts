import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, smallTargets, startStage, type Stage } from '../support/console.ts'
import { calls, startScriptedModel, type MockModel } from '../support/scripted-model.ts'

const KEY = 'sk-canary-of-the-first-minute-83d1'
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

let service: MockModel
let stage: Stage

beforeAll(async () => {
  service = await startScriptedModel({ script: [] })
  stage = await startStage({
    html: '<h1>Facts</h1>',
    config: {
      models: {},
      default_model: 'built-in',
      web: { allow_private_hosts: [new URL(service.url).host] },
    },
  })
})
afterAll(async () => {
  await stage.close()
  await service.close()
})

const script = (steps: unknown) =>
  fetch(new URL('/script', service.url), { method: 'POST', body: JSON.stringify(steps) })

test('on a phone in the dark, in Chinese, the card to connect a model is below where a task is given', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open({ ...PHONE, colorScheme: 'dark', locale: 'zh-CN' }, '/#/')
  await page.locator('.connect-model').waitFor()
  const field = await page.locator('.new-task textarea').boundingBox()
  const card = await page.locator('.connect-card').boundingBox()
  expect(field?.y).toBeLessThan(card?.y ?? 0)
  await page.getByLabel('服务商').selectOption('deepseek')
  expect(await page.locator('.connect-model').getByLabel('模型 *').inputValue()).toBe('deepseek-v4-pro')
  await page.getByText('密钥会加密保存，只发往 https://api.deepseek.com。').waitFor()
  await page.getByRole('button', { name: '保存并使用' }).tap()
  await page.locator('.field-problem').getByText('此项必填。').waitFor()
  expect(await smallTargets(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await seriousFaults(page)).toEqual([])
  await page.locator('.connect-card summary').tap()
  await page.locator('.connect-model').waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: '接入其他程序' }).waitFor()
  expect(errors).toEqual([])
  await close()
})

/** What the server keeps of models and their keys. */
const kept = async () => {
  const { settings } = await stage.client.settings.get()
  return { models: settings['models'], connections: (await stage.client.connections.list()).data }
}

test('a test of a model changes nothing that is there, and says in words why it does not answer', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open({ locale: 'zh-CN' }, '/#/')
  const origin = new URL(service.url).origin
  for (const name of ['model-other', 'other']) await stage.client.connections.create({ name, origin, secret: 'works' })
  const before = await kept()
  const card = page.locator('.connect-model')
  await expect.poll(() => card.getByLabel('服务商').locator('option').count()).toBe(12)
  await card.getByLabel('服务商').selectOption('other')
  await card.getByRole('button', { name: '测试' }).click()
  await card.locator('.field.wrong').nth(1).waitFor()
  await card.getByLabel('模型 *').fill('other')
  await card.getByLabel('地址').fill('localhost:4990/v1')
  expect(await card.innerText()).not.toContain('null')
  await card.getByLabel('API 密钥').fill(KEY)
  await card.getByRole('button', { name: '测试' }).click()
  await card.locator('.field-problem').getByText('需要完整的地址，例如 https://example.com。').waitFor()

  await card.getByLabel('地址').fill(service.url)
  await script([{ status: 401 }, { status: 401 }])
  for (const button of ['测试', '保存并使用']) {
    await card.getByRole('button', { name: button }).click()
    await card.getByRole('alert').getByText('该服务不接受这个密钥').waitFor()
    expect(await card.innerText()).not.toContain('model_')
    await card.getByLabel('API 密钥').fill(`${KEY}2`)
    await card.getByRole('alert').waitFor({ state: 'detached' })
  }
  expect(await kept()).toEqual(before)
  await card.getByLabel('服务商').selectOption('moonshot')
  expect(await card.getByLabel('API 密钥').inputValue()).toBe('')
  for (const name of ['model-other', 'other']) await stage.client.connections.delete(name)
  expect(errors).toEqual([])
  await close()
})

test('a model on this machine is connected once its host is allowed, which is done beside it', async ({ expect }) => {
  const own = await startScriptedModel({ script: [calls('finish', { reason: 'ok' })] })
  const { page, errors, close } = await stage.open({ locale: 'zh-CN', ...PHONE }, '/#/')
  const card = page.locator('.connect-model')
  await card.getByLabel('服务商').selectOption('ollama')
  expect(await card.getByLabel('API 密钥').count()).toBe(0)
  await card.getByLabel('地址').fill(own.url)
  await card.getByRole('button', { name: '测试' }).tap()
  await card.locator('.field-problem').getByText('请先在下方允许访问').waitFor()
  await card.getByRole('button', { name: `允许访问 ${new URL(own.url).host}` }).tap()
  await card.locator('.field-problem').waitFor({ state: 'detached' })
  await card
    .getByRole('status')
    .getByText(`已允许访问 ${new URL(own.url).host}。`)
    .waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('submit')
  await card.getByRole('button', { name: '测试' }).tap()
  await card.getByText('后收到回答').waitFor()
  const { settings } = await stage.client.settings.get()
  expect(settings['web']).toEqual({ allow_private_hosts: [new URL(service.url).host, new URL(own.url).host] })
  expect(errors).toEqual([])
  await close()
  await own.close()
})

test('below what the built-in model answers is the way to the form that connects another', async ({ expect }) => {
  for (const [locale, way, says, add] of [
    ['en-US', 'Connect a model', 'Set-up → Models → Add a model', 'Add a model'],
    ['zh-CN', '接入模型', '设置 → 模型 → 添加模型', '添加模型'],
  ] as const) {
    const { page, errors, close } = await stage.open({ ...PHONE, locale }, '/#/new')
    await page.locator('.new-task textarea').fill(locale === 'en-US' ? 'How hot is tea?' : '茶有多热？')
    await page.locator('.new-task button[type=submit]').tap()
    await page.locator('.session').getByText(says).waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await page.getByRole('link', { name: way }).tap()
    await page.getByRole('button', { name: add }).waitFor()
    expect(errors).toEqual([])
    await close()
  }
  const { data } = await stage.client.sessions.list()
  for (const { id } of data) await stage.client.sessions.delete(id)
})

test('with the built-in model alone, one is connected with its key, tried, priced, and answers the next task', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open({}, '/#/')
  const card = page.locator('.connect-model')
  expect(await page.locator('.hints button').first().innerText()).toContain('https://example.com')
  await card.getByLabel('Provider').selectOption('other')
  await card.getByLabel('Model *').fill('gpt-of-tests')
  await card.getByLabel('Address').fill('https://no-such-host.invalid/v1')
  await card.getByLabel('API key').fill(KEY)
  await card.getByRole('button', { name: 'Test' }).press('Enter')
  await card.getByRole('alert').getByText('The service cannot be reached. Check the address').waitFor()
  expect(await seriousFaults(page)).toEqual([])

  await card.getByLabel('Address').fill(service.url)
  await script([calls('finish', { reason: 'ok' })])
  await card.getByRole('button', { name: 'Test' }).click()
  await card.getByText(/It answered in [\d.]+ m?s\./).waitFor()
  expect(JSON.stringify(service.requests.at(-1)?.headers)).toContain(KEY)
  expect((await stage.client.models()).data.find((one) => one.default)).toMatchObject({ provider: 'built-in' })

  await card.getByLabel('API key').press('Enter')
  await card.getByText(/gpt-of-tests answers from now on\. Its price is not known here/).waitFor()
  expect(await card.getByText('So far only the built-in model answers').count()).toBe(0)
  expect((await stage.client.models()).data.find((one) => one.default)).toMatchObject({ id: 'gpt-of-tests' })
  expect(await card.getByLabel('API key').inputValue()).toBe('')
  await expect.poll(() => page.locator('.hints button').nth(1).innerText()).toContain('bread')

  await script([calls('finish', { reason: 'Tea is **hot**.' })])
  await page.locator('.new-task textarea').fill('How hot is tea?')
  await page.locator('.new-task textarea').press('Enter')
  await page.getByText('Tea is hot.').waitFor()
  const found = await page.evaluate<unknown>('[document.body.innerText, { ...localStorage }, { ...sessionStorage }]')
  const settings = await stage.client.settings.get()
  const connections = await stage.client.connections.list()
  expect(JSON.stringify([found, settings, connections])).not.toContain(KEY)
  expect(connections.data).toMatchObject([{ name: 'model-gpt-of-tests', origin: new URL(service.url).origin }])
  expect(errors).toEqual([])
  await close()
})
