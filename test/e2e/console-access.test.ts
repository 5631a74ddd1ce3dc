import { resolve } from 'node:path'
import { fileURLToPath, URL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { bundleWorker } from '../../src/build/bundle.ts'
import type { MockModel } from '../../src/cli/mock-model/server.ts'
import { SERVE } from '../bench/harness/sides.ts'
import { startWorkerd, type Workerd } from '../bench/harness/workerd.ts'
import { launchBrowser } from '../support/browser.ts'
import { startSite, type Site } from '../support/cli.ts'
import { startScriptedModel } from '../support/scripted-model.ts'

const finish = { tool_calls: [{ name: 'finish', arguments: { reason: 'It is a yak.' } }] }

let model: MockModel
let server: Workerd
let browser: Browser
/** A page that somebody else has on this machine: another origin, of the same site, so that cookies go along. */
let evil: Site
let url: string

beforeAll(async () => {
  model = await startScriptedModel({ script: [finish] })
  const access = { team_domain: 'acme.cloudflareaccess.com', audience: 'yaa-access', scopes: ['run', 'read', 'decide'] }
  const models = { m: { api_url: model.url, model: 'm', protocol: 'native' } }
  server = await startWorkerd({
    config: SERVE,
    bundle: await bundleWorker(fileURLToPath(new URL('../support/access/worker.ts', import.meta.url))),
    env: {
      YAA_API_KEY: '',
      YAA_CONFIG: JSON.stringify({ models, default_model: 'm', language: 'en', auth: { access } }),
    },
    assets: resolve('dist/assets'),
  })
  url = server.url.replace('127.0.0.1', 'localhost')
  evil = await startSite(
    `<form method="post" action="${url}/v1/sessions" enctype="text/plain"><input name='{"title":"forged","metadata":{"a":"' value='"}}'></form>`,
  )
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await Promise.all([server.stop(), model.close(), evil.close()])
})

test('behind Cloudflare Access the console works without a key, and no other page does anything with the sign-in', async ({
  expect,
}) => {
  const context = await browser.newContext({ locale: 'en-US' })
  const page = await context.newPage()
  await page.goto(`${url}/sign-in`)
  await page.locator('.main-nav a.primary').click()
  await page.locator('.new-task textarea').fill('What is this?')
  await page.locator('.new-task button[type=submit]').click()
  await page.locator('.session').getByText('It is a yak.').first().waitFor()
  const listed = () =>
    page.evaluate(async () => {
      const answer = await fetch('/v1/sessions')
      const { data } = await answer.json<{ data: { title: string }[] }>()
      return data.map(({ title }) => title)
    })
  expect(await listed()).toEqual(['What is this?'])

  const other = await context.newPage()
  const statuses: number[] = []
  other.on('response', (response) => {
    if (response.url().startsWith(`${url}/v1/`)) statuses.push(response.status())
  })
  await other.goto(evil.url.replace('127.0.0.1', 'localhost'))
  // What a page can send with the cookies of another, and what it can read of that.
  const isRead = await other.evaluate(`(async () => {
    const address = '${url}/v1/sessions'
    await fetch(address, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"title":"forged"}' }).catch(() => {})
    return fetch(address, { credentials: 'include' }).then(() => true, () => false)
  })()`)
  expect(isRead).toBe(false)
  await Promise.all([other.waitForURL(`${url}/v1/sessions`), other.evaluate('document.forms[0].submit()')])
  await expect.poll(() => other.textContent('body')).toContain('forbidden')
  expect(statuses.filter((status) => status !== 403)).toEqual([])
  expect(statuses.length).toBeGreaterThanOrEqual(2)
  expect(await listed()).toEqual(['What is this?'])
  await context.close()
})
