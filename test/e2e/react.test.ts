import { resolve } from 'node:path'
import { build } from 'esbuild'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startStage, type Stage } from '../support/console.ts'
import { type ScriptPage, startScriptPage } from '../support/script-page.ts'
import { calls, says } from '../support/scripted-model.ts'

let stage: Stage
let page: ScriptPage
beforeAll(async () => {
  page = await startScriptPage()
  page.run(await pageScript())
  stage = await startStage({ html: '<p>Water boils at 100 °C.</p>', config: { cors: { origins: [page.origin] } } })
})
afterAll(async () => {
  await stage.close()
  await page.close()
})

/** The page with React as it is when one develops: it mounts all twice, and says what is wrong. */
async function pageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [resolve('test/support/react/page.tsx')],
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
  /** What the console of the page said, and scripts that broke. */
  faults: string[]
  /** Event streams that were asked for, and of these those that are still open. */
  streams: string[]
  open: Set<Request>
  one: ReturnType<Page['getByLabel']>
  two: ReturnType<Page['getByLabel']>
  context: BrowserContext
}

async function opened(hash = '', key = stage.key): Promise<Opened> {
  const context = await stage.browser.newContext()
  const window = await context.newPage()
  const faults: string[] = []
  const streams: string[] = []
  const open = new Set<Request>()
  window.on('pageerror', (error) => faults.push(error.message))
  window.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/status of|ERR_/.test(message.text()))
      faults.push(message.text())
  })
  window.on('request', (request) => {
    if (!request.url().endsWith('/events') || request.method() !== 'GET') return
    streams.push(request.url())
    open.add(request)
  })
  window.on('requestfinished', (request) => open.delete(request))
  window.on('requestfailed', (request) => open.delete(request))
  await window.goto(`${page.url}?server=${encodeURIComponent(stage.url)}&key=${key}#${hash}`)
  const [one, two] = [window.getByLabel('one'), window.getByLabel('two')]
  return { page: window, faults, streams, open, one, two, context }
}

async function send({ page: window }: Opened, text: string): Promise<void> {
  await window.getByLabel('Message').fill(text)
  await window.getByRole('button', { name: 'Send' }).click()
}

const status = (section: Opened['one'], word: string) => section.locator('.status', { hasText: word }).waitFor()
const answer = (section: Opened['one'], text: string | RegExp) =>
  section.locator('li.assistant', { hasText: text }).waitFor()

