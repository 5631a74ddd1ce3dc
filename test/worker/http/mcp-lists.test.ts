import { afterEach, describe, inject, test } from 'vitest'
import type { GateState } from '../../support/mcp-gates.ts'
import type { ListedMcpServer, McpServerInfo } from '../../../src/domain/mcp.ts'
import { serverFrom } from '../../../src/mcp/servers.ts'
import { engineOf } from '../../../src/objects/engine.ts'
import { directoryObject } from '../../../src/objects/env.ts'
import { hearUntil } from '../../support/sse.ts'
import { native } from '../../support/words.ts'
import { die } from '../session/die.ts'
import { call, json, type List, read, sent, stage, type Stage } from './http.ts'
import { env } from '../session/worker-home.ts'

const added: string[] = []

afterEach(async () => {
  for (const name of added.splice(0)) {
    await gate(name).set('open')
    await call('DELETE', `/v1/mcp-servers/${name}`)
  }
})

/** The server of a name: how it answers, and how often it was asked for its tools. */
const gate = (name: string) => ({
  set: (state: GateState) =>
    fetch(`${inject('gates')}/${name}`, { method: 'PUT', body: JSON.stringify({ state }) }).then(json<string>),
  asked: (count = 0) => fetch(`${inject('gates')}/${name}?count=${count}`).then(json<number>),
})

/** A server that the tenant has from elsewhere: nobody here has asked it what it offers. */
async function unasked(name: string, state: GateState, more: { description?: string } = {}) {
  added.push(name)
  await gate(name).set(state)
  const server = serverFrom({ name, url: `${inject('gates')}/${name}/mcp`, ...more })
  await directoryObject(env, 'default').putMcpServer(server, false)
  engineOf(env).mcp.forget('default')
  return gate(name)
}

const asksOf = ({ model }: Stage, language = 'en') => ({
  task: 'What is a yak?',
  config: { language, llm: { model: model.name, protocol: 'native' } },
})

const firstRun = (set: Stage) => call('POST', '/v1/sessions', { body: asksOf(set) })

/** A run in the background, by the id of its session. */
async function begun(set: Stage): Promise<{ id: string }> {
  const headers = { prefer: 'respond-async' }
  const { session_id: id } = await json<{ session_id: string }>(
    call('POST', '/v1/sessions', { body: asksOf(set), headers }),
    202,
  )
  return { id }
}

/** The first event of a type, behind a seq, that whoever follows a session is told. */
async function event({ id }: { id: string }, type: string, after: unknown = 0) {
  const headers = { accept: 'text/event-stream' }
  const { body } = await call('GET', `/v1/sessions/${id}/events?after=${String(after)}`, { headers })
  return (await hearUntil(body, (heard) => heard.event === type)).at(-1)?.data
}

async function errorsOf({ id }: { id: string }): Promise<string[]> {
  const headers = { accept: 'application/json' }
  const { data } = await json<List<{ type: string; detail?: string }>>(
    call('GET', `/v1/sessions/${id}/events?limit=100`, { headers }),
  )
  return data.flatMap(({ type, detail }) => (type === 'error' ? [detail ?? ''] : []))
}

/** The names of the tools, and the prompt, in the first request of a run. */
async function firstRequest({ model }: Stage): Promise<{ tools: string[]; prompt: string }> {
  const [first] = await model.asked(1)
  const tools = first?.body.tools?.map((tool) => tool.function.name) ?? []
  return { tools, prompt: first?.body.messages[0]?.content ?? '' }
}

const finishes = () => stage([{ ...native('finish', { reason: 'done' }), repeat: true }])

