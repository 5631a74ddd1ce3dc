import { afterAll, beforeAll, describe, test } from 'vitest'
import { ERAS, mcpClient, posted, stateless } from '../../../support/mcp-clients.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { calls, says } from '../../../support/scripted-model.ts'

let served: Served
beforeAll(async () => {
  served = await startServed({
    html: '<title>Facts</title><p>Water boils at 100 degrees.</p>',
    config: { tools: { web_access: { auto_approve: true }, write_file: { auto_approve: true } } },
  })
})
afterAll(() => served.close())

const HELD = { content: 'The whole answer.', hold_after: 2, chunks: 4 }
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

const newest = async () => (await served.client.sessions.list({ limit: 1 })).data[0]
describe.each(ERAS)('a call of a client of the %s era', (era) => {
  test('says of an answer that the service cut it', async ({ expect }) => {
    const client = await mcpClient(served, era)
    await served.script([{ content: 'Half of', finish_reason: 'length' }, says('All of it.')])
    const half = await client.callTool({ name: 'run_task', arguments: { task: 'Say it all.' } })
    expect(half).toMatchObject({ _meta: { 'yaa/finish_reason': 'length' }, structuredContent: { result: 'Half of' } })
    const whole = await client.callTool({ name: 'run_task', arguments: { task: 'Say it all again.' } })
    expect(whole['_meta']).not.toHaveProperty('yaa/finish_reason')
    await client.close()
  })
})

const status = async (session: string) => (await served.client.sessions.get(session)).status

describe('a call of a client with a session', () => {
  test('is told to its end by another stream, after the server was killed in the midst', async ({ expect }) => {
    const client = await mcpClient(served, 'session')
    await served.script([
      calls('web_access', { url: `${served.site.url}/k` }),
      HELD,
      says('The answer after the kill.'),
    ])
    const told: string[] = []
    const killed = Promise.withResolvers<void>()
    const answered = client.callTool(
      { name: 'run_task', arguments: { task: 'Survive.' } },
      {
        onprogress: ({ message = '' }) => {
          told.push(message)
          if (message.includes('Turn 2')) killed.resolve()
        },
      },
    )
    await killed.promise
    await expect.poll(() => served.model.requests.length).toBe(2)
    await served.restart()
    await served.release()
    expect((await answered).structuredContent).toMatchObject({
      status: 'completed',
      result: 'The answer after the kill.',
    })
    expect(new Set(told).size).toBe(told.length)
    await client.close()
  })

  test('is stopped by a word of its client, and its run with it', async ({ expect }) => {
    const client = await mcpClient(served, 'session')
    await served.script([calls('web_access', { url: `${served.site.url}/s` }), HELD])
    const stop = new AbortController()
    const answered = client.callTool(
      { name: 'run_task', arguments: { task: 'Be stopped.' } },
      { signal: stop.signal, onprogress: ({ message = '' }) => message.includes('Turn 2') && stop.abort() },
    )
    await expect(answered).rejects.toThrow()
    await expect.poll(async () => (await newest())?.status).toBe('cancelled')
    await client.close()
  })

  test('is of nobody else, and of nobody once the session has ended', async ({ expect }) => {
    const { key = '' } = await served.client.keys.create({ name: 'other', scopes: ['run', 'read'] })
    const begun = await posted(served, {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    })
    const session = begun.headers.get('mcp-session-id') ?? ''
    expect(await begun.json()).toMatchObject({ result: { protocolVersion: '2025-06-18' } })
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }
    expect((await posted(served, list, headers)).status).toBe(200)
    expect((await posted({ ...served, key }, list, headers)).status).toBe(404)
    expect((await posted(served, list, { ...headers, 'mcp-session-id': `${session.slice(0, -1)}0` })).status).toBe(404)
    expect((await posted(served, list)).status).toBe(400)
    const end = await fetch(`${served.url}/mcp`, {
      method: 'DELETE',
      headers: { ...headers, authorization: `Bearer ${served.key}` },
    })
    expect(end.status).toBe(204)
    expect((await posted(served, list, headers)).status).toBe(404)
  })
})

describe('a call of the stateless revision', () => {
  test('that goes on is a task, which is read, and over when its run is', async ({ expect }) => {
    await served.script([HELD])
    const begun = await asked('tools/call', { name: 'run_task', arguments: { task: 'Take long.' } }, 'run_task')
    expect(begun).toMatchObject({ result: { resultType: 'task', status: 'working', ttlMs: expect.any(Number) } })
    const { taskId } = (begun as { result: { taskId: string } }).result
    const { createdAt } = (begun as { result: { createdAt: string } }).result
    expect(await asked('tasks/get', { taskId }, taskId)).toMatchObject({
      result: { taskId, createdAt, status: 'working' },
    })
    await served.release()
    await expect
      .poll(() => asked('tasks/get', { taskId }, taskId))
      .toMatchObject({ result: { status: 'completed', result: { content: [{ text: 'The whole answer.' }] } } })
    const { key = '' } = await served.client.keys.create({ name: 'stranger', scopes: ['run', 'read', 'decide'] })
    expect(await asked('tasks/get', { taskId }, taskId, key)).toMatchObject({ error: { code: -32_602 } })
  })

  test('that goes on as a task is stopped by tasks/cancel, by a client that takes tasks', async ({ expect }) => {
    await served.script([HELD])
    const begun = await asked('tools/call', { name: 'run_task', arguments: { task: 'Be cancelled.' } }, 'run_task')
    const { taskId } = (begun as { result: { taskId: string } }).result
    expect(await asked('tasks/cancel', { taskId }, taskId, served.key, {})).toMatchObject({
      error: { code: -32_021 },
    })
    expect(await asked('tasks/cancel', { taskId }, taskId)).toMatchObject({ result: { resultType: 'complete' } })
    await served.release()
    expect(await asked('tasks/get', { taskId }, taskId)).toMatchObject({ result: { status: 'cancelled' } })
  })
})

