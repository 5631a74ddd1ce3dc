import { resolve } from 'node:path'
import { build } from 'esbuild'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startStage, type Stage } from '../../../support/console.ts'
import { calls, says } from '../../../support/scripted-model.ts'
import { type ScriptPage, startScriptPage } from '../../../support/script-page.ts'

let stage: Stage
let site: ScriptPage
beforeAll(async () => {
  site = await startScriptPage()
  site.run(await pageScript())
  stage = await startStage({ html: '<p>Water boils at 100 °C.</p>', config: { cors: { origins: [site.origin] } } })
})
afterAll(async () => {
  await stage.close()
  await site.close()
})

/** The page of another origin, with React as it is when one develops: it mounts all twice, and says what is wrong. */
async function pageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [resolve('test/support/react/chat.tsx')],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    jsxDev: true,
    define: { 'process.env.NODE_ENV': '"development"' },
  })
  return outputFiles[0]?.text ?? ''
}

interface Opened {
  page: Page
  context: BrowserContext
  /** What the console of the page said, and scripts that broke. */
  faults: string[]
}

let chats = 0
async function opened(key = stage.key, { id = `page ${++chats}/中`, more = '' } = {}): Promise<Opened> {
  const context = await stage.browser.newContext()
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/status of|ERR_/.test(message.text()))
      faults.push(message.text())
  })
  await page.goto(
    `${site.url}?server=${encodeURIComponent(stage.url)}&key=${key}${more}#${id.replaceAll(/[ /]/g, '-')}`,
  )
  return { page, context, faults }
}

async function send({ page }: Opened, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

const click = ({ page }: Opened, name: string) => page.getByRole('button', { name }).click()
const status = ({ page }: Opened, word: string) => page.locator('.status', { hasText: word }).waitFor()
const answer = ({ page }: Opened, text: string | RegExp) =>
  page.locator('li.assistant .text', { hasText: text }).waitFor()
const texts = ({ page }: Opened) => page.locator('li .text').allInnerTexts()

describe('useChat in a page of another origin', () => {
  test('shows words as they come, and goes on in its chat', async ({ expect }) => {
    await stage.script([
      { content: 'Water boils at one hundred.', chunks: ['Water ', 'boils ', 'at one ', 'hundred.'], hold_after: 3 },
      says('At 212.'),
    ])
    const all = await opened()
    await send(all, 'Tell me')
    await answer(all, /^Water boils/)
    await status(all, 'streaming')
    await stage.release()
    await answer(all, 'Water boils at one hundred.')
    await status(all, 'ready')
    await send(all, 'And in Fahrenheit?')
    await answer(all, 'At 212.')
    await expect
      .poll(() => texts(all))
      .toEqual(['Tell me', 'Water boils at one hundred.', 'And in Fahrenheit?', 'At 212.'])
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('approves and refuses', async ({ expect }) => {
    const visit = calls('web_access', { url: stage.site.url })
    await stage.script([visit, says('It boils.'), visit, says('Then not.')])
    const all = await opened()
    await send(all, 'Read it')
    await click(all, 'Approve')
    await answer(all, 'It boils.')
    await status(all, 'ready')
    const before = stage.site.hits.length
    await send(all, 'Read it again')
    await click(all, 'Refuse')
    await answer(all, 'Then not.')
    await expect.poll(() => all.page.locator('.tool').allInnerTexts()).toEqual(['output-available', 'output-denied'])
    expect([stage.site.hits.length - before, all.faults]).toEqual([0, []])
    await all.context.close()
  })

  test('runs the tools of the page, each call once', async ({ expect }) => {
    const ask = (kettle: string) => calls('read_kettle', { kettle })
    await stage.script([ask('blue'), says('It boils.'), ask('broken'), says('There is none.')])
    const all = await opened()
    await send(all, 'Look at my kettle')
    await answer(all, 'It boils.')
    await status(all, 'ready')
    await send(all, 'And at the other')
    await answer(all, 'There is none.')
    await expect.poll(() => all.page.locator('.read').innerText()).toBe('blue broken')
    await expect.poll(() => all.page.locator('.tool').allInnerTexts()).toEqual(['output-available', 'output-error'])
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('goes on after a reload in mid-stream, and after the server was killed', async ({ expect }) => {
    const counts = { content: 'One two three.', chunks: ['One ', 'two ', 'three.'], hold_after: 2 }
    await stage.script([counts, says('After all.')])
    const all = await opened()
    await send(all, 'Count')
    await answer(all, /^One/)
    await all.page.reload()
    await status(all, 'streaming')
    await answer(all, /^One/)
    await stage.release()
    await answer(all, 'One two three.')
    await status(all, 'ready')
    await stage.restart()
    await send(all, 'And now?')
    await answer(all, 'After all.')
    await expect.poll(() => texts(all)).toEqual(['Count', 'One two three.', 'And now?', 'After all.'])
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('sees the call that waits again after a reload', async ({ expect }) => {
    await stage.script([calls('web_access', { url: stage.site.url }), says('It boils.')])
    const all = await opened()
    await send(all, 'Read it')
    await all.page.getByRole('button', { name: 'Approve' }).waitFor()
    await all.page.evaluate(() => sessionStorage.clear())
    await all.page.reload()
    await click(all, 'Approve')
    await answer(all, 'It boils.')
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('begins with what the server has, on another machine', async ({ expect }) => {
    const id = 'page on two machines/中'
    await stage.script([says('At 100.'), calls('web_access', { url: stage.site.url }), says('It boils.')])
    const one = await opened(stage.key, { id })
    await send(one, '水在几度沸腾？')
    await answer(one, 'At 100.')
    await status(one, 'ready')
    await send(one, 'Read it')
    await one.page.getByRole('button', { name: 'Approve' }).waitFor()
    const two = await opened(stage.key, { id, more: '&load=1' })
    await click(two, 'Approve')
    await answer(two, 'It boils.')
    await expect.poll(() => texts(two)).toEqual(['水在几度沸腾？', 'At 100.', 'Read it', 'It boils.'])
    expect(two.faults).toEqual([])
    await Promise.all([one.context.close(), two.context.close()])
  })

  test('stops, and answers anew', async ({ expect }) => {
    await stage.script([{ content: 'Never ends.', chunks: ['Never ', 'ends', '.'], hold_after: 2 }, says('Anew.')])
    const all = await opened()
    await send(all, 'Go')
    await answer(all, /^Never/)
    await click(all, 'Stop')
    await status(all, 'ready')
    await stage.release()
    await click(all, 'Regenerate')
    await answer(all, 'Anew.')
    await expect.poll(() => texts(all)).toEqual(['Go', 'Anew.'])
    const newest = async () => (await stage.client.sessions.list({ limit: 2 })).data.map((one) => one.status)
    await expect.poll(newest).toEqual(['completed', 'cancelled'])
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('shows why there is no answer', async ({ expect }) => {
    await stage.script([{ status: 401 }])
    const all = await opened()
    await send(all, 'Tell me')
    await status(all, 'error')
    await expect.poll(() => all.page.locator('.error').innerText()).not.toBe('')
    const wrong = await opened('yaa_default_wrong-key-wrong-key')
    await wrong.page.locator('.error', { hasText: 'unauthorized' }).waitFor()
    await Promise.all([all.context.close(), wrong.context.close()])
  })
})
