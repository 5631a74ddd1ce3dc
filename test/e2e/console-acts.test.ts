import { afterAll, beforeAll, test } from 'vitest'
import { giveTask, seriousFaults, startStage, type Stage } from '../support/console.ts'
import { calls, says } from '../support/scripted-model.ts'
import { PNG_URL } from '../support/small-image.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>', config: {} })
})
afterAll(() => stage.close())

const CLIPBOARD = 'navigator.clipboard.readText()'
const lastTask = () => JSON.stringify(stage.model.requests.at(-1)?.body)

/** A session with one answer, looked at. */
async function answered(
  task: Parameters<Stage['client']['sessions']['create']>[0]['task'],
  ...more: ReturnType<typeof says>[]
) {
  await stage.script([calls('finish', { reason: 'Tea is **hot**.' }), ...more])
  const session = await stage.client.sessions.create({ task })
  const permissions = ['clipboard-read', 'clipboard-write']
  return { session, ...(await stage.open({ permissions }, `/#/s/${session.id}`)) }
}

test('words of one’s own and an answer are copied as they were written', async ({ expect }) => {
  const { page, errors, close } = await answered('How hot\nis tea?')
  await page.locator('.reply').getByRole('button', { name: 'Copy' }).click()
  await expect.poll(() => page.evaluate(CLIPBOARD)).toBe('Tea is **hot**.')
  await page.locator('.reply').getByRole('button', { name: 'Copied' }).waitFor()
  await page.locator('.said').getByRole('button', { name: 'Copy' }).click()
  await expect.poll(() => page.evaluate(CLIPBOARD)).toBe('How hot\nis tea?')
  expect(await seriousFaults(page)).toEqual([])
  expect(errors).toEqual([])
  await close()
})

/** What a browser leaves out where the connection is not safe. */
const UNSAFE = `Object.defineProperty(window, 'isSecureContext', { value: false })
delete Crypto.prototype.randomUUID
delete Navigator.prototype.clipboard`

test('over a connection that is not safe a task is given, and words, code and links are copied', async ({ expect }) => {
  const { page, errors, close } = await stage.open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.addInitScript(UNSAFE)
  await page.reload()
  await stage.script([calls('finish', { reason: 'So:\n\n```js\nlet tea = 1\n```' })])
  await giveTask(page, 'Write code')
  const field = page.locator('.composer textarea')
  const pasted = async () => {
    await field.fill('')
    await field.press('Control+v')
    return field.inputValue()
  }
  await page.locator('.said').getByRole('button', { name: 'Copy' }).click()
  expect(await pasted()).toBe('Write code')
  await page.locator('.frame-head').getByRole('button', { name: 'Copy' }).click()
  expect(await pasted()).toBe('let tea = 1')
  await page.locator('.reply').getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Make a link' }).click()
  await page.getByRole('button', { name: 'Copy the link' }).click()
  await page.keyboard.press('Escape')
  expect(await pasted()).toContain('/links/')
  expect(errors).toEqual([])
  await close()
})

test('a message is edited and run again in a session of its own, which says where it comes from', async ({
  expect,
}) => {
  const { session, page, close } = await answered('How hot is tea?', calls('finish', { reason: 'Coffee is hot, too.' }))
  await page.locator('.said').getByRole('button', { name: 'Edit and run again' }).click()
  const field = page.locator('.composer textarea')
  await expect.poll(() => field.inputValue()).toBe('How hot is tea?')
  await field.press('Escape')
  await expect.poll(() => field.inputValue()).toBe('')
  await field.press('ArrowUp')
  await expect.poll(() => field.inputValue()).toBe('How hot is tea?')
  await field.fill('How hot is coffee?')
  await field.press('Enter')
  await page.getByText('Coffee is hot, too.').waitFor()
  expect(page.url()).not.toContain(session.id)
  await expect.poll(() => page.locator('.said .bubble').allInnerTexts()).toEqual(['How hot is coffee?'])
  await expect.poll(() => page.locator('.end-line').allInnerTexts()).toEqual([expect.stringMatching(/^Completed/)])
  expect(lastTask()).not.toContain('How hot is tea?')
  await expect.poll(() => page.locator('.sessions .entry-fork').allInnerTexts()).toEqual([' How hot is coffee?'])
  await page.getByRole('link', { name: /^from “/ }).click()
  await page.getByText('Tea is hot.').waitFor()
  expect(page.url()).toContain(session.id)
  await close()
})