describe('the hooks in a page of React', () => {
  test('make a session, show words as they come, in two components over one stream', async ({ expect }) => {
    const held = {
      content: 'Water boils at one hundred.',
      chunks: ['Water ', 'boils ', 'at one ', 'hundred.'],
      hold_after: 3,
    }
    await stage.script([held])
    const all = await opened()
    await send(all, 'Tell me')
    await all.one.locator('li.assistant[aria-busy=true]', { hasText: /^Water boils/ }).waitFor()
    await all.two.locator('li.assistant[aria-busy=true]', { hasText: /^Water boils/ }).waitFor()
    await status(all.one, 'in_progress')
    await stage.release()
    await answer(all.one, 'Water boils at one hundred.')
    await status(all.two, 'completed')
    await expect.poll(() => all.one.locator('li').allInnerTexts()).toEqual(['Tell me', 'Water boils at one hundred.'])
    await expect.poll(() => all.two.locator('li').allInnerTexts()).toEqual(['Tell me', 'Water boils at one hundred.'])
    expect([all.streams.length, all.faults]).toEqual([1, []])
    await all.context.close()
  })

  test('show the answer that is given to finish while it is written, once', async ({ expect }) => {
    const reason = '水在一百度沸腾。'
    await stage.script([{ tool_calls: [{ name: 'finish', arguments: { reason }, chunks: 6 }], hold_after: 5 }])
    const all = await opened()
    await send(all, 'Tell me')
    await all.one.locator('li.assistant[aria-busy=true]', { hasText: /^水/ }).waitFor()
    await stage.release()
    await status(all.one, 'completed')
    await expect.poll(() => all.one.locator('li.assistant').allInnerTexts()).toEqual([reason])
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('ask, approve and refuse', async ({ expect }) => {
    const visit = calls('web_access', { url: stage.site.url })
    await stage.script([visit, says('It boils.'), visit, says('Then not.')])
    const all = await opened()
    await send(all, 'Read it')
    await status(all.one, 'interrupted')
    await all.two.getByRole('button', { name: 'Approve' }).click()
    await answer(all.one, 'It boils.')
    await status(all.one, 'completed')
    await expect.poll(() => all.one.locator('.pending').count()).toBe(0)
    const before = stage.site.hits.length
    await send(all, 'Read it again')
    await all.one.getByRole('button', { name: 'Refuse' }).click()
    await answer(all.two, 'Then not.')
    expect([stage.site.hits.length - before, all.faults]).toEqual([0, []])
    await all.context.close()
  })

  test('run the functions of the page that the model calls, each once', async ({ expect }) => {
    const all = await opened()
    const ask = (kettle: string) => calls('read_kettle', { kettle })
    await stage.script([ask('blue'), says('It boils.'), ask('broken'), says('There is none.')])
    await send(all, 'Look at my kettle')
    await answer(all.one, 'It boils.')
    await send(all, 'And at the other')
    await answer(all.two, 'There is none.')
    const { messages } = await stage.client.sessions.get(new URL(all.page.url()).hash.slice(1))
    const results = messages.flatMap(({ tool_name: tool, content }) =>
      tool === 'read_kettle' ? [JSON.stringify(content)] : [],
    )
    expect(results).toEqual([expect.stringMatching(/asked\W+1/), expect.stringContaining('no such kettle')])
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('go on after a reload in mid-stream, and after the server was killed', async ({ expect }) => {
    await stage.script([
      { content: 'One two three.', chunks: ['One ', 'two ', 'three.'], hold_after: 2 },
      says('After all.'),
    ])
    const all = await opened()
    await send(all, 'Count')
    await answer(all.one, /^One/)
    await all.page.reload()
    await all.one.locator('li.assistant[aria-busy=true]', { hasText: /^One/ }).waitFor()
    await stage.release()
    await answer(all.one, 'One two three.')
    await status(all.one, 'completed')
    await stage.restart()
    const id = new URL(all.page.url()).hash.slice(1)
    await stage.client.sessions.send(id, { content: 'And now?' })
    await answer(all.one, 'After all.')
    await answer(all.two, 'After all.')
    await expect
      .poll(() => all.one.locator('li').allInnerTexts())
      .toEqual(['Count', 'One two three.', 'And now?', 'After all.'])
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('cancel, resume, and leave nothing open when they are gone', async ({ expect }) => {
    await stage.script([{ content: 'Never ends.', chunks: ['Never ', 'ends', '.'], hold_after: 2 }, says('Resumed.')])
    const all = await opened()
    await send(all, 'Go')
    await answer(all.one, /^Never/)
    await all.page.getByRole('button', { name: 'Cancel' }).click()
    await status(all.one, 'cancelled')
    await stage.release()
    await send(all, 'Again')
    await answer(all.one, 'Resumed.')
    expect(all.open.size).toBe(1)
    const closed = all.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'))
    await all.page.getByRole('button', { name: 'Toggle' }).click()
    await closed
    expect([all.open.size, await all.one.count()]).toEqual([0, 0])
    await all.page.getByRole('button', { name: 'Toggle' }).click()
    await answer(all.one, 'Resumed.')
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('begin another session once one was named and then none', async ({ expect }) => {
    await stage.script([says('Mine.'), says('Theirs.'), says('New.')])
    const all = await opened()
    const shown = () => new URL(all.page.url()).hash.slice(1)
    await send(all, 'First')
    await answer(all.one, 'Mine.')
    const mine = shown()
    const { id } = await stage.client.sessions.create({ task: 'Second' })
    await all.page.evaluate(`location.hash = '${id}'`)
    await all.page.getByRole('button', { name: 'Open' }).click()
    await answer(all.one, 'Theirs.')
    await all.page.getByRole('button', { name: 'New' }).click()
    await status(all.one, 'idle')
    await send(all, 'Third')
    await answer(all.one, 'New.')
    expect([mine, id]).not.toContain(shown())
    await expect.poll(() => all.one.locator('li').allInnerTexts()).toEqual(['Third', 'New.'])
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('list what waits in all sessions, and decide there', async ({ expect }) => {
    await stage.script([calls('web_access', { url: stage.site.url }), says('Decided.')])
    const { id } = await stage.client.sessions.create({ task: 'Read it' })
    const all = await opened()
    const inbox = all.page.getByLabel('inbox')
    await inbox.getByText('web_access').first().waitFor()
    await inbox.getByRole('button', { name: 'Yes' }).first().click()
    await inbox.getByText('web_access').waitFor({ state: 'detached' })
    expect(await stage.client.sessions.wait(id)).toMatchObject({ status: 'completed', result: 'Decided.' })
    expect(all.faults).toEqual([])
    await all.context.close()
  })

  test('say why there is nothing to show: no such session, a wrong key', async ({ expect }) => {
    const gone = await opened('ses_nothing')
    await gone.one.locator('.problem', { hasText: /./ }).waitFor()
    const wrong = await opened('', 'a-key-that-nobody-ever-made-here')
    await send(wrong, 'Hello')
    await wrong.page.locator('.fault', { hasText: 'ApiProblem' }).waitFor()
    expect([gone.faults, wrong.faults]).toEqual([[], []])
    await gone.context.close()
    await wrong.context.close()
  })
})
