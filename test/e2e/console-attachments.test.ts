import { afterAll, beforeAll, test } from 'vitest'
import { toBase64 } from '../../src/lib/base64.ts'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'
import { PNG_URL } from '../support/small-image.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>', config: {} })
})
afterAll(() => stage.close())

test('a message shows its image as it looks and another file by name and size, to be downloaded', async ({
  expect,
}) => {
  await stage.script([calls('finish', { reason: 'A dot' })])
  const content = [
    { type: 'text' as const, text: 'What are these?' },
    { type: 'image' as const, image_url: PNG_URL, name: 'dot.png' },
    { type: 'file' as const, data: toBase64(new Uint8Array([0, 1, 2])), name: 'raw.bin' },
  ]
  const { id } = await stage.client.sessions.create({ task: content })
  const { page, errors, close } = await stage.open({}, `/#/s/${id}`)
  const said = page.locator('article.said')
  await said.first().waitFor()
  await said.getByRole('img', { name: 'dot.png' }).waitFor()
  expect(await said.locator('.bubble').textContent()).toBe('What are these?')
  const size = `(() => { const image = document.querySelector('.attachments img'); return [image.naturalWidth, image.src.startsWith('blob:')] })()`
  expect(await page.evaluate(size)).toEqual([1, true])
  const download = page.waitForEvent('download')
  await said.getByRole('button', { name: 'raw.bin 3 B' }).click()
  expect((await download).suggestedFilename()).toBe('raw.bin')
  expect(await seriousFaults(page)).toEqual([])
  expect(errors).toEqual([])
  await close()
})