test('a run is done once more with its files, beside the one that there was', async ({ expect }) => {
  const task = [
    { type: 'text' as const, text: 'What is this?' },
    { type: 'image' as const, image_url: PNG_URL, name: 'dot.png' },
  ]
  const { session, page, close } = await answered(task, calls('finish', { reason: 'Another dot.' }))
  await page.locator('.end').getByRole('button', { name: 'Run again' }).click()
  await page.getByText('Another dot.').waitFor()
  expect(page.url()).not.toContain(session.id)
  await page.locator('article.said').getByRole('img', { name: 'dot.png' }).waitFor()
  await expect.poll(() => page.locator('.said .bubble').allInnerTexts()).toEqual(['What is this?'])
  expect(await stage.client.sessions.get(session.id)).toMatchObject({ result: 'Tea is **hot**.' })
  // What others may have written is so in the copy, too: it taints the run as it did before.
  const { messages } = await stage.client.sessions.get(page.url().split('/').at(-1) ?? '')
  const brought = messages.find(({ kind }) => kind === 'task')?.content
  expect(brought).toContainEqual(expect.objectContaining({ name: 'dot.png', untrusted: true }))
  await close()
})

test('a copy is made once where the answer to the first request is lost, and so is a run of a skill', async ({
  expect,
}) => {
  const { session, page, close } = await answered('Tea', calls('finish', { reason: 'Once.' }))
  const lost = new Set<string>()
  await page.route(/\/(fork|run)$/, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (lost.has(pathname)) return route.continue()
    lost.add(pathname)
    await route.fetch()
    await route.abort()
  })
  const made = async () => (await stage.client.sessions.list({})).data.length
  const before = await made()
  await page.getByRole('button', { name: 'Fork from here' }).first().click()
  await expect.poll(() => page.url()).not.toContain(session.id)
  await page.goto(`${stage.url}/#/setup/skills`)
  const skill = page.locator('.resource', { hasText: 'chat-assistant' })
  await skill.getByLabel('Input').fill('Hello')
  await skill.getByRole('button', { name: 'Try' }).click()
  await page.getByText('Once.').waitFor()
  expect([await made(), lost.size]).toEqual([before + 2, 2])
  await close()
})

test('Escape stops a run, and how a task is done is chosen in the composer and remembered', async ({ expect }) => {
  await stage.script([{ hang: true }])
  const { page, close } = await stage.open({}, '/#/new')
  await page.getByLabel('Mode', { exact: true }).selectOption('Plan first')
  await page.locator('.new-task textarea').fill('Take your time')
  await page.locator('.new-task textarea').press('Enter')
  await page.locator('.composer .stop').waitFor()
  await page.locator('.composer textarea').press('Escape')
  await page.locator('.end-line', { hasText: 'Cancelled' }).waitFor()
  expect(await stage.client.sessions.get(page.url().split('/').at(-1) ?? '')).toMatchObject({ orchestrator: 'plan' })
  await page.goto(`${stage.url}/#/new`)
  await expect.poll(() => page.getByLabel('Mode', { exact: true }).inputValue()).toBe('plan')
  await close()
})

