import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { importInput } from '../../../src/domain/import-input.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { skillDefinition } from '../../../src/domain/skill.ts'
import { createAgent, createSession, withMessage } from '../../../src/library.ts'
import type { McpServer } from '../../../src/domain/mcp.ts'
import type { TenantServers } from '../../../src/mcp/registry.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { sessionEngine } from '../../../src/run/setup/servers.ts'
import { replay } from '../../../src/run/replay/replay.ts'
import { type McpTestServer, startMcpServer } from '../../support/mcp-server.ts'
import { registerTestTools } from '../../support/mcp-tools.ts'
import { nodeGrants } from '../../support/node-grants.ts'
import { nodeHome, type NodeHome } from '../../support/node-home.ts'
import type { Asked } from '../../support/peers.ts'
import { startPlay } from '../../support/play.ts'
import { startScriptedModel } from '../../support/scripted-model.ts'
import { exported } from '../../support/session-claims/documents.ts'
import { role, team } from '../../support/session-claims/team-stage.ts'
import { expectSound } from '../../support/sound.ts'
import { native } from '../../support/words.ts'

const NATIVE: SessionConfig = { language: 'en', llm: { protocol: 'native' } }
const TITLE = '## Tools that are missing'
const DOWN = 'The MCP server could not be reached, or the connection broke off.'
const LATE = 'The MCP server gave no answer in time.'
const NOWHERE = 'http://127.0.0.1:1/mcp'

const finish = native('finish', { reason: 'done' })
const promptOf = (asked: Asked | undefined) => asked?.body.messages[0]?.content ?? ''
const toolsOf = (asked: Asked | undefined) => asked?.body.tools?.map((tool) => tool.function.name) ?? []
const news = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => {
    if (event.type === 'tools-wait') return [`waits for ${event.server}`]
    return event.type === 'error' ? [event.detail] : []
  })

/** An engine that reaches nothing. */
function engineOf(servers?: TenantServers): Engine {
  const world = {
    publicFetch: () => Promise.reject(new Error('nothing is reached')),
    privateFetch: null,
    models: { secret: () => undefined, workersAi: false },
    workersAi: null,
    runtime: '',
    ...(servers ? { servers } : {}),
  }
  return createEngine({}, world).engine
}

const NO_SERVERS: TenantServers = {
  servers: async () => [],
  probe: async () => null,
  keepProbe: async () => {},
  grants: nodeGrants(),
}

async function withHome(servers: Record<string, { url: string }>, body: (home: NodeHome) => Promise<void>) {
  const home = await nodeHome('memory', [], { mcp_servers: servers })
  try {
    await body(home)
  } finally {
    await home.close()
  }
}

test('a server that hangs is waited for until its time is over, by a run that says so, and is told to each run', async ({
  expect,
}) => {
  const server = await startMcpServer({ era: 'modern', register: registerTestTools })
  server.fail = () => new Promise(() => {})
  await withHome({ words: { url: server.url } }, async (home) => {
    const play = await startPlay(home, { script: [finish, finish], config: NATIVE })
    await play.create()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = play.send('Hello')
    await server.when(() => true, 1)
    vi.advanceTimersByTime(LIMITS.mcp.probeMs)
    vi.useRealTimers()
    expect(await answer).toMatchObject({ status: 'completed' })
    expect(await play.send('Hello again')).toMatchObject({ status: 'completed' })
    expect(news(await play.events())).toEqual(['waits for words', `words: ${LATE}`, `words: ${LATE}`])
    for (const asked of await play.asked()) expect(promptOf(asked)).toContain(`- words: ${LATE}`)
    expect(server.sent).toHaveLength(1)
    await expectSound(play, expect)
  })
  await server.close()
})

test('a run waits no longer than to its deadline', async ({ expect }) => {
  const server = await startMcpServer({ era: 'modern', register: registerTestTools })
  server.fail = () => new Promise(() => {})
  await withHome({ words: { url: server.url } }, async (home) => {
    const play = await startPlay(home, { config: { ...NATIVE, limits: { deadline_ms: 5_000 } } })
    await play.create()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = play.send('Hello')
    await server.when(() => true, 1)
    home.advance(5_000)
    vi.advanceTimersByTime(5_000)
    vi.useRealTimers()
    expect(await answer).toMatchObject({ status: 'failed', finish_reason: 'deadline' })
    expect(await play.asked()).toEqual([])
  })
  await server.close()
})

test('a run whose request is over while it waits rests, and has the tools when it goes on', async ({ expect }) => {
  const server = await startMcpServer({ era: 'modern', register: registerTestTools })
  const { promise: held, resolve: release } = Promise.withResolvers<null>()
  server.fail = () => held
  await withHome({ words: { url: server.url } }, async (home) => {
    const config = { ...NATIVE, limits: { request_ms: 1_000 } }
    const play = await startPlay(home, { script: [finish], config })
    await play.create()
    expect(await play.send('Hello')).toMatchObject({ status: 'in_progress' })
    const going = play.carryOn({ limits: { request_ms: 60_000 } })
    release(null)
    expect(await going).toMatchObject({ status: 'completed' })
    expect(toolsOf((await play.asked())[0])).toContain('words__look_up')
    expect(news(await play.events())).toEqual(['waits for words'])
    await expectSound(play, expect)
  })
  await server.close()
})

