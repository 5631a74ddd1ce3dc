import { afterAll, beforeAll, test } from 'vitest'
import { startStage, type Stage } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>' })
})
afterAll(() => stage.close())

const CHART = '```mermaid\ngraph LR\n  A[Heat] --> B[Steam]\n```'
/** Whether a chart has a point in the colour of what is marked in the page. */
const HAS_OWN_COLOUR = `(() => {
  const probe = document.body.appendChild(document.createElement('i'))
  probe.style.color = 'var(--accent-bg)'
  const wanted = getComputedStyle(probe).color.match(/\\d+/g).map(Number)
  probe.remove()
  const image = document.querySelector('.chart img')
  if (!image?.complete) return false
  const canvas = Object.assign(document.createElement('canvas'), { width: image.naturalWidth, height: image.naturalHeight })
  const at = canvas.getContext('2d')
  at.drawImage(image, 0, 0)
  const { data } = at.getImageData(0, 0, canvas.width, canvas.height)
  for (let index = 0; index < data.length; index += 4)
    if (wanted.every((value, part) => Math.abs(data[index + part] - value) < 3) && data[index + 3] === 255) return true
  return false
})()`

test('a chart has the colours of the page, and those of the dark once the page is dark', async ({ expect }) => {
  await stage.script([calls('finish', { reason: CHART })])
  const { id } = await stage.client.sessions.create({ task: 'Draw it' })
  const { page, errors, close } = await stage.open({ colorScheme: 'light' }, `/#/s/${id}`)
  await page.locator('.chart img').waitFor()
  await expect.poll(() => page.evaluate(HAS_OWN_COLOUR)).toBe(true)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(() => page.evaluate(HAS_OWN_COLOUR)).toBe(true)
  expect(errors).toEqual([])
  await close()
})