test('a workflow is chosen in the composer, and given its inputs there', async ({ expect }) => {
  const inputs = { type: 'object', properties: { page: { type: 'string', title: 'Page' } }, required: ['page'] }
  const steps = [{ id: 'say', type: 'set', values: { page: '{{ inputs.page }}' } }]
  await stage.client.workflows.put('note', { description: 'Takes note of a page.', inputs, steps })
  const { page, errors, close } = await stage.open({}, '/#/new')
  await page.getByLabel('Skill', { exact: true }).selectOption('translate')
  await page.getByLabel('Workflow', { exact: true }).selectOption('note')
  await page.getByLabel('Skill', { exact: true }).waitFor({ state: 'detached' })
  await page.getByText('Takes note of a page.').waitFor()
  const start = page.getByRole('button', { name: 'Start', exact: true })
  await start.click()
  await page.getByRole('alert').getByText('This field is required.').waitFor()
  await expect.poll(() => page.getByLabel('Page *').and(page.locator(':focus')).count()).toBe(1)
  await page.getByLabel('Page *').fill('https://example.com')
  expect(await seriousFaults(page)).toEqual([])
  await start.click()
  await page.locator('.end-line', { hasText: 'Completed' }).waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  const { title, workflow, result } = await stage.client.sessions.get(id)
  expect({ title, result, name: workflow?.name }).toEqual({
    title: 'note',
    result: '{"page":"https://example.com"}',
    name: 'note',
  })
  await page.goto(`${stage.url}/#/new`)
  await expect.poll(() => page.getByLabel('Page *').inputValue()).toBe('')
  await page.getByLabel('Workflow', { exact: true }).selectOption('Workflow')
  await expect.poll(() => page.getByLabel('Skill', { exact: true }).inputValue()).toBe('translate')
  expect(errors).toEqual([])
  await close()
})

