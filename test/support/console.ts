import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { ADMIN_KEY } from './admin-key.ts'
import { startServed, type Served, type ServedOptions } from './served.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Ends what hangs before the test ends, to say what was waited for. */
const WAIT_MS = 60_000

/** A server with a scripted model and a site, and a browser that looks at its console. */
export interface Stage extends Served {
  browser: Browser
  /** A new window, without anything remembered. */
  open(options?: BrowserContextOptions, path?: string): Promise<Watched>
}

export interface Watched {
  page: Page
  /** Scripts that broke, and what the page's policy refused. */
  errors: string[]
  close: () => Promise<void>
}

/** With `YAA_API_KEY` in `env` the console asks for that key; else it knows the admin key of tests. */
export async function startStage(options: ServedOptions): Promise<Stage> {
  const [served, browser] = await Promise.all([startServed(options), launchBrowser()])
  const known = 'YAA_API_KEY' in (options.env ?? {}) ? null : ADMIN_KEY
  return {
    ...served,
    browser,
    open: (more, path = '') => openPage(browser, served.url + path, { ...more, key: known }),
    close: async () => {
      await browser.close()
      await served.close()
    },
  }
}

/** What the policy of the page itself refuses; the sandbox in which charts are drawn has its own, and refuses what it is for. */
const TELL_REFUSED = `if (self === top) addEventListener('securitypolicyviolation', (event) =>
  void toldRefused(event.effectiveDirective + ' ' + event.sample))`

/** `key`: what the browser remembers to show; null: nothing. */
async function openPage(
  browser: Browser,
  url: string,
  { key, ...options }: BrowserContextOptions & { key: string | null },
): Promise<Watched> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1200, height: 800 }, ...options })
  context.setDefaultTimeout(WAIT_MS)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('dialog', (dialog) => {
    if (dialog.type() !== 'confirm') errors.push(`dialog: ${dialog.message()}`)
    void dialog.accept()
  })
  await page.exposeFunction('toldRefused', (what: string) => errors.push(`refused: ${what}`))
  await page.addInitScript(TELL_REFUSED)
  if (key !== null) await page.addInitScript(`self === top && localStorage.setItem('yaa.key', '${key}')`)
  await page.goto(url)
  return { page, errors, close: () => context.close() }
}

/** What axe finds in a page that keeps people out or leads them astray, as `rule: selector`. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const found = await page.evaluate<{ id: string; impact: string | null; nodes: { target: string[] }[] }[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then((found) => found.violations)',
  )
  return found
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** What a finger misses: less than 40 px high or wide, as `selector WIDTHxHEIGHT`. What stands within a sentence is as high as its line. */
export async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('a[href], button, select, input, textarea, summary')]
    .filter((one) => one.checkVisibility() && !one.disabled && !one.closest('.unseen, .skip, sup, p:not(.back-row, .given-head)'))
    .map((one) => [one, (one.type === 'checkbox' ? one.closest('label') : one).getBoundingClientRect()])
    .filter(([one, { width, height }]) => width > 1 && Math.min(width, height) < 39.5 && !one.matches('.take-away'))
    .map(([one, { width, height }]) =>
      one.tagName + '.' + one.className + ' ' + one.innerText + ' ' + Math.round(width) + 'x' + Math.round(height))`)
}

/** What is wider than its place, and so is moved sideways, where nothing is meant to be. */
export async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`[document.documentElement, ...document.querySelectorAll('main, .page, .long-list-room')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ tagName, className, scrollWidth, clientWidth }) =>
      tagName + '.' + className + ' ' + scrollWidth + ' in ' + clientWidth)`)
}

/** Gives a task where one is given. */
export async function giveTask(page: Page, task: string): Promise<void> {
  await page.locator('.new-task textarea').fill(task)
  await page.locator('.new-task button[type=submit]').click()
  await page.locator('.session').waitFor()
}