describe('the tools of a server that has not answered yet', () => {
  test('are in the first request of each of five runs that begin at once, and it is asked for them once', async ({
    expect,
  }) => {
    const words = await unasked('slow', 'held')
    const stages = await Promise.all([finishes(), finishes(), finishes(), finishes(), finishes()] as const)
    const [first, ...others] = stages
    const runs = [firstRun(first)]
    await words.asked(1)
    for (const set of others) runs.push(firstRun(set))
    await words.set('open')
    for (const run of runs) expect(await json(run, 201)).toMatchObject({ status: 'completed' })
    for (const set of stages) expect((await firstRequest(set)).tools).toContain('slow__look_up')
    expect(await words.asked()).toBe(1)
  })

  test('are waited for by each run, and who follows it is told so; the stateless call waits as well', async ({
    expect,
  }) => {
    const words = await unasked('slower', 'held')
    const stages = await Promise.all([finishes(), finishes()] as const)
    const runs = await Promise.all(stages.map(begun))
    for (const run of runs) expect(await event(run, 'tools-wait')).toMatchObject({ server: 'slower', scope: null })
    const kept = await finishes()
    const { task, config } = asksOf(kept)
    const stateless = call('POST', '/v1/agent', { body: { messages: [{ role: 'user', content: task }], config } })
    await words.set('open')
    expect(await json(stateless)).toMatchObject({ status: 'completed' })
    for (const run of runs) expect(await event(run, 'run-end')).toMatchObject({ status: 'completed' })
    for (const set of [...stages, kept]) expect((await firstRequest(set)).tools).toContain('slower__look_up')
    for (const run of runs) expect(await errorsOf(run)).toEqual([])
    expect(await words.asked()).toBe(1)
  })

  test('keep no run that is cancelled, and come to the next of its session', async ({ expect }) => {
    const words = await unasked('stuck', 'held')
    const set = await finishes()
    const run = await begun(set)
    await event(run, 'tools-wait')
    const path = `/v1/sessions/${run.id}`
    expect(await json(call('POST', `${path}/cancel`, { body: {} }))).toMatchObject({ status: 'cancelled' })
    const end = await event(run, 'run-end')
    expect(end).toMatchObject({ status: 'cancelled' })
    const next = sent(run.id, 'Again')
    await event(run, 'tools-wait', end?.['seq'])
    await words.set('open')
    expect(await next).toMatchObject({ status: 'completed' })
    expect(await set.model.asked()).toHaveLength(1)
    expect((await firstRequest(set)).tools).toContain('stuck__look_up')
    expect(await words.asked()).toBe(1)
  })

  test('are asked for by another when the process of whoever asked dies, which does the same when it is back', async ({
    expect,
  }) => {
    const words = await unasked('orphan', 'held')
    const stages = await Promise.all([finishes(), finishes()] as const)
    const asking = await begun(stages[0])
    await words.asked(1)
    const waiting = await begun(stages[1])
    await event(waiting, 'tools-wait')
    await die(asking)
    await read(asking.id)
    await words.asked(2)
    await words.set('open')
    for (const run of [asking, waiting]) expect(await event(run, 'run-end')).toMatchObject({ status: 'completed' })
    for (const run of [asking, waiting]) expect(await errorsOf(run)).toEqual([])
    for (const set of stages) expect((await firstRequest(set)).tools).toContain('orphan__look_up')
    expect(await words.asked()).toBe(2)
  })
})

describe('a server that is down', () => {
  test.for([
    ['en', 'Tools that are missing', 'The MCP server refused with status 503.'],
    ['zh-CN', '暂缺的工具', 'MCP 服务以状态码 503 拒绝。'],
  ] as const)(
    'is told to each run, and to its model, until it is back, %s',
    async ([language, title, why], { expect }) => {
      const name = `down-${language.slice(0, 2)}`
      const words = await unasked(name, 'down')
      const run = async () => {
        const set = await finishes()
        const body = asksOf(set, language)
        const made = await json<{ id: string; status: string }>(call('POST', '/v1/sessions', { body }), 201)
        expect(made.status).toBe('completed')
        return { made, ...(await firstRequest(set)) }
      }
      for (const _ of ['that asks', 'while it is left alone']) {
        const { made, tools, prompt } = await run()
        expect(tools.filter((tool) => tool.startsWith(name))).toEqual([])
        expect(prompt).toMatch(new RegExp(`## ${title}\n\n[^]*\n- ${name}: ${why}`))
        expect(await errorsOf(made)).toEqual([`${name}: ${why}`])
        await sent(made.id, 'And again')
        expect(await errorsOf(made)).toHaveLength(2)
      }
      await words.set('open')
      expect(await json(call('POST', `/v1/mcp-servers/${name}/refresh`))).toMatchObject({ status: 'ok' })
      const { made, tools, prompt } = await run()
      expect(tools).toContain(`${name}__look_up`)
      expect(prompt).not.toContain(title)
      expect(await errorsOf(made)).toEqual([])
    },
  )
})

describe('what of a list of tools cannot be used', () => {
  test('is told with the tool that it is about, as the document says', async ({ expect }) => {
    await unasked('odd', 'odd')
    const { tools, warnings } = await json<McpServerInfo>(call('POST', '/v1/mcp-servers/odd/refresh'))
    expect(tools.map(({ name }) => name)).toEqual(['good'])
    expect(warnings).toEqual([
      { tool: 'bare', message: expect.stringContaining('left out: inputSchema') },
      { tool: null, message: expect.stringContaining('left out: name') },
    ])
    const { data } = await json<List<ListedMcpServer>>(call('GET', '/v1/mcp-servers?limit=100'))
    expect(data.find(({ name }) => name === 'odd')?.warnings).toEqual(warnings)
  })
})
