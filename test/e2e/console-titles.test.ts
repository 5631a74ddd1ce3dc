import { afterAll, beforeAll, test } from 'vitest'
import { giveTask, startStage, type Stage } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>', config: { titles: 'model' } })
})
afterAll(() => stage.close())

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
