import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Era, ERAS, mcpClient, stateless } from '../../../support/mcp-clients.ts'
import { calls, says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'

let served: Served
beforeAll(async () => {
  served = await startServed({
    html: '<p>Water boils at 100 degrees.</p>',
    config: { tools: { ask_form: { enabled: true }, wait: { enabled: true } } },
  })
})
afterAll(() => served.close())

type Asked = Extract<ElicitRequest['params'], { requestedSchema: unknown }>

/** A client whose user answers forms so, one after the other; gives what they were shown. */
async function clientThat(era: Era, answers: ElicitResult[]) {
  const client = await mcpClient(served, era, { capabilities: { elicitation: {} } })
  const asked: Asked[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if ('requestedSchema' in params) asked.push(params)
    return answers.shift() ?? { action: 'cancel' }
  })
  return { client, asked }
}

const accept = (content: Record<string, string | number | boolean | string[]>): ElicitResult => ({
  action: 'accept',
  content,
})
const ROOM = {
  type: 'object',
  properties: { city: { type: 'string', title: '城市' }, nights: { type: 'integer', minimum: 1 } },
  required: ['city', 'nights'],
}
const lastAsked = () => JSON.stringify(served.model.requests.at(-1)?.body)

describe.each(ERAS)('a question to the user of a client of the era %s', (era) => {
  test('is a form, with its options', async ({ expect }) => {
    const { client, asked } = await clientThat(era, [accept({ answer: 'Bonn' })])
    await served.script([calls('ask', { question: '哪个城市？', options: ['Köln', 'Bonn'] }), says('Bonn it is.')])
    const result = await client.callTool({ name: 'run_task', arguments: { task: `Book a room (${era}).` } })
    expect(result.structuredContent, JSON.stringify(result)).toMatchObject({ result: 'Bonn it is.' })
    expect(asked).toMatchObject([
      { message: '哪个城市？', requestedSchema: { properties: { answer: { enum: ['Köln', 'Bonn'] } } } },
    ])
    await client.close()
  })

  test('with a form of its own shows that', async ({ expect }) => {
    const { client, asked } = await clientThat(era, [accept({ city: 'Köln', nights: 2 })])
    await served.script([calls('ask_form', { question: 'Which room?', form: ROOM }), says('Booked.')])
    const result = await client.callTool({ name: 'run_task', arguments: { task: `Book by form (${era}).` } })
    expect(result.structuredContent, JSON.stringify(result)).toMatchObject({ result: 'Booked.' })
    expect(asked[0]?.requestedSchema).toMatchObject(ROOM)
    expect(lastAsked()).toMatch(/Köln[^]*nights[^]*2/)
    await client.close()
  })

  test('whose form no client can show is a text', async ({ expect }) => {
    const nested = { type: 'object', properties: { room: ROOM }, required: ['room'] }
    const answer = '{"room": {"city": "Köln", "nights": 2}}'
    const { client, asked } = await clientThat(era, [accept({ answer })])
    await served.script([calls('ask_form', { question: 'Which room?', form: nested }), says('Booked.')])
    const result = await client.callTool({ name: 'run_task', arguments: { task: `Book nested (${era}).` } })
    expect(result.structuredContent, JSON.stringify(result)).toMatchObject({ result: 'Booked.' })
    expect(asked[0]?.requestedSchema.properties).toMatchObject({ answer: { type: 'string' } })
    expect(asked[0]?.message).toContain('"nights"')
    await client.close()
  })

  test('is not what waits for a time: its client is told', async ({ expect }) => {
    const { client, asked } = await clientThat(era, [])
    await served.script([calls('wait', { seconds: 3_600, reason: 'The kettle.' })])
    const result = await client.callTool({ name: 'run_task', arguments: { task: `Wait an hour (${era}).` } })
    expect([result.structuredContent, asked]).toMatchObject([{ status: 'interrupted', result: null }, []])
    await client.close()
  })
})

describe('a task that goes on behind its call', () => {
  test('says what it needs, and tasks/update gives it', async ({ expect }) => {
    const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: {} }
    const url = `${served.site.url}/t`
    await served.script([
      { content: null, tool_calls: [{ name: 'web_access', arguments: { url } }], hold_after: 0 },
      says('Read.'),
    ])
    const ask = (method: string, params: Record<string, unknown>, name: string) =>
      stateless(served, { method, params, name, capabilities: TASKS })
    const begun = await ask('tools/call', { name: 'run_task', arguments: { task: 'Take long, then ask.' } }, 'run_task')
    const { taskId } = begun.result as { taskId: string }
    await served.release()
    const waits = () => ask('tasks/get', { taskId }, taskId)
    await expect.poll(waits).toMatchObject({ result: { status: 'input_required' } })
    const { inputRequests } = (await waits()).result as { inputRequests: Record<string, ElicitRequest> }
    const [id = ''] = Object.keys(inputRequests)
    expect(inputRequests[id]?.params.message).toContain(url)
    const unclear = { [id]: { action: 'accept', content: {} } }
    expect(await ask('tasks/update', { taskId, inputResponses: unclear }, taskId)).toMatchObject({
      error: { code: -32_602 },
    })
    const responses = { [id]: accept({ decision: 'approve' }), pnd_unknown: accept({ decision: 'approve' }) }
    expect(await ask('tasks/update', { taskId, inputResponses: responses }, taskId)).toMatchObject({ result: {} })
    await expect
      .poll(waits)
      .toMatchObject({ result: { status: 'completed', result: { content: [{ text: 'Read.' }] } } })
    expect(served.site.hits).toContain('/t')
    expect(await ask('tasks/update', { taskId, inputResponses: responses }, taskId)).toMatchObject({ result: {} })
  })
})
