import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
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
      web: { allow_private_hosts: [new URL(service.url).host, '127.0.0.1:1'] },
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
  expect(await page.getByLabel('模型', { exact: true }).last().inputValue()).toBe('deepseek-flash')
  expect(await page.getByRole('button', { name: '保存并使用' }).isDisabled()).toBe(true)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await seriousFaults(page)).toEqual([])
  await page.locator('.connect-card summary').tap()
  await page.locator('.connect-model').waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: '接入其他程序' }).waitFor()
  expect(errors).toEqual([])
  await close()
})

test('with the built-in model alone, one is connected with its key, tried, priced, and answers the next task', async ({
  expect,
}) => {
  const { page, errors, close } = await stage.open({}, '/#/')
  const card = page.locator('.connect-model')
  expect(await page.locator('.hints button').first().innerText()).toContain('https://example.com')
  await card.getByLabel('Provider').selectOption('my-model')
  await card.getByLabel('Model').fill('gpt-of-tests')
  await card.getByLabel('Address').fill('http://127.0.0.1:2/v1')
  await card.getByLabel('API key').fill(KEY)
  await card.getByRole('button', { name: 'Test' }).press('Enter')
  await card.getByRole('alert').getByText('This address is on a private network.').waitFor()
  await card.getByLabel('Address').fill('http://127.0.0.1:1/v1')
  await card.getByRole('button', { name: 'Test' }).press('Enter')
  await card.getByRole('alert').getByText('The service cannot be reached. Check the address').waitFor()
  expect(await card.innerText()).not.toContain('model_unreachable')
  expect(await seriousFaults(page)).toEqual([])
  await card.getByRole('button', { name: 'Save and use' }).press('Enter')
  await card.getByRole('alert').getByText('Saved, but not in use yet: the model does not answer.').waitFor()
  expect(await card.getByText('answers from now on').count()).toBe(0)
  expect((await stage.client.models()).data.find((one) => one.default)).toMatchObject({ provider: 'built-in' })

  await card.getByLabel('Address').fill(service.url)
  await script([calls('finish', { reason: 'ok' })])
  await card.getByRole('button', { name: 'Test' }).click()
  await card.getByText(/It answered in \d+ ms\. Its price is not known here/).waitFor()
  expect(JSON.stringify(service.requests.at(-1)?.headers)).toContain(KEY)
  expect((await stage.client.models()).data.find((one) => one.default)).toMatchObject({ provider: 'built-in' })

  await card.getByLabel('API key').press('Enter')
  await card.getByText('my-model answers from now on.').waitFor()
  expect((await stage.client.models()).data.find((one) => one.default)).toMatchObject({ id: 'my-model' })
  expect(await card.getByLabel('API key').inputValue()).toBe('')
  await expect.poll(() => page.locator('.hints button').nth(1).innerText()).toContain('bread')

  await script([calls('finish', { reason: 'Tea is **hot**.' })])
  await page.locator('.new-task textarea').fill('How hot is tea?')
  await page.locator('.new-task textarea').press('Enter')
  await page.getByText('Tea is hot.').waitFor()
  const kept = await page.evaluate<unknown>('[document.body.innerText, { ...localStorage }, { ...sessionStorage }]')
  const settings = await stage.client.settings.get()
  const connections = await stage.client.connections.list()
  expect(JSON.stringify([kept, settings, connections])).not.toContain(KEY)
  expect(connections.data).toMatchObject([{ name: 'my-model', origin: new URL(service.url).origin }])
  expect(errors).toEqual([])
  await close()
})
