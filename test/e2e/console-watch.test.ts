import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startStage, type Stage } from '../support/console.ts'

const SESSIONS = 90
const A_MINUTE_MS = 60_000

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ html: '<p>Water boils.</p>' })
  await Promise.all(Array.from({ length: SESSIONS }, (_, index) => imported(`Old ${index}`)))
})
afterAll(() => stage.close())

const imported = (title: string, messages = [{ role: 'user', content: title }]) =>
  stage.client.json<{ id: string }>({
    method: 'POST',
    path: '/v1/sessions/import',
    body: { object: 'session.export', version: 1, session: { title, messages } },
  })

/** Paths with queries of what the page asks of its server from here on. */
function asked(page: Page): string[] {
  const paths: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/v1/')) paths.push(pathname + search)
  })
  return paths
}

/** Lets the page's clock go on second by second, each of which has the answers to what was asked in it. */
async function runSeconds(page: Page, seconds: number): Promise<void> {
  const open = new Set<Request>()
  let closed = () => {}
  const ends = (request: Request) => open.delete(request) && closed()
  const begins = (request: Request) => !isStream(request) && open.add(request)
  page.on('request', begins).on('requestfinished', ends).on('requestfailed', ends)
  for (let second = 0; second < seconds; second++) {
    await page.clock.runFor(1_000)
    while (open.size > 0) await new Promise<void>((resolve) => (closed = resolve))
  }
  page.off('request', begins).off('requestfinished', ends).off('requestfailed', ends)
}

const isStream = (request: Request) => request.headers()['accept']?.includes('text/event-stream') === true

/** A window whose clock is turned by hand. */
async function turned(path = '') {
  const { page, close } = await stage.open()
  await page.clock.install()
  await page.goto(`${stage.url}/${path}`)
  await page.reload()
  return { page, close }
}

const rows = (page: Page) => page.locator('.sessions li').count()
const hide = (
  isHidden: boolean,
) => `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))`

test('a page that opens asks for nothing twice', async ({ expect }) => {
  const { page, close } = await stage.open()
  await page.goto(stage.url)
  await page.waitForLoadState('networkidle')
  const paths = asked(page)
  await page.reload()
  await page.locator('.sessions li').first().waitFor()
  await page.waitForLoadState('networkidle')
  expect(paths).toContain('/v1/teams?limit=100')
  expect(paths.length).toBe(new Set(paths).size)
  await close()
})

describe('the list of sessions', () => {
  test('asks little of its server in a minute, however much of it is shown', async ({ expect }) => {
    const { id } = await imported('Watched')
    const { page, close } = await turned(`#/s/${id}`)
    await page.locator('.said').waitFor()
    for (const count of [80, SESSIONS + 1]) {
      await page.locator('.sessions > button').scrollIntoViewIfNeeded()
      await expect.poll(() => rows(page)).toBeGreaterThanOrEqual(count)
    }
    const paths = asked(page)
    await runSeconds(page, 60)
    expect(paths.length).toBeGreaterThan(2)
    expect(paths.length).toBeLessThanOrEqual(10)
    expect(paths.filter((path) => path.includes('cursor'))).toEqual([])
    const late = await imported('Late')
    await page.evaluate(`dispatchEvent(new Event('focus'))`)
    await page.locator(`.sessions a[href$="${late.id}"]`).waitFor()
    expect(await rows(page)).toBe(SESSIONS + 2)
    await close()
  })

  test('rests while nobody looks at the page, and is read at once when somebody does', async ({ expect }) => {
    const { page, close } = await turned()
    await page.locator('.sessions li').first().waitFor()
    await page.evaluate(hide(true))
    const paths = asked(page)
    await page.clock.runFor(A_MINUTE_MS)
    expect(paths).toEqual([])
    const unseen = await imported('Made meanwhile')
    await page.evaluate(hide(false))
    await page.locator(`.sessions a[href$="${unseen.id}"]`).waitFor()
    await close()
  })

  test('waits as long as the server says when it asked too much', async ({ expect }) => {
    const { page, close } = await turned()
    await page.locator('.sessions li').first().waitFor()
    const problem = { code: 'rate_limited', detail: 'Too many requests' }
    const refuse = { status: 429, headers: { 'retry-after': '40' }, json: problem }
    await page.route('**/v1/sessions?*', (route) => route.fulfill(refuse))
    await page.clock.runFor(16_000)
    await page.locator('.sessions .problem', { hasText: 'Too many requests' }).waitFor()
    await page.unroute('**/v1/sessions?*')
    const paths = asked(page)
    await page.clock.runFor(22_000)
    await page.evaluate(`dispatchEvent(new Event('focus'))`)
    expect(paths).toEqual([])
    await page.clock.runFor(20_000)
    await page.locator('.sessions .problem').waitFor({ state: 'detached' })
    await close()
  })
})

test('a session that is refused for too many requests is followed again when the server says so', async ({
  expect,
}) => {
  const { id } = await imported('Refused at first')
  const { page, close } = await turned()
  const refuse = { status: 429, headers: { 'retry-after': '20' }, json: { code: 'rate_limited', detail: 'Too many' } }
  await page.route(`**/v1/sessions/${id}*`, (route) => route.fulfill(refuse))
  const paths = asked(page)
  const ofSession = () => paths.filter((path) => path.includes(id)).length
  await page.goto(`${stage.url}/#/s/${id}`)
  await page.getByText('Too many').waitFor()
  await page.clock.runFor(15_000)
  expect(ofSession()).toBe(1)
  await page.unroute(`**/v1/sessions/${id}*`)
  await page.clock.runFor(6_000)
  await page.locator('.said', { hasText: 'Refused at first' }).waitFor()
  await close()
})

test('how a session is that could not be read at the end of its run is read again, and no trouble stays', async ({
  expect,
}) => {
  await stage.script([{ content: 'Water boils.', hold_after: 1 }])
  const { session_id: id } = await stage.client.sessions.begin({ task: 'Look' }, { key: crypto.randomUUID() })
  const { page, close } = await stage.open({}, `/#/s/${id}`)
  await page.locator('.composer .stop').waitFor()
  const busy = { status: 503, json: { detail: 'The server is busy', code: 'unavailable' } }
  await page.route(`**/v1/sessions/${id}?*`, (route) => route.fulfill(busy))
  await stage.release()
  await page.locator('.end-line').waitFor()
  await page.getByText('The server is busy').waitFor()
  await page.unroute(`**/v1/sessions/${id}?*`)
  await page.locator('.session-header [data-status=completed]').waitFor()
  expect(await page.getByText('The server is busy').count()).toBe(0)
  await close()
})

test('a long conversation is moved in its own place, and the page around it not at all', async ({ expect }) => {
  const said = (turn: number) => [
    { role: 'user', content: `Question ${turn}` },
    { role: 'assistant', content: `Answer ${turn}. ${'It goes on. '.repeat(60)}` },
  ]
  const { id } = await imported('Long', Array.from({ length: 12 }, (_, turn) => said(turn)).flat())
  const { page, close } = await stage.open({}, `/#/s/${id}`)
  await page.locator('.reply', { hasText: 'Answer 11' }).waitFor()
  await page.locator('.long-list-room').evaluate((room) => room.scrollTo(0, 0))
  await page.locator('.said', { hasText: 'Question 0' }).waitFor()
  const beyond = () => page.locator('main').evaluate((main) => main.scrollHeight - main.clientHeight)
  await expect.poll(beyond).toBe(0)
  await close()
})
