import OpenAI from 'openai'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { a2aClient, answerOf, BINDINGS, sending, taskOf } from '../../support/a2a.ts'
import { NodeChat } from '../../support/ai-sdk/chat.ts'
import { ERAS, mcpClient } from '../../support/mcp-clients.ts'
import { startServed, type Served } from '../../support/served.ts'
import { agentOf, say, textOf } from './ag-ui/support.ts'

const NAME = 'yaa/workflow/greet'
let served: Served
let openai: OpenAI

beforeAll(async () => {
  served = await startServed({ html: '<title>Facts</title>' })
  openai = new OpenAI({ apiKey: served.key, baseURL: `${served.url}/v1` })
  await served.client.workflows.create({
    name: 'greet',
    description: 'Greets somebody.',
    expose: true,
    inputs: {
      type: 'object',
      properties: { who: { type: 'string' }, often: { type: 'integer' } },
      required: ['who'],
      additionalProperties: false,
    },
    steps: [{ id: 'say', type: 'set', values: { text: 'Hello, {{ inputs.who }}!' } }],
    output: '{{ steps.say.output.text }}',
  })
  await served.client.workflows.create({
    name: 'hidden',
    description: 'Is no tool.',
    steps: [{ id: 'a', type: 'set', values: {} }],
  })
})
afterAll(() => served.close())

describe('a workflow is named', () => {
  test('by clients of OpenAI, whose words are its inputs', async ({ expect }) => {
    const ask = (content: string, model = NAME) =>
      openai.chat.completions.create({ model, messages: [{ role: 'user', content }] })
    expect((await ask('Li Wei')).choices[0]?.message.content).toBe('Hello, Li Wei!')
    expect((await ask('{"who": "Ann", "often": 2}', 'greet')).choices[0]?.message.content).toBe('Hello, Ann!')
    await expect(ask('{"often": "twice"}')).rejects.toMatchObject({ status: 400 })
    const first = await openai.responses.create({ model: NAME, input: 'Ann' })
    expect(first.output_text).toBe('Hello, Ann!')
    const next = await openai.responses.create({ model: NAME, input: 'Bo', previous_response_id: first.id })
    expect(next.output_text).toBe('Hello, Bo!')
    const listed = (await openai.models.list()).data
    expect(listed.find(({ id }) => id === NAME)).toMatchObject({ kind: 'workflow', owned_by: 'tenant' })
    expect(listed.map(({ id }) => id)).toContain('yaa/workflow/page-digest')
    await expect(ask('x', 'yaa/workflow/none')).rejects.toMatchObject({ status: 404 })
  })

  test('by the AI SDK and by AG-UI, message by message', async ({ expect }) => {
    const chat = new NodeChat(served, { id: 'chat-of-a-workflow', body: { model: NAME } })
    await chat.sendMessage({ text: 'Ann' })
    await chat.sendMessage({ text: 'Bo' })
    expect(chat.texts).toEqual(['Ann', 'Hello, Ann!', 'Bo', 'Hello, Bo!'])
    const agent = agentOf(served, { name: NAME })
    expect(textOf(await say(agent, 'Ann'))).toBe('Hello, Ann!')
    expect(textOf(await say(agent, 'Bo'))).toBe('Hello, Bo!')
  })

  test.for(BINDINGS)('by A2A over %s, whose card has it', async (binding, { expect }) => {
    const client = await a2aClient(served.url, served.key, binding, [])
    const sent = sending('Ann')
    const task = taskOf(await client.sendMessage({ ...sent, metadata: { skill: NAME } }))
    expect(answerOf(task)).toBe('Hello, Ann!')
    const card = await client.getAgentCard()
    expect(card.skills.find(({ id }) => id === 'yaa/workflow/page-digest')?.tags).toEqual(['workflow'])
  })
})

describe('a workflow that waits', () => {
  test('takes decisions alone: words beside them are refused at their place, and nothing was decided', async ({
    expect,
  }) => {
    await served.client.workflows.create({
      name: 'asked',
      description: 'Asks first.',
      steps: [{ id: 'agree', type: 'wait', approval: 'Go on?' }],
      output: '{{ steps.agree.output.approved }}',
    })
    const first = await openai.responses.create({ model: 'yaa/workflow/asked', input: 'Ann' })
    const item = first.output.find(({ type }) => type === 'mcp_approval_request')
    const decision = { type: 'mcp_approval_response' as const, approval_request_id: item?.id ?? '', approve: true }
    const answer = (input: OpenAI.Responses.ResponseInput) =>
      openai.responses.create({ model: 'yaa/workflow/asked', previous_response_id: first.id, input })
    const both = answer([decision, { role: 'user', content: 'and quickly' }])
    await expect(both).rejects.toMatchObject({ status: 400, param: 'input[1].content' })
    await expect(both).rejects.toThrow(/answer alone what waits/)
    expect((await answer([decision])).output_text).toBe('true')
  })
})

describe.each(ERAS)('a workflow for a client of MCP of the era %s', (era) => {
  test('is a tool where it is exposed, with its inputs as the schema', async ({ expect }) => {
    const client = await mcpClient(served, era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['run_task', 'session_status', 'greet'])
    expect(tools[2]).toMatchObject({
      description: 'Greets somebody.',
      inputSchema: { type: 'object', properties: { often: { type: 'integer' } }, required: ['who'] },
    })
    const done = await client.callTool({ name: 'greet', arguments: { who: 'Ann' } })
    expect(done).toMatchObject({ content: [{ type: 'text', text: 'Hello, Ann!' }] })
    const wrong = await client.callTool({ name: 'greet', arguments: { who: 7 } })
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('inputs.who') }] })
    await expect(client.callTool({ name: 'hidden', arguments: {} })).rejects.toMatchObject({ code: -32_602 })
    const named = await client.callTool({ name: 'run_task', arguments: { task: 'Bo', agent: NAME } })
    expect(named).toMatchObject({ structuredContent: { status: 'completed', result: 'Hello, Bo!' } })
    await client.close()
  })
})
