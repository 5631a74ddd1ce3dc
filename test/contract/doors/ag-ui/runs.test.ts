import type { Message } from '@ag-ui/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startServed, type Served } from '../../../support/served.ts'
import { NOTHING_LEFT, plan } from '../../../support/planned.ts'
import { says } from '../../../support/scripted-model.ts'
import { agentOf, type Event, last, PAGE, run, say, textOf, typesOf, user } from './support.ts'

let served: Served

beforeAll(async () => {
  served = await startServed({ html: PAGE })
})
afterAll(() => served.close())

describe('a run', () => {
  test('is told from its start to its end, and the next goes on in its session', async ({ expect }) => {
    await served.script([{ content: 'Water boils at 100, 在海平面。', chunks: 5 }, says('Yes.')])
    const agent = agentOf(served)
    const events = await say(agent, 'When does water boil?')
    expect(typesOf(events)[0]).toBe('RUN_STARTED')
    expect(textOf(events)).toBe('Water boils at 100, 在海平面。')
    expect(last(events, 'RUN_FINISHED')).toMatchObject({
      threadId: agent.threadId,
      outcome: { type: 'success' },
      result: 'Water boils at 100, 在海平面。',
      usage: [{ model: 'm', inputTokens: expect.any(Number) }],
    })
    expect(agent.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'When does water boil?'],
      ['assistant', 'Water boils at 100, 在海平面。'],
    ])
    expect(textOf(await say(agent, 'Sure?'))).toBe('Yes.')
    expect(JSON.stringify(served.model.requests.at(-1)?.body)).toContain('When does water boil?')
  })

  test('says of an answer that the service cut it, in its message and at its end', async ({ expect }) => {
    const cut = { yaa: { finish_reason: 'length' } }
    await served.script([{ content: 'Water boils at', finish_reason: 'length' }, says('100 °C.')])
    const agent = agentOf(served)
    expect(last(await say(agent, 'When does water boil?'), 'RUN_FINISHED')).toMatchObject({
      outcome: { type: 'success' },
      metadata: cut,
    })
    expect(agent.messages.at(-1)).toMatchObject({ content: 'Water boils at', metadata: cut })
    expect(last(await say(agent, 'Go on'), 'RUN_FINISHED')).not.toHaveProperty('metadata')
    const other = agentOf(served, { threadId: agent.threadId })
    await run(other)
    expect(other.messages.map(({ content, metadata }) => [content, metadata])).toEqual([
      ['When does water boil?', undefined],
      ['Water boils at', cut],
      ['Go on', undefined],
      ['100 °C.', undefined],
    ])
  })
})

const TEXT = 'Water boils at one hundred degrees, 在海平面。'
const HELD = { content: TEXT, chunks: 8, hold_after: 5 }

/** Begins a run, and goes away when words of the answer are there. */
async function leaves(agent: ReturnType<typeof agentOf>) {
  let heard = ''
  agent.addMessage(user('When does water boil?'))
  await agent
    .runAgent(
      {},
      {
        onTextMessageContentEvent: ({ event }) => {
          heard += event.delta
          if (heard.length > 5) agent.abortRun()
        },
      },
    )
    .catch(() => {})
  return heard
}

/** A run whose server is killed in the midst of its answer; gives what its client has of that. */
async function heardBeforeTheCrash(agent: ReturnType<typeof agentOf>, messages: Message[]): Promise<Message> {
  const response = await fetch(agent.url, {
    method: 'POST',
    headers: { ...agent.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ threadId: agent.threadId, runId: 'killed', messages }),
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.includes('TEXT_MESSAGE_CONTENT')) break
  }
  await served.restart()
  const told = text
    .split('\n\n')
    .flatMap((frame) => (frame.startsWith('data: ') ? [JSON.parse(frame.slice(6)) as Event] : []))
  return { id: String(last(told, 'TEXT_MESSAGE_START')['messageId']), role: 'assistant', content: textOf(told) }
}

const answersIn = (agent: ReturnType<typeof agentOf>) =>
  agent.messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []))

