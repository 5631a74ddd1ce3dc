import { afterAll, beforeAll, test } from 'vitest'
import { type AuthorisationServer, startAuthorisationServer } from '../support/authorisation-server.ts'
import { startStage, type Stage } from '../support/console.ts'
import { type McpTestServer, startMcpServer } from '../support/mcp-server.ts'
import { registerTestTools } from '../support/mcp-tools.ts'

let authority: AuthorisationServer
let closed: McpTestServer
let stage: Stage

beforeAll(async () => {
  authority = await startAuthorisationServer()
  closed = await startMcpServer({ era: 'modern', register: registerTestTools })
  closed.fail = async (request) => authority.guard(request)
  stage = await startStage({ html: '', config: { web: { allow_private_hosts: [closed.host, authority.host] } } })
})
afterAll(async () => {
  await stage.close()
  await Promise.all([closed.close(), authority.close()])
})

interface Shown {
  status: string
  authorization_url?: string
}

const add = (name: string) =>
  stage.client.json<Shown>({ method: 'POST', path: '/v1/mcp-servers', body: { name, url: closed.url } })
const statusOf = async (name: string) => (await stage.client.json<Shown>({ path: `/v1/mcp-servers/${name}` })).status

test('who began to authorise an MCP server in the console is taken back, and it is authorised', async ({ expect }) => {
  await add('own')
  const { page, errors, close } = await stage.open({}, '/#/setup/mcp-servers')
  const card = page.locator('.resource', { hasText: 'own' })
  await card.getByRole('button', { name: 'Check' }).click()
  const opened = page.waitForEvent('popup')
  await card.getByRole('link', { name: 'Authorise' }).click()
  await (await opened).getByText('The MCP server own is authorised.').waitFor()
  expect(await statusOf('own')).toBe('ok')
  expect(errors).toEqual([])
  await close()
})

test('who is sent to an end that somebody else began is asked, and gives nothing away without the key that began it', async ({
  expect,
}) => {
  const { authorization_url: address = '' } = await add('lured')
  const sentBack = await fetch(address, { redirect: 'manual' })
  const back = sentBack.headers.get('location') ?? ''
  const { key } = await stage.client.json<{ key: string }>({
    method: 'POST',
    path: '/v1/keys',
    body: { name: 'another', scopes: ['admin'] },
  })
  const confirm = async (shown: string | null) => {
    const { page, close, errors } = await stage.open()
    if (shown !== null) await page.evaluate((text) => sessionStorage.setItem('yaa.key', text), shown)
    await page.goto(back)
    await page.getByText('Nothing is kept before.').waitFor()
    expect(await statusOf('lured')).toBe('error')
    await page.getByRole('link', { name: 'Finish in the console' }).click()
    await page.getByRole('button', { name: 'Yes, I started it' }).click()
    return { page, close, errors }
  }
  const other = await confirm(key)
  await other.page.getByText('You did not begin this authorisation').waitFor()
  expect(await statusOf('lured')).toBe('error')
  await other.close()
  const own = await confirm(null)
  await own.page.getByText('The MCP server lured is authorised.').waitFor()
  expect(await statusOf('lured')).toBe('ok')
  expect([...other.errors, ...own.errors]).toEqual([])
  await own.close()
})
