import { afterAll, beforeAll, test } from 'vitest'
import { toBase64 } from '../../src/lib/base64.ts'
import { seriousFaults, smallTargets, startStage, tooWide, type Stage } from '../support/console.ts'
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
  await expect.poll(() => said.locator('.bubble').textContent()).toBe('What are these?')
  const size = `(() => { const image = document.querySelector('.attachments img'); return [image.naturalWidth, image.src.startsWith('blob:')] })()`
  await expect.poll(() => page.evaluate(size)).toEqual([1, true])
  const download = page.waitForEvent('download')
  await said.getByRole('button', { name: 'raw.bin 3 B' }).click()
  expect((await download).suggestedFilename()).toBe('raw.bin')
  expect(await seriousFaults(page)).toEqual([])
  expect(errors).toEqual([])
  await close()
})

/** Gives files to a page as a browser does when they are dropped or pasted. */
const given = (type: 'drop' | 'paste', name: string, media: string) => `(() => {
  const data = new DataTransfer()
  const bytes = Uint8Array.from(atob('${PNG_URL.split(',')[1]}'), (unit) => unit.charCodeAt(0))
  data.items.add(new File(['${media}' === 'image/png' ? bytes : 'Tea is hot.'], '${name}', { type: '${media}' }))
  const how = { bubbles: true, cancelable: true }
  const event = '${type}' === 'drop'
    ? new DragEvent('drop', { ...how, dataTransfer: data })
    : new ClipboardEvent('paste', { ...how, clipboardData: data })
  document.querySelector('${type === 'drop' ? 'h1' : '.composer-room textarea'}').dispatchEvent(event)
})()`

test('files are chosen, pasted and dropped, taken away again, and sent along with a task and a message', async ({
  expect,
}) => {
  await stage.script([calls('finish', { reason: 'A dot.' }), calls('finish', { reason: 'Two.' })])
  const { page, errors, close } = await stage.open({}, '/#/new')
  const attached = page.locator('.attached')
  await page.locator('input[type=file]').setInputFiles([
    { name: 'facts.txt', mimeType: 'text/plain', buffer: Buffer.from('Water boils.') },
    { name: 'gone.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') },
  ])
  await page.evaluate(given('paste', 'dot.png', 'image/png'))
  await attached.getByRole('img', { name: 'dot.png' }).waitFor()
  await attached.getByRole('button', { name: 'Remove gone.pdf' }).click()
  await expect
    .poll(() => attached.locator('li').allInnerTexts())
    .toEqual([/facts.txt/, /dot.png/].map((name): unknown => expect.stringMatching(name)))
  expect(await seriousFaults(page)).toEqual([])
  await page.locator('.new-task textarea').fill('What are these?')
  await page.locator('.new-task button[type=submit]').click()
  await page.locator('article.said').getByRole('img', { name: 'dot.png' }).waitFor()
  await page.locator('article.said').getByRole('button', { name: 'facts.txt' }).waitFor()
  await page.locator('.end-line').waitFor()
  await page.locator('.tabs a').first().focus()
  await page.evaluate(given('drop', 'tea.txt', 'text/plain'))
  await attached.getByText('tea.txt', { exact: true }).waitFor()
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Message')
  await page.locator('.composer button[type=submit]').click()
  await page.locator('article.said').nth(1).getByRole('button', { name: 'tea.txt' }).waitFor()
  await expect.poll(() => attached.count()).toBe(0)
  expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toMatch(/Water boils[^]*Tea is hot/)
  await page.getByRole('link', { name: 'Files', exact: true }).click()
  const upload = { name: 'mine.txt', mimeType: 'text/plain', buffer: Buffer.from('Mine.') }
  await page.locator('.files input[type=file]').setInputFiles(upload)
  await page.getByRole('button', { name: 'mine.txt', exact: true }).waitFor()
  expect(errors).toEqual([])
  await close()
})

