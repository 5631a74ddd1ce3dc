import type { RunAgentParameters } from '@ag-ui/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { calls, says } from '../../../support/scripted-model.ts'
import { startServed, type Served } from '../../../support/served.ts'
import { agentOf, type AgentOptions, allOf, type Event, last, PAGE, run, say, textOf, typesOf } from './support.ts'

let served: Served

beforeAll(async () => {
  served = await startServed({ html: PAGE })
})
afterAll(() => served.close())

const lastAsked = () => JSON.stringify(served.model.requests.at(-1)?.body)
const visit = (path = '/a') => calls('web_access', { url: `${served.site.url}${path}` })
const asksFor = (path = '/a') => ({ name: 'web_access', arguments: { url: `${served.site.url}${path}` } })

interface Interrupt {
  id: string
  reason: string
  toolCallId?: string
  message: string
}

function interruptsOf(events: readonly Event[]): Interrupt[] {
  const { outcome } = last(events, 'RUN_FINISHED') as unknown as { outcome: { type: string; interrupts: Interrupt[] } }
  if (outcome.type !== 'interrupt') throw new Error(`no interrupt but ${JSON.stringify(outcome)}`)
  return outcome.interrupts
}

function sessionOf(events: readonly Event[]): string {
  const { yaa } = last(events, 'RUN_STARTED')['metadata'] as { yaa: { session: string } }
  return yaa.session
}

const resolved = (interruptId: string, payload: unknown) => ({ interruptId, status: 'resolved' as const, payload })

async function interrupted(words: string, options: AgentOptions = {}, parameters: RunAgentParameters = {}) {
  const agent = agentOf(served, options)
  const events = await say(agent, words, parameters)
  const [found] = interruptsOf(events)
  if (!found) throw new Error('nothing waits')
  return { agent, events, found }
}

