import type { Client, ElicitResult } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Era, ERAS, mcpClient } from '../../../support/mcp-clients.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { calls } from '../../../support/scripted-model.ts'

let served: Served
beforeAll(async () => {
  served = await startServed({ html: '<title>Facts</title><p>Water boils at 100 degrees.</p>' })
})
afterAll(() => served.close())

/** A client whose user answers every form so; null: it shows none. */
async function clientThat(era: Era, says: ((message: string) => ElicitResult) | null, key?: string): Promise<Client> {
  const capabilities = says ? { elicitation: {} } : {}
  const client = await mcpClient(served, era, { capabilities, ...(key ? { key } : {}) })
  if (says) client.setRequestHandler('elicitation/create', async ({ params }) => says(params.message))
  return client
}

const accept = (content: Record<string, string>): ElicitResult => ({ action: 'accept', content })
const run = (client: Client, task: string) => client.callTool({ name: 'run_task', arguments: { task } })
const stepsTo = (page: string) => [
  calls('web_access', { url: `${served.site.url}/${page}` }),
  calls('finish', { reason: 'Read.' }),
]
const pages = async (session: string) =>
  (await served.client.sessions.get(session)).messages.flatMap(({ tool_calls: made = [] }) =>
    made.map(({ arguments: args }) => args['url']),
  )
const sessionOf = (result: { structuredContent?: unknown }) =>
  (result.structuredContent as { session_id: string }).session_id

describe.each(ERAS)('what waits for a human, at a client of the era %s', (era) => {
  test('is a form, which approves', async ({ expect }) => {
    const asked: string[] = []
    const client = await clientThat(era, (message) => {
      asked.push(message)
      return accept({ decision: 'approve' })
    })
    await served.script(stepsTo('a'))
    const result = await run(client, `Read a page (${era}).`)
    expect(result.structuredContent, JSON.stringify(result)).toMatchObject({ status: 'completed', result: 'Read.' })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('web_access')
    expect(asked[0]).toContain(`${served.site.url}/a`)
    await client.close()
  })

  test('is refused with words for the agent, and declined', async ({ expect }) => {
    for (const said of [accept({ decision: 'reject', feedback: 'Not that page.' }), { action: 'decline' as const }]) {
      const client = await clientThat(era, () => said)
      await served.script(stepsTo('b'))
      const result = await run(client, `Read another page (${era}, ${said.action}).`)
      expect(result.structuredContent, JSON.stringify(result)).toMatchObject({ status: 'completed', result: 'Read.' })
      const { messages } = await served.client.sessions.get(sessionOf(result))
      if (said.action === 'accept') expect(JSON.stringify(messages)).toContain('Not that page.')
      expect(served.site.hits.filter((path) => path === '/b')).toEqual([])
      await client.close()
    }
  })

  test('is called with other arguments, where the user says so', async ({ expect }) => {
    const other = JSON.stringify({ url: `${served.site.url}/other` })
    const client = await clientThat(era, () => accept({ decision: 'approve', arguments: other }))
    await served.script(stepsTo('c'))
    const result = await run(client, `Read a third page (${era}).`)
    expect(result.structuredContent, JSON.stringify(result)).toMatchObject({ status: 'completed' })
    expect(served.site.hits).toContain('/other')
    expect(await pages(sessionOf(result))).toContain(`${served.site.url}/c`)
    expect(served.site.hits.filter((path) => path === '/c')).toEqual([])
    await client.close()
  })

  test('is said in the result where there is no form, or the key may not decide', async ({ expect }) => {
    const { key = '' } = await served.client.keys.create({ name: `runner-${era}`, scopes: ['run', 'read'] })
    const clients = [await clientThat(era, null), await clientThat(era, () => accept({ decision: 'approve' }), key)]
    for (const [nth, client] of clients.entries()) {
      await served.script(stepsTo('d'))
      const result = await run(client, `Read a fourth page (${era}, ${nth}).`)
      expect(result.structuredContent, JSON.stringify(result)).toMatchObject({
        status: 'interrupted',
        result: null,
        pending: [{ tool: 'web_access' }],
      })
      const session = sessionOf(result)
      expect(JSON.stringify(result.content)).toContain(`${served.url}/#/s/${session}`)
      const status = await client.callTool({ name: 'session_status', arguments: { session } })
      expect(JSON.stringify(status.content)).toContain('web_access')
      await client.close()
    }
  })
})
