import { afterAll, beforeAll, describe, test } from 'vitest'
import { says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { PNG_BASE64 } from '../../../support/small-image.ts'
import { agentOf, allOf, last, PAGE, run, say, textOf, typesOf, user } from './support.ts'

const ORIGIN = 'https://app.example'

let served: Served
beforeAll(async () => {
  served = await startServed({ html: PAGE, config: { cors: { origins: [ORIGIN] } } })
})
afterAll(() => served.close())

const lastAsked = () => JSON.stringify(served.model.requests.at(-1)?.body)

describe('what a user brings along', () => {
  test('is seen or read by the model, and a part that cannot be is refused with its place', async ({ expect }) => {
    await served.script([says('一个红点。')])
    const agent = agentOf(served)
    const events = await say(agent, [
      { type: 'text', text: '这是什么？' },
      { type: 'image', source: { type: 'data', value: PNG_BASE64, mimeType: 'image/png' } },
      {
        type: 'document',
        source: { type: 'data', value: btoa('Water boils at 100.'), mimeType: 'text/plain' },
        metadata: { filename: 'facts.txt' },
      },
    ])
    expect(textOf(events)).toBe('一个红点。')
    expect(lastAsked()).toMatch(/这是什么？[^]*image\/png[^]*Water boils at 100\./)
    const broken = agentOf(served)
    const source = { type: 'data' as const, value: 'not a picture', mimeType: 'image/png' }
    await expect(say(broken, [{ type: 'image', source }])).rejects.toMatchObject({
      status: 400,
      payload: {
        type: 'RUN_ERROR',
        code: 'invalid_input',
        message: expect.stringContaining('messages.0.content.0.data'),
      },
    })
    await served.script([says('Nothing was lost.')])
    broken.setMessages([])
    expect(textOf(await say(broken, 'Then without.'))).toBe('Nothing was lost.')
  })
})

describe('thoughts', () => {
  test('are a message of reasoning before the answer', async ({ expect }) => {
    await served.script([{ content: 'At 100.', reasoning: 'Sea level, 海平面.' }])
    const agent = agentOf(served)
    const events = await say(agent, 'When does water boil?')
    const types = typesOf(events)
    expect(types.indexOf('REASONING_END')).toBeLessThan(types.indexOf('TEXT_MESSAGE_START'))
    expect(agent.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'When does water boil?'],
      ['reasoning', 'Sea level, 海平面.'],
      ['assistant', 'At 100.'],
    ])
  })
})

describe('a message during a run', () => {
  test('is heard by its next model call, and told to whoever follows', async ({ expect }) => {
    await served.script([{ content: 'Let me see.', chunks: 2, hold_after: 1 }, says('Both boil.')])
    const agent = agentOf(served)
    const begun = Promise.withResolvers<string>()
    agent.addMessage(user('How hot is a kettle?'))
    const first = agent.runAgent(
      {},
      { onRunStartedEvent: ({ event }) => begun.resolve((event.metadata as { yaa: { session: string } }).yaa.session) },
    )
    const session = await begun.promise
    const second = agentOf(served, { threadId: agent.threadId })
    const steered = say(second, 'And milk?')
    const said = async () => JSON.stringify((await served.client.sessions.get(session)).messages)
    await expect.poll(said).toContain('And milk?')
    await served.release()
    await first
    expect(last(await steered, 'RUN_FINISHED')).toMatchObject({ result: 'Both boil.' })
    expect(lastAsked()).toMatch(/How hot is a kettle\?[^]*And milk\?/)
  })

  test('is heard alone where its client sends what came before once more, as nothing was answered yet', async ({
    expect,
  }) => {
    await served.script([{ content: 'Let me see.', hold_after: 0 }, says('Both boil.')])
    const agent = agentOf(served)
    const [one, other] = [user('How hot is a pan?'), user('And oil?')]
    agent.addMessage(one)
    const begun = Promise.withResolvers<string>()
    const first = agent.runAgent(
      {},
      { onRunStartedEvent: ({ event }) => begun.resolve((event.metadata as { yaa: { session: string } }).yaa.session) },
    )
    const session = await begun.promise
    const second = agentOf(served, { threadId: agent.threadId, messages: [one, other] })
    const steered = run(second)
    const said = async () => {
      const { messages } = await served.client.sessions.get(session)
      return messages.filter(({ role }) => role === 'user').map(({ content }) => content)
    }
    await expect.poll(said).toEqual(['How hot is a pan?', 'And oil?'])
    const again = run(agentOf(served, { threadId: agent.threadId, messages: [one, other] }))
    await served.release()
    await first
    for (const events of [await steered, await again])
      expect(last(events, 'RUN_FINISHED')).toMatchObject({ result: 'Both boil.' })
    expect(await said()).toHaveLength(2)
  })
})

describe('a team', () => {
  test('has its roles as agents, a round each, and its bus as state', async ({ expect }) => {
    await served.script([says('The PRD.'), says('The design.'), says('代码。')])
    const agent = agentOf(served, { name: 'yaa/team/software', state: { mine: 1 } })
    const events = await say(agent, 'Build it.')
    const started = allOf(events, 'SUBAGENT_STARTED')
    expect(started.length).toBeGreaterThanOrEqual(3)
    expect(allOf(events, 'SUBAGENT_FINISHED')).toHaveLength(started.length)
    const ids = new Set(started.map((event) => event['subagentRunId']))
    for (const message of allOf(events, 'TEXT_MESSAGE_START'))
      if (message['subagentRunId'] !== undefined) expect(ids).toContain(message['subagentRunId'])
    const { team, mine } = agent.state as { mine: number; team: { messages: { content: string }[] } }
    expect(mine).toBe(1)
    expect(team.messages.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['Build it.', 'The PRD.', 'The design.', '代码。']),
    )
    expect(last(events, 'RUN_FINISHED')).toMatchObject({ outcome: { type: 'success' } })
  })
})

describe('a budget that ends', () => {
  test('is the error of the run, with its code', async ({ expect }) => {
    const limits = { day: { max_total_tokens: 1 } }
    const { key = '' } = await served.client.keys.create({ name: 'poor', scopes: ['run', 'read'], limits })
    await served.script([says('Never.')])
    const told = await say(agentOf(served, { key }), 'Spend.').catch((error: unknown) => error)
    expect(JSON.stringify(told)).toContain('budget_exhausted')
    expect(served.model.requests).toEqual([])
  })
})

describe('a page of another origin', () => {
  test('may ask where it is named, and reads which session answers', async ({ expect }) => {
    const url = `${served.url}/v1/ag-ui/yaa`
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    await served.script([says('Hello.')])
    const asked = { threadId: 'page', runId: 'r', messages: [user('Hello')], tools: [], context: [], state: {} }
    const post = (origin: string) =>
      fetch(url, {
        method: 'POST',
        headers: { origin, authorization: `Bearer ${served.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(asked),
      })
    const answer = await post(ORIGIN)
    expect(await answer.text()).toContain('RUN_FINISHED')
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/x-yaa-session/i)
    const other = await post('https://other.example')
    await other.text()
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('two threads at once', () => {
  test('are told apart', async ({ expect }) => {
    await served.script([says('Same.'), says('Same.')])
    const [one, two] = [agentOf(served), agentOf(served)]
    one.addMessage(user('One?'))
    two.addMessage(user('Two?'))
    const both = await Promise.all([run(one), run(two)])
    expect(both.map(textOf)).toEqual(['Same.', 'Same.'])
    const sessions = both.map((events) => JSON.stringify(last(events, 'RUN_STARTED')['metadata']))
    expect(new Set(sessions).size).toBe(2)
  })
})
