import { afterAll, beforeAll, describe, test } from 'vitest'
import { ERAS, mcpClient } from '../../../support/mcp-clients.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

const PAGE = '<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>'

let served: Served
beforeAll(async () => {
  served = await startServed({
    html: PAGE,
    config: { tools: { web_access: { auto_approve: true }, write_file: { auto_approve: true } } },
  })
})
afterAll(() => served.close())

describe.each(ERAS)('a client of the era %s', (era) => {
  test('learns who answers, and which tools there are', async ({ expect }) => {
    const client = await mcpClient(served, era)
    expect(client.getServerVersion()).toMatchObject({ name: 'yaa' })
    expect(client.getNegotiatedProtocolVersion()).toBe(era === 'stateless' ? '2026-07-28' : '2025-11-25')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['run_task', 'session_status'])
    expect(tools[0]).toMatchObject({ inputSchema: { required: ['task'] }, outputSchema: { type: 'object' } })
    await client.close()
  })

  test('runs a task, is told of progress, and goes on in its session', async ({ expect }) => {
    const client = await mcpClient(served, era)
    await served.script([
      calls('web_access', { url: `${served.site.url}/a` }),
      calls('finish', { reason: '一百度。' }),
      says('你好，安。'),
    ])
    const told: string[] = []
    const first = await client.callTool(
      { name: 'run_task', arguments: { task: `水在几度沸腾？（${era}）`, user: 'ann' } },
      { onprogress: ({ message = '' }) => told.push(message) },
    )
    expect(first).toMatchObject({
      content: [{ type: 'text', text: '一百度。' }],
      structuredContent: { status: 'completed', result: '一百度。', pending: [], usage: { model_calls: 2 } },
    })
    expect(told.join('\n')).toContain(`web_access {"url":"${served.site.url}/a"}`)
    const { session_id: session } = first.structuredContent as { session_id: string }
    expect(await served.client.sessions.get(session)).toMatchObject({ user: 'ann', result: '一百度。' })
    const second = await client.callTool({ name: 'run_task', arguments: { task: '我是安。', session } })
    expect(second.structuredContent).toMatchObject({ session_id: session, result: '你好，安。' })
    const status = await client.callTool({ name: 'session_status', arguments: { session } })
    expect(status.structuredContent).toMatchObject({ session_id: session, status: 'completed', result: '你好，安。' })
    await client.close()
  })

  test('is told what is wrong with a call, and nothing is lost', async ({ expect }) => {
    const client = await mcpClient(served, era)
    const call = (args: Record<string, unknown>) => client.callTool({ name: 'run_task', arguments: args })
    expect(await call({})).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('task') }] })
    expect(await call({ task: 'x', agent: 'nobody' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('yaa/plan') }],
    })
    expect(await call({ task: 'x', session: 'ses_1' })).toMatchObject({ isError: true })
    expect(await call({ task: 'See', parts: [{ type: 'image', data: 'AAAA' }] })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('parts.0.data: a PNG') }],
    })
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: -32_602 })
    await client.close()
  })
})