describe('a client that goes away', () => {
  test('stops nothing, and is told what it missed when it comes back with nothing new', async ({ expect }) => {
    await served.script([HELD])
    const agent = agentOf(served)
    const heard = await leaves(agent)
    expect(TEXT.startsWith(heard)).toBe(true)
    const back = run(agent)
    await served.release()
    const events = await back
    expect(last(events, 'RUN_FINISHED')).toMatchObject({ outcome: { type: 'success' }, result: TEXT })
    expect(answersIn(agent)).toEqual([TEXT])
    const fresh = agentOf(served, { threadId: agent.threadId })
    expect(last(await run(fresh), 'RUN_FINISHED')).toMatchObject({ result: TEXT })
    expect(fresh.messages).toEqual(agent.messages)
  })

  test('is told the whole answer behind a crash in the midst of it', async ({ expect }) => {
    await served.script([HELD, { content: TEXT, chunks: 3 }])
    const agent = agentOf(served)
    const asked = user('Killed.')
    agent.addMessage(asked)
    const partial = await heardBeforeTheCrash(agent, [asked])
    agent.addMessage(partial)
    await served.release()
    expect(last(await run(agent), 'RUN_FINISHED')).toMatchObject({ result: TEXT })
    expect(answersIn(agent)).toEqual([TEXT])
  })

  test('joins its run with the same message, and another thread is another session', async ({ expect }) => {
    await served.script([HELD])
    const message = user('Said twice.')
    const [one, two] = [1, 2].map(() => agentOf(served, { threadId: 'twice', messages: [message] }))
    if (!one || !two) throw new Error('two agents')
    let first: Promise<unknown> = Promise.resolve()
    const begun = new Promise<void>((resolve) => {
      first = one.runAgent({}, { onTextMessageStartEvent: () => resolve() })
    })
    await begun
    const joined = run(two)
    await served.release()
    await first
    expect(textOf(await joined)).toBe(TEXT)
    expect(answersIn(two)).toEqual(answersIn(one))
  })
})

describe('a run that is cancelled', () => {
  test('ends as that for whoever follows it', async ({ expect }) => {
    await served.script([HELD])
    const agent = agentOf(served)
    agent.addMessage(user('To be cancelled.'))
    const events: Event[] = []
    const stop = () =>
      fetch(`${agent.url}/cancel`, {
        method: 'POST',
        headers: { ...agent.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ threadId: agent.threadId }),
      })
    let answer: Promise<Response> | undefined
    await agent.runAgent(
      {},
      {
        onEvent: ({ event }) => void events.push(event),
        onTextMessageContentEvent: () => void (answer ??= stop()),
      },
    )
    expect(await (await answer)?.json()).toEqual({ threadId: agent.threadId, status: 'cancelled' })
    const { data } = await served.client.audit.list({ action: 'session.cancel', limit: 1 })
    const session_id = (await answer)?.headers.get('x-yaa-session')
    expect(data[0]).toMatchObject({ outcome: 'done', details: { session_id } })
    expect(last(events, 'RUN_FINISHED')).toMatchObject({ outcome: { type: 'cancelled' } })
    await served.release()
  })
})

describe('a request that cannot be', () => {
  test('is refused in the words of the protocol, and nothing is lost', async ({ expect }) => {
    const status = (agent: ReturnType<typeof agentOf>) =>
      say(agent, 'x').then(
        () => 0,
        (error: { status: number }) => error.status,
      )
    expect(await status(agentOf(served, { key: 'wrong' }))).toBe(401)
    expect(await status(agentOf(served, { name: 'nobody' }))).toBe(404)
    await expect(run(agentOf(served))).rejects.toMatchObject({
      status: 400,
      payload: { type: 'RUN_ERROR', code: 'invalid_input' },
    })
    const reader = await served.client.keys.create({ name: 'reads', scopes: ['read'] })
    expect(await status(agentOf(served, { key: reader.key ?? '' }))).toBe(403)
    const huge = await fetch(`${served.url}/v1/ag-ui/yaa`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.key}`, 'content-type': 'application/json' },
      body: 'x'.repeat(40 * 1024 * 1024),
    })
    expect([huge.status, await huge.json()]).toMatchObject([413, { type: 'RUN_ERROR', code: 'body_too_large' }])
  })
})

describe('a plan', () => {
  test('is shared state, and its sub-tasks are agents of their own', async ({ expect }) => {
    await served.script([says(plan('Say A')), says('A'), says(NOTHING_LEFT), says('All of it: A.')])
    const agent = agentOf(served, { name: 'yaa/plan', state: { mine: 1 } })
    const events = await say(agent, 'Say A.')
    const started = last(events, 'SUBAGENT_STARTED')
    expect(last(events, 'SUBAGENT_FINISHED')).toMatchObject({ subagentRunId: started['subagentRunId'], result: 'A' })
    expect(agent.state).toMatchObject({
      mine: 1,
      plan: { status: 'completed', tasks: [{ status: 'completed', result: 'A' }] },
    })
    expect(last(events, 'RUN_FINISHED')).toMatchObject({ outcome: { type: 'success' } })
  })
})

describe('a history that no session has', () => {
  test('begins one that holds it as it was given', async ({ expect }) => {
    await served.script([says('Twelve.')])
    const agent = agentOf(served, {
      messages: [user('What is six and six?'), { id: 'a-1', role: 'assistant', content: 'Ask me once more.' }],
    })
    expect(textOf(await say(agent, 'Once more.'))).toBe('Twelve.')
    expect(JSON.stringify(served.model.requests.at(-1)?.body)).toContain('What is six and six?')
  })
})
