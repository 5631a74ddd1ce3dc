import { afterAll, beforeAll, test } from 'vitest'
import { seriousFaults, startStage, type Stage } from '../support/console.ts'
import { type McpTestServer, startMcpServer } from '../support/mcp-server.ts'

let stage: Stage
let server: McpTestServer
/** Whether the server has no tool now. */
let isEmpty = false

beforeAll(async () => {
  server = await startMcpServer({
    era: 'modern',
    register: (mcp) => {
      if (isEmpty) return
      mcp.registerTool('find_book', { description: 'Finds a book by its title.' }, () => ({ content: [] }))
    },
  })
  stage = await startStage({
    html: '<p>Water boils.</p>',
    config: { web: { allow_private_hosts: [server.host] } },
    env: { YAA_SECRETS_KEY: 'a-key-of-the-console-forms-000000000000' },
  })
})
afterAll(async () => {
  await stage.close()
  await server.close()
})

test('a server is given a token and headers, keeps what is not typed anew, and tells its tools', async ({ expect }) => {
  const sent = () => {
    const { authorization, 'x-team': team, 'x-desk': desk } = server.sent.at(-1)?.headers ?? {}
    return { authorization, team, desk }
  }
  const { page, errors, close } = await stage.open({}, '/#/setup/mcp-servers')
  await page.getByRole('button', { name: 'New', exact: true }).press('Enter')
  await page.getByLabel('Name', { exact: true }).fill('library')
  await page.getByLabel('Address', { exact: true }).fill(server.url)
  await page.getByLabel('Token', { exact: true }).fill('of-the-library')
  await page.getByRole('button', { name: 'Add a line' }).press('Enter')
  await page.getByLabel('Further headers 1: Name').fill('X-Team')
  await page.getByLabel('Further headers 1: Value').fill('readers')
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  const card = page.locator('.resource', { hasText: 'library' })
  await card.getByText('1 tool', { exact: true }).press('Enter')
  await card.locator('li', { hasText: 'find_book Finds a book by its title.' }).waitFor()
  expect(sent()).toEqual({ authorization: 'Bearer of-the-library', team: 'readers', desk: undefined })

  const edit = () => card.getByRole('button', { name: 'Edit' }).press('Enter')
  const saved = async () => {
    await card.getByRole('button', { name: 'Save' }).press('Enter')
    await card.locator('.form.card').waitFor({ state: 'detached' })
  }
  await edit()
  await expect.poll(() => card.getByLabel('Token', { exact: true }).getAttribute('placeholder')).toMatch(/^Stored/)
  await card.getByLabel('Description').fill('Books')
  await card.getByLabel('Token', { exact: true }).fill('half typed')
  await page.reload()
  await edit()
  await expect.poll(() => card.getByLabel('Description').inputValue()).toBe('Books')
  await expect.poll(() => card.getByLabel('Token', { exact: true }).getAttribute('placeholder')).toMatch(/^Stored/)
  await card.getByRole('button', { name: 'Add a line' }).press('Enter')
  await card.getByLabel('Further headers 2: Name').fill('X-Desk')
  await card.getByLabel('Further headers 2: Value').fill('one')
  expect(await seriousFaults(page)).toEqual([])
  await saved()
  expect(sent()).toEqual({ authorization: 'Bearer of-the-library', team: 'readers', desk: 'one' })

  await edit()
  await card.getByLabel('Address', { exact: true }).fill('https://elsewhere.example/mcp')
  await card.getByText('What is stored is not sent to another address').waitFor()
  await card.getByLabel('Address', { exact: true }).fill(server.url)
  await card.getByRole('button', { name: 'Remove this line: X-Team' }).press('Enter')
  await card.getByLabel('Token', { exact: true }).fill('another')
  await saved()
  expect(sent()).toEqual({ authorization: 'Bearer another', team: undefined, desk: 'one' })

  await edit()
  await card.getByRole('button', { name: 'Remove', exact: true }).press('Enter')
  await saved()
  expect(sent()).toEqual({ authorization: undefined, team: undefined, desk: 'one' })
  server.fail = async () => new Response(null, { status: 503 })
  await card.getByRole('button', { name: 'Check' }).press('Enter')
  await card.getByText('Error', { exact: true }).waitFor()
  await card.getByText('1 tool', { exact: true }).waitFor()
  expect(await stage.client.mcpServers.get('library')).toMatchObject({ headers: { 'X-Desk': '***' }, status: 'error' })
  expect(errors).toEqual([])
  await close()
})

test('a server without tools, and one that was never reached, say so', async ({ expect }) => {
  const make = (name: string, url: string) =>
    stage.client.json({ method: 'POST', path: '/v1/mcp-servers', body: { name, url } })
  server.fail = async () => new Response(null, { status: 503 })
  await make('away', server.url)
  server.fail = null
  isEmpty = true
  await make('bare', server.url)
  isEmpty = false
  for (const [locale, unknown, none] of [
    ['en-US', 'Its tools are not known until it can be reached.', 'It offers no tools.'],
    ['zh-CN', '能够连接之前，无法知道它有哪些工具。', '它没有提供工具。'],
  ] as const) {
    const { page, errors, close } = await stage.open({ locale }, '/#/setup/mcp-servers')
    const away = page.locator('.resource', { hasText: 'away' })
    await away.getByText(unknown).waitFor()
    await away.locator('.facts', { hasText: /503/ }).waitFor()
    await page.locator('.resource', { hasText: 'bare' }).getByText(none).waitFor()
    expect(await seriousFaults(page)).toEqual([])
    expect(errors).toEqual([])
    await close()
  }
})

test('a server in the server’s own network is added, and asked, once the settings allow its host', async ({
  expect,
}) => {
  const near = await startMcpServer({
    era: 'modern',
    register: (mcp) => void mcp.registerTool('ring', { description: 'Rings.' }, () => ({ content: [] })),
  })
  const body = { name: 'near', url: near.url }
  const added = () => stage.client.json<{ status: string }>({ method: 'POST', path: '/v1/mcp-servers', body })
  await expect(added()).rejects.toMatchObject({ status: 400 })
  const settings = { web: { allow_private_hosts: [server.host, near.host] } }
  await stage.client.json({ method: 'PATCH', path: '/v1/settings', body: settings })
  await added()
  const { page, errors, close } = await stage.open({}, '/#/setup/mcp-servers')
  await page.locator('.resource', { hasText: 'near' }).getByText('1 tool', { exact: true }).waitFor()
  expect(errors).toEqual([])
  await close()
  await near.close()
})