describe('a call of the stateless revision whose server is killed', () => {
  test('is joined by the same call, and its run goes on', async ({ expect }) => {
    await served.script([HELD, says('海平面上一百度。')])
    const client = await mcpClient(served, 'stateless')
    const call = { name: 'run_task', arguments: { task: '水在几度沸腾？（被杀）' } }
    const cut = expect(client.callTool(call)).rejects.toThrow()
    await expect.poll(() => served.model.requests.length).toBe(1)
    await expect.poll(async () => (await newest())?.title).toContain('（被杀）')
    const session = (await newest())?.id ?? ''
    await served.restart()
    await cut
    const again = await client.callTool(call)
    expect(again.structuredContent).toMatchObject({ session_id: session, result: '海平面上一百度。' })
    await client.close()
  })
})

describe.each(ERAS)('a client of the era %s', (era) => {
  test('that goes away stops no run, and the same call joins it', async ({ expect }) => {
    const client = await mcpClient(served, era)
    await served.script([HELD])
    const call = { name: 'run_task', arguments: { task: `Go on without me (${era}).` } }
    const left = client.callTool(call).catch(() => null)
    await expect.poll(async () => (await newest())?.title).toContain(`(${era})`)
    const session = (await newest())?.id ?? ''
    if (era === 'stateless') {
      const again = client.callTool(call)
      await served.release()
      expect((await again).structuredContent).toMatchObject({ session_id: session, result: 'The whole answer.' })
    }
    await client.close()
    await served.release()
    await left
    await expect.poll(() => status(session)).toBe('completed')
  })

  test('asks two things at once, and reads the files of what it asked', async ({ expect }) => {
    const client = await mcpClient(served, era)
    await served.script([
      calls('write_file', { path: '笔记.md', content: '# 水' }),
      calls('finish', { reason: 'Written.' }),
    ])
    const { content, structuredContent } = await client.callTool({
      name: 'run_task',
      arguments: { task: `写一个文件（${era}）` },
    })
    const link = content.find(({ type }) => type === 'resource_link')
    expect(link).toMatchObject({ name: '笔记.md', uri: expect.stringContaining('yaa://sessions/ses_') })
    const uri = link && 'uri' in link ? link.uri : ''
    expect(await client.readResource({ uri })).toMatchObject({ contents: [{ uri, text: '# 水' }] })
    expect((await client.listResources()).resources.map((one) => one.uri)).toContain(uri)
    await expect(client.readResource({ uri: `${uri}x` })).rejects.toMatchObject({ message: expect.any(String) })
    await served.script([says('One.'), says('Two.')])
    const both = await Promise.all(
      ['A', 'B'].map((task) => client.callTool({ name: 'run_task', arguments: { task: `${task} (${era})` } })),
    )
    const sessions = both.map((one) => (one.structuredContent as { session_id: string }).session_id)
    expect(new Set([...sessions, (structuredContent as { session_id: string }).session_id]).size).toBe(3)
    await client.close()
  })

  test('is offered an exposed skill as a tool, and skills as prompts', async ({ expect }) => {
    const name = `boil-${era}`
    const skill = {
      name,
      version: '1',
      description: 'Says at how many degrees something boils.',
      prompt: 'Say at how many degrees {{what}} boils.',
      expose: true,
      inputs: [{ name: 'what', required: true, description: 'What boils.' }],
      output_schema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
    }
    const added = await fetch(`${served.url}/v1/skills`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(skill),
    })
    expect(added.status).toBe(201)
    const client = await mcpClient(served, era)
    const tool = (await client.listTools()).tools.find((one) => one.name === name)
    expect(tool).toMatchObject({
      inputSchema: { properties: { what: { type: 'string' } }, required: ['what'] },
      outputSchema: { properties: { degrees: { type: 'number' } } },
    })
    await served.script([calls('finish', { reason: '{"degrees": 100}' })])
    const result = await client.callTool({ name, arguments: { what: 'water' } })
    expect(result, JSON.stringify(result)).toMatchObject({ structuredContent: { degrees: 100 } })
    expect(await client.callTool({ name, arguments: {} })).toMatchObject({ isError: true })
    await served.script(Array(4).fill(calls('finish', { reason: '{"degrees": "hot"}' })))
    const misfit = await client.callTool({ name, arguments: { what: 'ice' } })
    expect(misfit).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('does not fit') }] })
    expect(misfit.structuredContent).toBeUndefined()
    const prompt = await client.getPrompt({ name, arguments: { what: 'milk' } })
    expect(prompt.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Say at how many degrees milk boils.' } },
    ])
    await client.close()
  })
})

/** A request of a client that takes tasks; gives the message that answers. */
const asked = (
  method: string,
  params: Record<string, unknown>,
  name: string,
  key = served.key,
  capabilities: object = TASKS,
) => stateless({ ...served, key }, { method, params, name, capabilities })