describe('an approval', () => {
  test('is an interrupt behind both snapshots, and the resume that approves it is told the result', async ({
    expect,
  }) => {
    await served.script([visit(), says('Read.')])
    const { agent, events, found } = await interrupted('Read the page.')
    expect(typesOf(events).slice(-3)).toEqual(['STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED'])
    expect(found).toMatchObject({
      reason: 'tool_call',
      toolCallId: last(events, 'TOOL_CALL_START')['toolCallId'],
      responseSchema: { required: ['approved'] },
      metadata: { yaa: { tool: 'web_access' } },
    })
    expect(agent.pendingInterrupts).toHaveLength(1)
    const loaded = await run(agentOf(served, { threadId: agent.threadId }))
    expect(interruptsOf(loaded).map(({ message }) => message)).toEqual([found.message])
    const told = agent.messages.map(({ role }) => role)
    const more = await run(agent, { resume: [resolved(found.id, { approved: true })] })
    expect(typesOf(more)).not.toContain('TOOL_CALL_START')
    expect(last(more, 'TOOL_CALL_RESULT')).toMatchObject({ toolCallId: found.toolCallId })
    expect(String(last(more, 'TOOL_CALL_RESULT')['content'])).toContain('100 degrees')
    expect(textOf(more)).toBe('Read.')
    expect(agent.pendingInterrupts).toEqual([])
    expect(agent.messages.map(({ role }) => role)).toEqual([...told, 'tool', 'assistant'])
  })

  test('is refused with a reason, given with other arguments, or given up', async ({ expect }) => {
    await served.script([visit(), says('Then not.')])
    const no = await interrupted('Read it (refused).')
    const refused = await run(no.agent, { resume: [resolved(no.found.id, { approved: false, feedback: 'too far' })] })
    expect(textOf(refused)).toBe('Then not.')
    expect(lastAsked()).toContain('too far')
    await served.script([visit(), says('The other.')])
    const edit = await interrupted('Read it (edited).')
    const editedArgs = { url: `${served.site.url}/b` }
    const edited = await run(edit.agent, { resume: [resolved(edit.found.id, { approved: true, editedArgs })] })
    expect(textOf(edited)).toBe('The other.')
    expect(served.site.hits).toContain('/b')
    await served.script([visit(), says('Left.')])
    const left = await interrupted('Read it (given up).')
    const given = await run(left.agent, { resume: [{ interruptId: left.found.id, status: 'cancelled' }] })
    expect(textOf(given)).toBe('Left.')
  })

  test('that is one of several is answered with the others, all at once', async ({ expect }) => {
    await served.script([{ content: null, tool_calls: [asksFor('/a'), asksFor('/b')] }, says('Both.')])
    const agent = agentOf(served)
    const [one, two] = interruptsOf(await say(agent, 'Read both.'))
    const more = await run(agent, {
      resume: [resolved(one?.id ?? '', { approved: true }), resolved(two?.id ?? '', { approved: false })],
    })
    const results = allOf(more, 'TOOL_CALL_RESULT').map((event) => event['toolCallId'])
    expect(new Set(results)).toEqual(new Set([one?.toolCallId, two?.toolCallId]))
    expect(textOf(more)).toBe('Both.')
  })

  test('outlives a message that does not answer it, which is told to', async ({ expect }) => {
    await served.script([{ content: null, tool_calls: [asksFor('/kept'), asksFor('/left')] }, says('One of them.')])
    const agent = agentOf(served)
    const [one, two] = interruptsOf(await say(agent, 'Read both (no answer).'))
    const reloaded = (messages: typeof agent.messages) => agentOf(served, { threadId: agent.threadId, messages })
    const turnedAway = {
      status: 400,
      payload: {
        type: 'RUN_ERROR',
        code: 'invalid_input',
        message: expect.stringContaining(`resume: an answer to ${two?.id}`),
      },
    }
    await expect(say(reloaded([]), 'Something else.')).rejects.toMatchObject(turnedAway)
    await expect(say(reloaded(agent.messages), 'Something else.')).rejects.toMatchObject(turnedAway)
    const half = run(reloaded(agent.messages), { resume: [resolved(one?.id ?? '', { approved: true })] })
    await expect(half).rejects.toMatchObject(turnedAway)
    expect(served.site.hits).not.toContain('/kept')
    const page = reloaded([])
    expect(interruptsOf(await run(page)).map(({ id }) => id)).toEqual([one?.id, two?.id])
    const more = await run(page, {
      resume: [resolved(one?.id ?? '', { approved: true }), { interruptId: two?.id ?? '', status: 'cancelled' }],
    })
    expect(textOf(more)).toBe('One of them.')
    expect(served.site.hits).toContain('/kept')
    expect(served.site.hits).not.toContain('/left')
  })

  test('that was decided elsewhere lets its client go on', async ({ expect }) => {
    const elsewhere = async (agent: Awaited<ReturnType<typeof interrupted>>) => {
      const session = sessionOf(agent.events)
      await served.client.sessions.decide(session, agent.found.id, { decision: 'reject', feedback: 'not here' })
    }
    await served.script([visit(), says('Then not.'), says('Next.')])
    const late = await interrupted('Read it (decided elsewhere).')
    await elsewhere(late)
    const told = await run(late.agent, { resume: [resolved(late.found.id, { approved: true })] })
    expect(String(last(told, 'TOOL_CALL_RESULT')['content'])).toContain('not here')
    expect(textOf(told)).toBe('Then not.')
    expect(late.agent.pendingInterrupts).toEqual([])
    expect(textOf(await say(late.agent, 'And now?'))).toBe('Next.')
    await served.script([visit(), says('Then not.'), says('Something else.')])
    const left = await interrupted('Read it (left).')
    await elsewhere(left)
    const resume = [{ interruptId: left.found.id, status: 'cancelled' as const }]
    expect(textOf(await say(left.agent, 'Something else.', { resume }))).toBe('Something else.')
    await served.script([visit(), says('Then not.'), says('Gladly.')])
    const both = await interrupted('Read it (decided twice).')
    await elsewhere(both)
    const agreed = { resume: [resolved(both.found.id, { approved: true })] }
    expect(textOf(await say(both.agent, 'And sum it up.', agreed))).toBe('Gladly.')
    await served.script([visit()])
    const stopped = await interrupted('Read it (stopped).')
    await served.client.sessions.cancel(sessionOf(stopped.events))
    const end = await run(stopped.agent, { resume: [resolved(stopped.found.id, { approved: true })] })
    expect(last(end, 'RUN_FINISHED')).toMatchObject({ outcome: { type: 'cancelled' } })
    expect(stopped.agent.pendingInterrupts).toEqual([])
    const stranger = run(agentOf(served, { threadId: left.agent.threadId }), {
      resume: [resolved('int_1', { approved: true })],
    })
    await expect(stranger).rejects.toMatchObject({ status: 409, payload: { code: 'stale_decision' } })
  })

  test('needs a key that may decide, and a payload that says what', async ({ expect }) => {
    const made = await served.client.keys.create({ name: 'runs', scopes: ['run', 'read'] })
    await served.script([visit(), says('Never.')])
    const { agent, found } = await interrupted('Read it (no decider).', { key: made.key ?? '' })
    await expect(run(agent, { resume: [resolved(found.id, { approved: true })] })).rejects.toMatchObject({
      status: 403,
      payload: { type: 'RUN_ERROR', code: 'forbidden' },
    })
    await served.script([visit()])
    const own = await interrupted('Read it (no payload).')
    const unclear = run(own.agent, { resume: [{ interruptId: own.found.id, status: 'resolved' }] })
    await expect(unclear).rejects.toMatchObject({ status: 400, payload: { code: 'invalid_input' } })
  })

  test('that is answered again is told nothing that its client has', async ({ expect }) => {
    await served.script([visit('/again'), visit('/more'), says('Read.')])
    const { agent, found } = await interrupted('Read it, and again.')
    const resume = [resolved(found.id, { approved: true, remember: 'session' })]
    await run(agent, { resume })
    const before = agent.messages.map(({ id }) => id)
    const again = await run(agent, { resume })
    expect(typesOf(again)).not.toContain('TOOL_CALL_RESULT')
    expect(typesOf(again)).not.toContain('TOOL_CALL_START')
    expect(agent.messages.map(({ id }) => id)).toEqual(before)
  })
})