test('of several files one that is too large is named, and the others are there', async ({ expect }) => {
  const { id } = await stage.client.sessions.create({ title: 'Files' })
  const { page, errors, close } = await stage.open({}, `/#/s/${id}/files`)
  const file = (name: string, size: number) => ({ name, mimeType: '', buffer: Buffer.alloc(size, 'a') })
  const given = [file('one.txt', 1), file('large.txt', 10 * 1_024 * 1_024 + 1), file('two.txt', 2)]
  await page.locator('.files input[type=file]').setInputFiles(given)
  await page.locator('.files .problem').waitFor()
  expect(await page.locator('.files .problem').innerText()).toMatch(/^large\.txt: At most 10 MiB/)
  expect(await page.locator('.files tbody button.link').allInnerTexts()).toEqual(['one.txt', 'two.txt'])
  expect(errors).toEqual([])
  await close()
})

test('a file is deleted after a question, by keys and by a finger, and the focus goes on to the next', async ({
  expect,
}) => {
  const { id } = await stage.client.sessions.create({ title: 'Files' })
  for (const path of ['a.txt', 'notes/b c.txt', 'd.txt']) await stage.client.files.put(id, path, 'Text.')
  const { page, errors, close } = await stage.open(
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    `/#/s/${id}/files`,
  )
  const listed = () => page.locator('.files tbody tr').evaluateAll((rows) => rows.map((row) => row.dataset['row']))
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await button('notes/b c.txt').tap()
  await page.locator('.preview').waitFor()
  expect([await smallTargets(page), await tooWide(page), await seriousFaults(page)]).toEqual([[], [], []])
  await page.evaluate('(self.asked = [], self.confirm = (what) => (asked.push(what), asked.length > 1))')
  await button('Delete notes/b c.txt').press('Enter')
  expect(await page.evaluate('asked')).toEqual(['Delete notes/b c.txt? It cannot be brought back.'])
  expect(await listed()).toEqual(['files.a.txt', 'files.d.txt', 'files.notes/b c.txt'])
  await button('Delete a.txt').press('Enter')
  await expect.poll(listed).toEqual(['files.d.txt', 'files.notes/b c.txt'])
  await expect.poll(() => page.evaluate('document.activeElement.dataset.row')).toBe('files.d.txt')
  await button('Delete notes/b c.txt').tap()
  await expect.poll(listed).toEqual(['files.d.txt'])
  await page.locator('.preview').waitFor({ state: 'detached' })
  await stage.client.files.delete(id, 'd.txt')
  await button('Delete d.txt').tap()
  await page.locator('.empty').waitFor()
  expect((await stage.client.files.list(id)).data).toEqual([])
  expect(errors).toEqual([])
  await close()
})