describe('a server that is down', () => {
  let home: NodeHome
  let server: McpTestServer
  beforeAll(async () => {
    server = await startMcpServer({ era: 'modern', register: registerTestTools })
    home = await nodeHome('memory', [], { mcp_servers: { gone: { url: NOWHERE }, words: { url: server.url } } })
  })
  afterAll(async () => {
    await home.close()
    await server.close()
  })

  test('is told to a run once, however many batches it takes, and to its model with the tools of the others', async ({
    expect,
  }) => {
    const thinks = native('rethink', { content: 'hm' })
    const config = { ...NATIVE, limits: { max_iterations: 1 } }
    const play = await startPlay(home, { script: [thinks, thinks, finish], config })
    await play.create()
    await play.send('Hello')
    await play.carryOn()
    expect(await play.carryOn()).toMatchObject({ status: 'completed' })
    expect(news(await play.events()).filter((one) => !one.startsWith('waits'))).toEqual([`gone: ${DOWN}`])
    const [first] = await play.asked()
    expect(promptOf(first)).toContain(`- gone: ${DOWN}`)
    expect(promptOf(first)).not.toContain('- words:')
    expect(toolsOf(first)).toContain('words__look_up')
    await expectSound(play, expect)
  })

  test('is told to a skill that names its tools, and to no other', async ({ expect }) => {
    for (const [name, tools, isTold] of [
      ['asks-gone', ['gone__look_up', 'web_access'], true],
      ['asks-all', ['*'], true],
      ['asks-words', ['words__look_up'], false],
      ['asks-nobody', [], false],
    ] as const) {
      await home.putSkill(skillDefinition.parse({ name, version: '1', description: 'd', prompt: 'Do it.', tools }))
      const play = await startPlay(home, { script: [finish] })
      const config = { ...NATIVE, llm: { ...NATIVE.llm, model: play.model.name } }
      await play.api.runSkill(play.id, 'default', { name, input: 'x', config }, { form: 'wait' })
      const [first] = await play.asked()
      expect(promptOf(first).includes(TITLE), name).toBe(isTold)
    }
  })

  test('is told to a role whose action has its tools', async ({ expect }) => {
    const action = (name: string, tools: string[]) => ({ name, instruction: `Do ${name}`, tools })
    const roles = [
      role('Ann', ['UserRequirement'], [action('Ask', ['gone__*', 'web_access'])]),
      role('Bob', ['Ask'], [action('Look', ['words__*'])]),
    ]
    const play = await startPlay(home, { script: ['asked', 'looked'], config: NATIVE })
    await play.create(team(...roles))
    await play.send('Go')
    expect((await play.asked()).map((asked) => promptOf(asked).includes(`- gone: ${DOWN}`))).toEqual([true, false])
  })

  test('is told to who picks the worker of a run', async ({ expect }) => {
    const servers = { gone: { url: NOWHERE, description: 'Counts stars' } }
    await withHome(servers, async (other) => {
      const play = await startPlay(other, { script: ['{"worker": "gone"}', 'I cannot'], config: NATIVE })
      await play.create({ orchestrator: 'route' })
      await play.send('How many stars?')
      const [router, worker] = await play.asked()
      expect(promptOf(router)).toContain('`gone`: Counts stars (not available now')
      expect(promptOf(worker)).toContain(`- gone: ${DOWN}`)
    })
  })

  test('is told to the model of a library call', async ({ expect }) => {
    const model = await startScriptedModel({ script: [finish] })
    const agent = createAgent({
      config: {
        language: 'en',
        models: { m: { api_url: model.url, model: 'm', protocol: 'native' } },
        default_model: 'm',
        mcp_servers: { gone: { url: NOWHERE } },
      },
    })
    expect(await agent.run(withMessage(createSession(), 'Hello'))).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(model.requests[0]?.body)).toContain(`- gone: ${DOWN}`)
    await model.close()
  })

  test('changes nothing of what a replay decides', async ({ expect }) => {
    const play = await startPlay(home, { script: [native('rethink', { content: 'hm' }), finish], config: NATIVE })
    await play.create()
    await play.send('Hello')
    const events = await play.events()
    expect(news(events)).toContain(`gone: ${DOWN}`)
    expect(importInput.parse({ session: {}, events }).events).toEqual(events)
    const { decisions, differences } = replay(await exported(play), {
      engine: engineOf(),
      config: (await play.session()).config,
    })
    expect(differences).toEqual([])
    expect(decisions).toBeGreaterThan(3)
  })
})

test('of many servers that are down a prompt names some', async ({ expect }) => {
  const names = Array.from({ length: LIMITS.mcp.missingShownMax + 2 }, (_, at) => `s${at}`)
  await withHome(Object.fromEntries(names.map((name) => [name, { url: NOWHERE }])), async (home) => {
    const play = await startPlay(home, { script: [finish], config: NATIVE })
    await play.create()
    await play.send('Hello')
    const prompt = promptOf((await play.asked())[0])
    expect(prompt.match(/^- s\d+: /gm)).toHaveLength(LIMITS.mcp.missingShownMax)
    expect(prompt).toContain('- and 2 more')
  })
})

describe('what a session is told of servers', () => {
  const load = (servers: () => Promise<McpServer[]>) => {
    const own = sessionEngine(engineOf({ ...NO_SERVERS, servers }), () => {})
    return { own, problems: own.load({ tenant: 't', user: null, config: { language: 'en', mcp_servers: ['words'] } }) }
  }

  test('names one that was taken away since the session named it', async ({ expect }) => {
    const { own, problems } = load(async () => [])
    expect(await problems).toEqual(['words: There is no MCP server of that name that is switched on.'])
    expect(own.missing).toMatchObject([{ name: 'words' }])
  })

  test('says that those of the tenant could not be read', async ({ expect }) => {
    const { problems } = load(() => Promise.reject(new Error('the tenant is away')))
    expect(await problems).toContain('The MCP servers that the tenant has added could not be read.')
  })
})