describe('a question', () => {
  test('is an interrupt that a text answers', async ({ expect }) => {
    await served.script([calls('ask', { question: 'Which city?', options: ['Köln', 'Bonn'] }), says('Bonn it is.')])
    const { agent, found } = await interrupted('Book a room.')
    expect(found).toMatchObject({ reason: 'input_required', message: expect.stringMatching(/Which city\?[^]*Köln/) })
    expect(textOf(await run(agent, { resume: [resolved(found.id, { answer: 'Bonn' })] }))).toBe('Bonn it is.')
    // The client sends the words of its user again, for it heard no message of the agent behind them.
    expect(lastAsked()?.match(/"role":"user","content":"Book a room\."/g)).toHaveLength(1)
  })
})

describe('a tool of the caller', () => {
  const ORDER = {
    name: 'find_order',
    description: 'Looks up an order.',
    parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  }

  test('is called at the end of a run that is a success, and its result begins the next', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), says('It is in Köln.')])
    const agent = agentOf(served)
    const events = await say(agent, 'Where is order 7?', { tools: [ORDER] })
    const { toolCallId } = last(events, 'TOOL_CALL_START') as unknown as { toolCallId: string }
    expect(last(events, 'TOOL_CALL_ARGS')['delta']).toBe('{"number":7}')
    expect(last(events, 'RUN_FINISHED')).toMatchObject({
      outcome: { type: 'success', pendingToolCallIds: [toolCallId] },
    })
    agent.addMessage({ id: 'result-7', role: 'tool', toolCallId, content: 'Köln' })
    const more = await run(agent, { tools: [ORDER] })
    expect(textOf(more)).toBe('It is in Köln.')
    expect(typesOf(more)).not.toContain('TOOL_CALL_RESULT')
    expect(lastAsked()).toContain('Köln')
    await served.script([says('Next.')])
    expect(textOf(await say(agent, 'And now?'))).toBe('Next.')
  })

  test('that was called beside one that asks is still to be called once that is decided', async ({ expect }) => {
    const order = { name: 'find_order', arguments: { number: 8 } }
    await served.script([{ content: null, tool_calls: [order, asksFor()] }, says('Both.')])
    const { agent, found, events } = await interrupted('Where is order 8, and read it.', {}, { tools: [ORDER] })
    const call = allOf(events, 'TOOL_CALL_START').find(({ toolCallName: name }) => name === 'find_order')
    const toolCallId = String(call?.['toolCallId'])
    const decided = await run(agent, { tools: [ORDER], resume: [resolved(found.id, { approved: true })] })
    expect(last(decided, 'RUN_FINISHED')).toMatchObject({
      outcome: { type: 'success', pendingToolCallIds: [toolCallId] },
    })
    agent.addMessage({ id: 'result-8', role: 'tool', toolCallId, content: 'Bonn' })
    expect(textOf(await run(agent, { tools: [ORDER] }))).toBe('Both.')
  })

  test('takes results one by one, each request with those before it', async ({ expect }) => {
    const orders = [7, 8].map((number) => ({ name: 'find_order', arguments: { number } }))
    await served.script([{ content: null, tool_calls: orders }, says('Both.')])
    const agent = agentOf(served)
    const ids = allOf(await say(agent, 'Where are 7 and 8?', { tools: [ORDER] }), 'TOOL_CALL_START').map((event) =>
      String(event['toolCallId']),
    )
    const [one = '', two = ''] = ids
    agent.addMessage({ id: 'one', role: 'tool', toolCallId: one, content: 'Köln' })
    expect(last(await run(agent, { tools: [ORDER] }), 'RUN_FINISHED')).toMatchObject({
      outcome: { pendingToolCallIds: [two] },
    })
    agent.addMessage({ id: 'two', role: 'tool', toolCallId: two, content: 'Bonn' })
    expect(textOf(await run(agent, { tools: [ORDER] }))).toBe('Both.')
    expect(lastAsked()).toContain('Bonn')
  })

  test('hears words beside a result that comes too late', async ({ expect }) => {
    await served.script([calls('find_order', { number: 7 }), says('So it is.'), says('Next.')])
    const agent = agentOf(served)
    const events = await say(agent, 'Where is order 7?', { tools: [ORDER] })
    const toolCallId = String(last(events, 'TOOL_CALL_START')['toolCallId'])
    await served.client.sessions.decide(sessionOf(events), toolCallId, { result: 'Köln' })
    agent.addMessage({ id: 'late', role: 'tool', toolCallId, content: 'Bonn' })
    expect(textOf(await say(agent, 'And now?'))).toBe('Next.')
    expect(lastAsked()).toContain('And now?')
    expect(lastAsked()).not.toContain('Bonn')
  })
})