test('an answer shows the pictures of the workspace, and leads to its other files', async ({ expect }) => {
  const said = 'See ![a dot](out/dot.png), [the notes](./notes.md) and ![gone](gone.png).\n\n| a |\n|---|\n| x<br>y |'
  await stage.script([calls('finish', { reason: said })])
  const { id } = await stage.client.sessions.create({ task: 'Draw' })
  const dot = new Uint8Array(Buffer.from(PNG_URL.split(',')[1] ?? '', 'base64'))
  await stage.client.files.put(id, 'out/dot.png', dot, 'image/png')
  await stage.client.files.put(id, 'notes.md', new TextEncoder().encode('# Notes'), 'text/markdown')
  const { page, errors, close } = await stage.open({}, `/#/s/${id}`)
  const answer = page.locator('.markdown')
  await answer.getByRole('img', { name: 'a dot' }).waitFor()
  expect(await answer.getByRole('img').count()).toBe(1)
  expect(await answer.locator('td').innerText()).toBe('x\ny')
  await answer.getByRole('link', { name: 'gone' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await answer.getByRole('link', { name: 'the notes' }).click()
  await page.getByRole('heading', { name: 'Notes', exact: true }).waitFor()
  await page.getByRole('button', { name: 'out/dot.png', exact: true }).click()
  await page.getByRole('region', { name: 'Preview' }).getByRole('img').waitFor()
  expect(page.url()).toContain('/files/out%2Fdot.png')
  await page.reload()
  await page.getByRole('region', { name: 'Preview' }).getByRole('img').waitFor()
  expect(errors).toEqual([])
  await close()
})

test('a formula that stands alone leaves the wheel to the conversation', async ({ expect }) => {
  const sum = String.raw`$$\left(\frac{1}{T_1}\right) \begin{pmatrix} a & b \\ c & d \end{pmatrix}$$`
  await stage.script([calls('finish', { reason: sum })])
  const { id } = await stage.client.sessions.create({ task: 'Sum' })
  const { page, close } = await stage.open({}, `/#/s/${id}`)
  const formula = page.locator('math[display=block]')
  await formula.waitFor()
  expect(await page.evaluate(`getComputedStyle(document.querySelector('math[display=block]')).overflowY`)).toBe(
    'hidden',
  )
  await close()
})

const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Water boils.') }

test('what is attached outlives a reload, until it is sent', async ({ expect }) => {
  await stage.script([calls('finish', { reason: 'Read.' })])
  const { page, errors, close } = await stage.open({}, '/#/new')
  const attached = page.locator('.attached li')
  await page.locator('input[type=file]').setInputFiles([NOTE, { ...NOTE, name: 'other.txt' }])
  await page.getByRole('button', { name: 'Remove other.txt' }).click()
  await page.locator('.new-task textarea').fill('What is this?')
  await page.reload()
  await expect.poll(() => attached.allInnerTexts()).toEqual([expect.stringMatching(/^note.txt\s+12 B/)])
  await page.locator('.new-task button[type=submit]').click()
  await page.locator('article.said').getByRole('button', { name: 'note.txt' }).waitFor()
  await page.locator('.end-line').waitFor()
  expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toContain('Water boils')
  await page.goto(`${stage.url}/#/new`)
  await page.reload()
  await page.locator('.new-task').waitFor()
  expect(await attached.count()).toBe(0)
  expect(errors).toEqual([])
  await close()
})

test('where the device keeps no files, that a reload would lose them is said', async () => {
  const { page, close } = await stage.open({}, '/#/new')
  await page.addInitScript('IDBFactory.prototype.open = () => { throw new Error("no room") }')
  await page.reload()
  await page.locator('input[type=file]').setInputFiles([NOTE])
  await page.getByText('There is no room to keep the files on this device.').waitFor()
  await page.locator('.attached').getByText('note.txt', { exact: true }).waitFor()
  await close()
})

test('a key that is forgotten takes along what was written and attached under it', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/new')
  const asked: string[] = []
  page.on('dialog', (dialog) => asked.push(dialog.message()))
  await page.locator('.new-task textarea').fill('A secret plan')
  await page.locator('input[type=file]').setInputFiles({
    name: 'plan.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('Secret.'),
  })
  await page.locator('.attached .chip-name').waitFor()
  const kept = `new Promise((done) => {
    const opened = indexedDB.open('yaa', 1)
    opened.onsuccess = () => {
      const all = opened.result.transaction('files').objectStore('files').getAllKeys()
      all.onsuccess = () => done(all.result)
    }
  })`
  await expect.poll(() => page.evaluate(kept)).toEqual(['new'])
  await page.getByRole('button', { name: 'Forget this key' }).click()
  await page.locator('.gate').waitFor()
  expect(asked).toEqual([expect.stringContaining('did not send')])
  await expect.poll(() => page.evaluate(kept)).toEqual([])
  expect(await page.evaluate(`Object.keys(localStorage).filter((name) => name.startsWith('yaa.draft'))`)).toEqual([])
  await page.reload()
  await page.locator('.new-task textarea').waitFor()
  expect(await page.locator('.new-task textarea').inputValue()).toBe('')
  expect(await page.locator('.attached').count()).toBe(0)
  expect(errors).toEqual([])
  await close()
})
