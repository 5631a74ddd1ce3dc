import { afterAll, beforeAll, test } from 'vitest'
import type { ConnectionInfo } from '../../src/domain/connection.ts'
import { type AuthorisationServer, startAuthorisationServer } from '../support/authorisation-server.ts'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { calls } from '../support/scripted-model.ts'

const CANARY = 'canary-typed-into-the-console-5e7c'
const FINISH = calls('finish', { reason: 'Done.' })

let authority: AuthorisationServer
let stage: Stage
/** Where the calls go, too, which takes any header. */
let origin: string

beforeAll(async () => {
  authority = await startAuthorisationServer()
  stage = await startStage({
    html: '<p>Water boils.</p>',
    config: { web: { allow_private_hosts: [authority.host] } },
    env: { YAA_SECRETS_KEY: 'a-key-of-the-console-tests-0000000000' },
  })
  origin = new URL(authority.url).origin
})
afterAll(async () => {
  await stage.close()
  await authority.close()
})

/** A session of a user whose call carries a connection that every user gives. */
async function asking(user: string, name: string) {
  const headers = { authorization: `Bearer {{secret:${name}}}` }
  await stage.script([calls('http_request', { method: 'GET', url: `${origin}/issued`, headers }), FINISH])
  const tools = { http_request: { permission: 'allow', trusted: true } } as const
  return stage.client.sessions.create({ task: 'Look', user, config: { tools, language: 'en' } })
}

const keep = (body: object) => stage.client.json<ConnectionInfo>({ method: 'POST', path: '/v1/connections', body })
const connections = (query: Record<string, string> = {}) =>
  stage.client.json<{ data: ConnectionInfo[] }>({ path: '/v1/connections', query })

test('a secret that a call lacks is typed into its card, and the run goes on with it', async ({ expect }) => {
  await keep({ name: 'desk', origin, each_user: true })
  const { id } = await asking('ana', 'desk')
  const { page, errors, close } = await stage.open({}, `/#/s/${id}`)
  const card = page.locator('.pending')
  await card.getByText(`desk, for ${origin}`).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await card.getByLabel('Secret').fill(CANARY)
  await card.getByRole('button', { name: 'Save' }).click()
  await page.locator('.end-line').waitFor()
  expect((await connections({ user: 'ana' })).data).toMatchObject([{ name: 'desk', user: 'ana', last_four: '5e7c' }])
  const said = JSON.stringify([
    await stage.client.json({ path: `/v1/sessions/${id}/export` }),
    await page.evaluate<unknown>('[document.body.innerText, { ...localStorage }, { ...sessionStorage }]'),
  ])
  expect([said.includes('Done.'), said.includes(CANARY), errors]).toEqual([true, false, []])
  await close()
})

test('who is to grant access opens the page from the card, and the run goes on after it', async ({ expect }) => {
  const oauth2 = { authorize_url: `${authority.url}/authorize`, token_url: `${authority.url}/token`, client_id: 'yaa' }
  await keep({ name: 'granted', origin, each_user: true, oauth2 })
  const { id } = await asking('bo', 'granted')
  const { page, errors, close } = await stage.open({}, `/#/s/${id}`)
  const opened = page.waitForEvent('popup')
  await page.locator('.pending').getByRole('link', { name: 'Authorise' }).click()
  const away = await opened
  await away.getByRole('link', { name: 'Finish in the console' }).click()
  await away.getByRole('button', { name: 'Yes, I started it' }).click()
  await away.getByText('The connection granted is authorised.').waitFor()
  await page.locator('.end-line').waitFor()
  expect(errors).toEqual([])
  await close()
})

test('a call whose connection is not given is not made, and the run goes on', async ({ expect }) => {
  await keep({ name: 'unwanted', origin, each_user: true })
  const { id } = await asking('cy', 'unwanted')
  const { page, close } = await stage.open({}, `/#/s/${id}`)
  await page.locator('.pending').getByRole('button', { name: 'Continue without it' }).click()
  await page.locator('.end-line').waitFor()
  const { messages } = await stage.client.sessions.get(id)
  expect(JSON.stringify(messages)).toContain('did not give the connection unwanted')
  await close()
})

test('a link shows what a call lacks, and takes no secret', async ({ expect }) => {
  await keep({ name: 'linked', origin, each_user: true })
  const { id, pending } = await asking('eve', 'linked')
  const { url } = await stage.client.json<{ url: string }>({
    method: 'POST',
    path: `/v1/sessions/${id}/links`,
    body: { scope: 'decide', pending_id: pending[0]?.id },
  })
  const { page, errors, close } = await stage.open()
  await page.goto(url)
  const card = page.locator('.pending')
  await card.getByText('Secrets cannot be entered through a link.').waitFor()
  expect([await card.locator('input, textarea').count(), errors]).toEqual([0, []])
  await card.getByRole('button', { name: 'Continue without it' }).click()
  const status = async () => (await stage.client.sessions.get(id, { messages: 'none' })).status
  await expect.poll(status, { timeout: 20_000 }).toBe('completed')
  await close()
})

test('connections are kept, changed and revoked on their page, a user’s own too', async ({ expect }) => {
  const { page, errors, close } = await stage.open({}, '/#/setup/connections')
  const make = async (fields: Record<string, string>) => {
    await page.getByRole('button', { name: 'New', exact: true }).click()
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
    await page.getByRole('button', { name: 'Save' }).click()
  }
  await make({ Name: 'shop', For: origin, Secret: CANARY })
  const card = page.locator('.resource', { hasText: 'shop' })
  await card.getByText('5e7c').waitFor()
  await card.getByLabel('New secret').fill('another-secret-of-the-shop-9b1d')
  await card.getByRole('button', { name: 'Replace the secret' }).click()
  await card.getByText('9b1d').waitFor()
  await make({ Name: 'shop', For: origin, Secret: 'the-shop-of-dora-0000-77aa', 'User (empty: for all)': 'dora' })
  // One sees what one has made: those of this user.
  await card.getByText('77aa').waitFor()
  const user = page.getByLabel('User', { exact: true })
  expect(await user.inputValue()).toBe('dora')
  await user.fill('nobody')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('No entries match.').waitFor()
  await user.fill('dora')
  await page.getByRole('button', { name: 'Filter' }).click()
  await card.getByText('77aa').waitFor()
  await card.getByRole('button', { name: 'Delete' }).click()
  await expect.poll(async () => (await connections({ user: 'dora' })).data).toEqual([])
  await make({ Name: 'for-all', For: origin, Secret: 'a-secret-of-all-of-them-31f0' })
  await page.locator('.resource', { hasText: 'for-all' }).getByText('31f0').waitFor()
  expect(await user.inputValue()).toBe('')
  expect((await connections()).data.map(({ name }) => name)).toContain('shop')
  expect(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).not.toContain('shop-of-dora')
  expect(errors).toEqual([])
  await close()
})
