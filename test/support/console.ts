import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { createClient, type Client } from '../../src/client/client.ts'
import type { ScriptInput } from '../../src/cli/mock-model/script.ts'
import { launchBrowser } from './browser.ts'
import { startSite, startYaa, workFolder, type Running, type Site } from './cli.ts'
import { startScriptedModel, type MockModel } from './scripted-model.ts'
import { ADMIN_KEY } from './admin-key.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Ends what hangs before the test ends, to say what was waited for. */
const WAIT_MS = 60_000

/** A server with a scripted model and a site, and a browser that looks at its console. */
export interface Stage {
  model: MockModel
  site: Site
  client: Client
  url: string
  /** What the model says from here on. */
  script(steps: ScriptInput): Promise<void>
  /** A new window, without anything remembered. */
  open(options?: BrowserContextOptions, path?: string): Promise<Watched>
  /** Kills the server as a crash would, and starts it on the same data and port. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface Watched {
  page: Page
  /** Scripts that broke, and what the page's policy refused. */
  errors: string[]
  close: () => Promise<void>
}

interface StageOptions {
  html: string
  /** Of the model. */
  price?: Record<string, unknown>
  /** With `YAA_API_KEY` the console asks for that key; else it knows the admin key of tests. */
  env?: Record<string, string>
  /** More of the server's config. */
  config?: Record<string, unknown>
}

export async function startStage({ html, price, env = {}, config = {} }: StageOptions): Promise<Stage> {
  const folder = workFolder()
  const [site, model] = await Promise.all([startSite(html), startScriptedModel({ script: [] })])
  const file = folder.file('config.json', {
    language: 'en',
    models: {
      m: { api_url: model.url, model: 'm', protocol: 'native', retry: { times: 0 }, ...(price ? { price } : {}) },
    },
    default_model: 'm',
    web: { allow_private_hosts: [site.host] },
    ...config,
  })
  const browser = await launchBrowser()
  const serve = async (port: string) => {
    const yaa = startYaa(['serve', '--port', port, '--data', 'data', '--config', file], { cwd: folder.path, env })
    const [, ready = ''] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
    return { yaa, port: ready }
  }
  let running = await serve('0')
  const url = `http://localhost:${running.port}`
  return {
    model,
    site,
    url,
    client: createClient({ server: url, key: env['YAA_API_KEY'] ?? ADMIN_KEY }),
    script: async (steps) => {
      const body = JSON.stringify(steps)
      const answer = await fetch(new URL('/script', model.url), { method: 'POST', body })
      if (!answer.ok) throw new Error(await answer.text())
    },
    open: (options, path = '') =>
      openPage(browser, url + path, { ...options, key: 'YAA_API_KEY' in env ? null : ADMIN_KEY }),
    restart: async () => {
      await ended(running.yaa, 'SIGKILL')
      running = await serve(running.port)
    },
    close: async () => {
      await browser.close()
      await ended(running.yaa, 'SIGTERM')
      await model.close()
      await site.close()
      folder.remove()
    },
  }
}

async function ended(yaa: Running, signal: NodeJS.Signals): Promise<void> {
  yaa.process.kill(signal)
  await yaa.ended
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

/** What axe finds in a page that keeps people out, as `rule: selector`. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const found = await page.evaluate<{ id: string; impact: string | null; nodes: { target: string[] }[] }[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then((found) => found.violations)',
  )
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** Gives a task where one is given. */
export async function giveTask(page: Page, task: string): Promise<void> {
  await page.locator('.new-task textarea').fill(task)
  await page.locator('.new-task button[type=submit]').click()
  await page.locator('.session').waitFor()
}
