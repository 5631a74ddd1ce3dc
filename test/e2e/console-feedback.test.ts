import { afterAll, beforeAll, test } from 'vitest'
import type { SessionEvent } from '../../src/domain/event.ts'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

const FOCUSED = 'document.activeElement'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ html: '<h1>Facts</h1>', config: {} })
})
afterAll(() => stage.close())

async function answered(answer = 'Tea is **hot**.') {
  await stage.script([calls('finish', { reason: answer })])
  return stage.client.sessions.create({ task: 'How hot is tea?' })
}

/** What was said of the answers of a session, in its order. */
async function said(id: string): Promise<[rating: string | null, comment: string | null][]> {
  const { data } = await stage.client.sessions.eventList(id, { limit: 100 })
  return (data as SessionEvent[]).flatMap((event) =>
    event.type === 'feedback' ? [[event.rating, event.comment] as [string | null, string | null]] : [],
  )
}

test('an answer is said to be bad, by keys, why, and that it is good after all; it is there again later', async ({
  expect,
}) => {
  const { id } = await answered()
  const { page, errors, close } = await stage.open({}, `/#/s/${id}`)
  const bad = page.getByRole('button', { name: 'Bad answer' })
  const good = page.getByRole('button', { name: 'Good answer' })
  await bad.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(`${FOCUSED}.getAttribute('aria-label')`)).toMatch(/^What was wrong/)
  expect(await bad.getAttribute('aria-pressed')).toBe('true')
  expect(await seriousFaults(page)).toEqual([])
  await page.keyboard.type('It is lukewarm.')
  await page.keyboard.press('Enter')
  await page.getByText('Your comment: It is lukewarm.').waitFor()
  expect(await said(id)).toEqual([
    ['bad', null],
    ['bad', 'It is lukewarm.'],
  ])
  await page.reload()
  await page.getByText('Your comment: It is lukewarm.').waitFor()
  await good.click()
  await expect.poll(() => good.getAttribute('aria-pressed')).toBe('true')
  await page.getByLabel('What was good about it? (optional)').press('Escape')
  await good.click()
  await expect.poll(() => good.getAttribute('aria-pressed')).toBe('false')
  expect((await said(id)).slice(2)).toEqual([
    ['good', null],
    [null, null],
  ])
  expect(errors).toEqual([])
  await close()
})

test('on a phone in Chinese an answer is rated by a touch', async ({ expect }) => {
  const { id } = await answered()
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: 'zh-CN' }
  const { page, errors, close } = await stage.open({ ...phone, colorScheme: 'dark' }, `/#/s/${id}`)
  await page.getByRole('button', { name: '回答得好', exact: true }).tap()
  await page.getByLabel('好在哪里？（选填）').fill('很清楚')
  await page.getByRole('button', { name: '保存' }).tap()
  await page.getByText('你的评价: 很清楚').waitFor()
  await expect.poll(() => said(id)).toContainEqual(['good', '很清楚'])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await seriousFaults(page)).toEqual([])
  expect(errors).toEqual([])
  await close()
})

test('a link to read is made for who has no key, opens where it was made, and is revoked', async ({ expect }) => {
  const long = Array.from({ length: 80 }, (_, index) => `Line ${index} of the answer.`).join('\n\n')
  const { id } = await answered(long)
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page, errors, close } = await stage.open({ permissions }, `/#/s/${id}`)
  const share = page.locator('.reply').getByRole('button', { name: 'Share' })
  await share.click()
  const dialog = page.getByRole('dialog', { name: 'Share' })
  await dialog.getByText('There are no links to this session yet.').waitFor()
  await dialog.getByLabel('Works for').selectOption('a day')
  await dialog.getByRole('button', { name: 'Make a link' }).click()
  await dialog.getByRole('button', { name: 'Copy the link' }).click()
  await dialog.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  const url = await page.evaluate<string>('navigator.clipboard.readText()')
  await dialog.getByRole('listitem').getByText('new', { exact: true }).waitFor()
  const { data: links } = await stage.client.links.list(id)
  expect(links).toMatchObject([{ scope: 'read', pending_id: null }])
  const days = (Date.parse(links[0]?.expires_time ?? '') - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(0.99)
  expect(days).toBeLessThanOrEqual(1)

  const stranger = await stage.browser.newContext()
  const reader = await stranger.newPage()
  await reader.goto(url)
  await reader.getByText('Line 0 of the answer.').waitFor()
  const top = `document.querySelector('.reply p').getBoundingClientRect().top`
  await expect.poll(() => reader.evaluate<number>(top)).toBeGreaterThan(0)
  expect(await reader.getByRole('button', { name: 'Good answer' }).count()).toBe(0)
  // That of the whole session begins with what was asked.
  await reader.goto('about:blank')
  await reader.goto(url.split('#')[0] ?? '')
  const asked = `document.querySelector('.said')?.getBoundingClientRect().top ?? 0`
  await expect.poll(() => reader.evaluate<number>(asked)).toBeGreaterThan(0)

  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByText('There are no links to this session yet.').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(`${FOCUSED}.title`)).toBe('Share')
  await reader.reload()
  await reader.getByRole('alert').getByText('This link does not work').waitFor()
  expect(await reader.getByText('Line 0 of the answer.').count()).toBe(0)
  expect(errors).toEqual([])
  await stranger.close()
  await close()
})