test('a long answer is read from where it begins, with its code, tables, formulas and notes', async ({ expect }) => {
  const rows = Array.from({ length: 60 }, (_, index) => `| ${index} | "${index}", so |`).join('\n')
  const answer = [
    '# Where it begins\n\nIt costs $5 or $x^2$.[^a] So $$ y^2 $$ or \\[z^2\\] it is, from $$ to $$$.\n\n```python\nreturn 1\n```',
    `- [x] done\n\n| n | words |\n|--|--|\n${rows}\n\n[^a]: A **note**.`,
  ].join('\n\n')
  await stage.script([calls('finish', { reason: answer })])
  const { id } = await stage.client.sessions.create({ task: 'Write a lot' })
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page, errors, close } = await stage.open({ permissions }, `/#/s/${id}`)
  const reply = page.locator('.reply')
  await page.getByRole('button', { name: 'Jump to the latest' }).waitFor()
  const isSeen = `(() => { const { top } = document.querySelector('.reply h1').getBoundingClientRect()
    return top > 0 && top < innerHeight / 2 })()`
  await expect.poll(() => page.evaluate(isSeen)).toBe(true)
  // Nothing is seen of the row above it.
  const above = `document.querySelector('.row:has(.reply)').getBoundingClientRect().top -
    document.querySelector('.long-list-room').getBoundingClientRect().top`
  await expect.poll(async () => Math.abs(Number(await page.evaluate(above)))).toBeLessThan(1)
  await reply.locator('.hl-kwd', { hasText: 'return' }).waitFor()
  await expect.poll(() => reply.locator('math msup').allTextContents()).toEqual(['x2', 'y2', 'z2'])
  expect(await reply.innerText()).toContain('it is, from $$ to $$$.')
  await expect.poll(() => reply.locator('.frame-head').first().innerText()).toMatch(/python\s+Wrap\s+Copy/)
  await reply.getByRole('button', { name: 'Wrap' }).click()
  await expect.poll(() => reply.locator('pre.wrapped').count()).toBe(1)
  await reply.getByRole('button', { name: 'Copy as CSV' }).click()
  await expect.poll(() => page.evaluate(CLIPBOARD)).toMatch(/^n,words\r?\n0,"""0"", so"\r?\n/)
  await reply.locator('[data-reference] button').click()
  await expect.poll(() => page.evaluate('document.activeElement.closest("[data-note]")?.innerText')).toMatch(/note\./)
  expect(await seriousFaults(page)).toEqual([])
  expect(errors).toEqual([])
  await close()
})

test('what is unfolded stays where it is, also at the end of a conversation', async ({ expect }) => {
  await stage.script([{ reasoning: 'First the kettle.\n'.repeat(100), ...calls('finish', { reason: 'Tea is hot.' }) }])
  const session = await stage.client.sessions.create({ task: 'How hot is tea?' })
  const { page, close } = await stage.open({ viewport: { width: 1_200, height: 480 } }, `/#/s/${session.id}`)
  const thoughts = page.locator('.thinking summary')
  await thoughts.click()
  await page.getByText('First the kettle.').waitFor()
  await page.getByRole('button', { name: 'Jump to the latest' }).waitFor()
  const top = `document.querySelector('.thinking summary').getBoundingClientRect().top`
  expect(await page.evaluate<number>(top)).toBeGreaterThan(0)
  await close()
})

test('an answer that came piece by piece looks as it does when it is read anew', async ({ expect }) => {
  const answer = [
    'Tea **is _very_ hot** at $5, or `90 °C`, [they say](https://tea.example/a_b), and $x^2$ or $$y^2$$ is **not closed',
    'It goes on ~~cold~~ on\na second line with a note[^a] and 2 * 3 * 4 = 24, https://tea.example/x and **bold**.',
    'Fish &amp; chips of AT&T, **&lt;b&gt; \\_ and `&amp;`**, <code>a < *b*</code>, \\&amp; and ~~*one* more~~  \nas well.',
    '- [x] one\n- **two** and `three',
    'Then\n\n2. [a](https://tea.example) *茶*\n3. b\n   - c $x^2$\n   - d\n4. e',
    'Then\n\n- a\n- [b](https://tea.example)\n\n- ```js\n  let a = 1\n  ```\n- c',
    '| a | [b](https://tea.example) |\n|---|--:|\n| 1 | **2** |\n| [c](https://tea.example) | |\n| 3 |',
    '[^a]: A **note** of *it*.',
    'The last *words*, *茶*.',
  ].join('\n\n')
  await stage.script([{ content: answer, chunks: Math.ceil(answer.length / 3), chunk_delay_ms: 4 }])
  const { page, errors, close } = await stage.open({}, '/')
  await giveTask(page, 'Write piece by piece')
  await page.locator('.session-header', { hasText: 'Completed' }).waitFor()
  const html = ({ innerHTML }: { innerHTML: string }) => innerHTML.replaceAll('>\n<', '><')
  const shown = () => page.locator('.reply .markdown').evaluate<string, { innerHTML: string }>(html)
  await page.locator('.reply .markdown', { hasText: 'The last words, 茶.' }).waitFor()
  await expect.poll(shown).toContain('<msup>')
  await page.locator('.reply .hl-kwd', { hasText: 'let' }).waitFor()
  expect(await shown()).toContain('<em>words</em>, <em class="dotted">茶</em>.')
  const grown = await shown()
  await page.reload()
  await page.locator('.reply .markdown', { hasText: 'The last words, 茶.' }).waitFor()
  await expect.poll(shown).toBe(grown)
  expect(errors).toEqual([])
  await close()
})

/** Counts the documents that the sanitiser makes, one for each thing that it is given, and how long those are. */
const COUNT_DOCUMENTS = `self.documents = 0
self.sanitised = 0
const { parseFromString } = DOMParser.prototype
DOMParser.prototype.parseFromString = function (...given) {
  self.documents += 1
  self.sanitised += String(given[0]).length
  return parseFromString.apply(this, given)
}`

test('words and code that are written piece by piece need no document of the sanitiser', async ({ expect }) => {
  const words = Array.from({ length: 200 }, (_, index) => (index % 50 === 49 ? '.\n\n' : ` **word** *of* \`${index}\``))
  const chunks = [...words, '```js\nlet a = 1\n```\n\n', '- one\n', '- two\n\n', 'The end.']
  const { page, close } = await stage.open({}, '/')
  await page.evaluate(COUNT_DOCUMENTS)
  const shown = async (answer: { content: string; chunks: string[] }) => {
    await stage.script([{ ...answer, chunk_delay_ms: 4 }])
    await page.evaluate(`location.hash = '#/new'`)
    await giveTask(page, 'Write words')
    await page.locator('.session-header', { hasText: 'Completed' }).waitFor()
    await page.locator('.reply .markdown', { hasText: 'The end.' }).waitFor()
    return page.evaluate<number>('documents')
  }
  expect(await shown({ content: chunks.join(''), chunks })).toBe(0)
  expect(await page.locator('.reply .markdown p').count()).toBe(5)
  const seen = ['[They](https://tea.example) say.\n\n', 'The end.']
  expect(await shown({ content: seen.join(''), chunks: seen })).toBeGreaterThan(0)
  await close()
})

/** Blocks of each kind, with this sign in each. */
const blocksWith = (sign: string) => [
  `One *two **three*** ~~four~~ \`<b>\` \\* "five" ${sign}  \nsix`,
  `## Two \`three\` ${sign}`,
  `7. a\n8. ${sign}\n   - *c*\n   - 茶 *茶*`,
  `- a\n\n- b\n\n  more ${sign}`,
  `> a\n>\n> - ${sign}\n> - \`\`\`js\n>   let a = 1 < 2\n>   \`\`\`\n\n---`,
  `| a | b | c |\n|---|:-:|--:|\n| 1 | **2** | \`3\` |\n| 4 | | ${sign} |`,
  '| a |\n|---|\n\n```python\nreturn 1\n```\n\n    indented',
  'The end.',
]

test('blocks that need no sanitiser look as they do through it', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/')
  await page.evaluate(COUNT_DOCUMENTS)
  const shown = async (blocks: string[]) => {
    await stage.script([{ content: blocks.join('\n\n') }])
    await page.evaluate(`location.hash = '#/new'`)
    await giveTask(page, 'Write blocks')
    await page.locator('.session-header', { hasText: 'Completed' }).waitFor()
    const reply = page.locator('.reply .markdown')
    await reply.locator('.hl-kwd', { hasText: 'return' }).waitFor()
    await reply.locator('.hl-kwd', { hasText: 'let' }).waitFor()
    return reply.evaluate<string, { innerHTML: string }>(({ innerHTML }) => innerHTML.replaceAll('>\n<', '><'))
  }
  const plain = await shown(blocksWith('\\<'))
  expect(await page.evaluate('documents')).toBe(0)
  expect(await shown(blocksWith('&lt;'))).toBe(plain)
  expect(await page.evaluate('documents')).toBeGreaterThanOrEqual(5)
  expect(errors).toEqual([])
  await close()
})

test.for([
  ['list', '', (index: number) => `- [${index}](https://tea.example/${index}) is one\n`],
  ['table', '| a | b |\n|---|---|\n', (index: number) => `| [${index}](https://tea.example/${index}) | is one |\n`],
] as const)(
  'of a %s that grows only the end goes through the sanitiser again',
  async ([, head, lineOf], { expect }) => {
    const chunks = [head, ...Array.from({ length: 80 }, (_, index) => lineOf(index))]
    await stage.script([{ content: chunks.join(''), chunks, chunk_delay_ms: 8 }])
    const { page, close } = await stage.open({}, '/')
    await page.evaluate(COUNT_DOCUMENTS)
    await giveTask(page, 'Write links')
    await page.locator('.session-header', { hasText: 'Completed' }).waitFor()
    const reply = page.locator('.reply .markdown')
    await expect.poll(() => reply.locator('a').count()).toBe(80)
    const length = await reply.evaluate<number, { innerHTML: string }>(({ innerHTML }) => innerHTML.length)
    expect(await page.evaluate('sanitised')).toBeLessThan(4 * length)
    await close()
  },
)
