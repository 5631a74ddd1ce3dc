import { afterAll, beforeAll, describe, test } from 'vitest'
import { ERAS, mcpClient } from '../../../support/mcp-clients.ts'
import { NOTHING_LEFT, plan } from '../../../support/planned.ts'
import { calls, says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { PNG_BASE64, PNG_URL } from '../../../support/small-image.ts'

let served: Served
beforeAll(async () => {
  served = await startServed({
    html: '<p>Water boils at 100 degrees.</p>',
    config: { tools: { write_file: { auto_approve: true } } },
  })
})
afterAll(() => served.close())

const sessionOf = (result: { structuredContent?: unknown }) =>
  (result.structuredContent as { session_id: string }).session_id

describe.each(ERAS)('a client of the era %s', (era) => {
  test('is told how a plan and a team go on', async ({ expect }) => {
    const client = await mcpClient(served, era)
    const told: string[] = []
    const run = async (agent: string, task: string) => {
      told.length = 0
      const onprogress = ({ message = '' }) => void told.push(message)
      const call = { name: 'run_task', arguments: { agent, task: `${task} (${era})` } }
      const { structuredContent } = await client.callTool(call, { onprogress })
      return structuredContent
    }
    await served.script([says(plan('Say A')), says('A'), says(NOTHING_LEFT), says('All of it: A.')])
    expect(await run('yaa/plan', 'Say A.')).toMatchObject({ status: 'completed', result: 'All of it: A.' })
    expect(told.filter((one) => !one.startsWith('Turn '))).toEqual(['Plan: llm_tool', 'llm_tool: Say A', 'llm_tool: A'])
    await served.script([says('The PRD.'), says('The design.'), says('The code.')])
    expect(await run('yaa/team/software', 'Build it')).toMatchObject({ status: 'completed' })
    expect(told.join('|')).toMatch(/: The PRD\.[^]*: The design\.[^]*: The code\./)
    await client.close()
  })

  test('brings pictures and files along, and is given those that were written', async ({ expect }) => {
    const client = await mcpClient(served, era)
    await served.script([says('Seen.')])
    const parts = [
      { type: 'image', url: PNG_URL, name: 'red.png' },
      { type: 'file', data: btoa('Water boils at 100.'), name: 'facts.txt', media_type: 'text/plain' },
    ]
    const result = await client.callTool({ name: 'run_task', arguments: { task: `Look at it (${era}).`, parts } })
    expect(result.content, 'what it brought along is not given back').toEqual([{ type: 'text', text: 'Seen.' }])
    expect(JSON.stringify(served.model.requests[0]?.body)).toMatch(/red\.png[^]*Water boils at 100\./)
    const uri = `yaa://sessions/${sessionOf(result)}/files/attachments/red.png`
    const { contents } = await client.readResource({ uri })
    expect(contents).toMatchObject([{ uri, mimeType: 'image/png', blob: PNG_BASE64 }])
    await served.script([
      calls('write_file', { path: '图/水.svg', content: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
      calls('finish', { reason: 'Drawn.' }),
    ])
    const drawn = await client.callTool({ name: 'run_task', arguments: { task: `Draw it (${era}).` } })
    expect(drawn.content).toMatchObject([
      { type: 'text', text: 'Drawn.' },
      { type: 'resource_link', name: '图/水.svg', mimeType: 'image/svg+xml' },
    ])
    const asked = { name: 'session_status', arguments: { session: sessionOf(drawn) } }
    const status = await client.callTool(asked)
    expect(status.content).toEqual(drawn.content)
    expect(status.structuredContent).toEqual(drawn.structuredContent)
    expect(status['_meta']).toMatchObject({ 'yaa/run': drawn['_meta']?.['yaa/run'] })
    await client.close()
  })

  test('is told which of its parts cannot be, and nothing is begun', async ({ expect }) => {
    const client = await mcpClient(served, era)
    const parts = [{ type: 'image', url: 'data:image/png;base64,not-a-picture' }]
    const result = await client.callTool({ name: 'run_task', arguments: { task: 'Never begun.', parts } })
    expect(result, JSON.stringify(result)).toMatchObject({ isError: true })
    expect(JSON.stringify(result.content)).toContain('parts.0')
    const { data } = await served.client.sessions.list()
    expect(data.map(({ title }) => title)).not.toContain('Never begun.')
    await client.close()
  })

  test('under a key of idempotency is answered once, also when its run has ended', async ({ expect }) => {
    const client = await mcpClient(served, era, { headers: { 'idempotency-key': `twice-${era}` } })
    await served.script([says('Once.'), says('Twice.')])
    const call = { name: 'run_task', arguments: { task: `Once, please (${era}).` } }
    const [first, second] = [await client.callTool(call), await client.callTool(call)]
    expect([first.structuredContent, sessionOf(second)]).toMatchObject([{ result: 'Once.' }, sessionOf(first)])
    expect(second.structuredContent).toMatchObject({ result: 'Once.' })
    const other = await client.callTool({ ...call, arguments: { task: `Another one (${era}).` } })
    expect(other.structuredContent).toMatchObject({ result: 'Twice.' })
    await client.close()
  })
})
