import { createContext, runInContext, SourceTextModule } from 'node:vm'
import { getEventListeners } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import * as z from 'zod'
import { contentText } from '../../src/domain/content.ts'
import { bundleLibrary } from '../../src/build/bundle.ts'
import type * as Library from '../../src/library.ts'
import {
  AgentInputError,
  createAgent,
  createSession,
  defineTool,
  withMessage,
  withResponse,
} from '../../src/library.ts'
import type { ScriptInput } from '../../src/cli/mock-model/script.ts'
import { sleep } from '../../src/lib/wait.ts'
import { calls, startScriptedModel } from '../support/scripted-model.ts'
import { PNG_BASE64 } from '../support/small-image.ts'

/** What a browser and every Worker have; nothing of Node. */
const WEB_GLOBALS = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'DOMException',
  'Headers',
  'Intl',
  'ReadableStream',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'TransformStream',
  'URL',
  'URLSearchParams',
  'atob',
  'btoa',
  'clearTimeout',
  'console',
  'crypto',
  'fetch',
  'queueMicrotask',
  'setTimeout',
  'structuredClone',
] as const

/** `first`: what is done to the realm before. */
async function loadInBareRealm(first = ''): Promise<typeof Library> {
  const globals = Object.fromEntries(WEB_GLOBALS.map((name) => [name, Reflect.get(globalThis, name)]))
  const source = new TextDecoder().decode(await bundleLibrary())
  const context = createContext(globals)
  runInContext(first, context)
  const module = new SourceTextModule(source, { context })
  await module.link((specifier) => {
    throw new Error(`the library imports ${specifier}`)
  })
  await module.evaluate()
  return module.namespace as typeof Library
}

let page: Server
let url: string
let hits = 0

beforeAll(async () => {
  page = createServer((_request, response) => {
    hits++
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(
      '<html><head><title>Edges</title></head><body><h1>Edges</h1><p>Objects at the edge keep their state in a log.</p></body></html>',
    )
  })
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`
})

afterAll(() => new Promise((resolve) => page.close(resolve)))

test('the library says in a sentence what it needs where it cannot run', async ({ expect }) => {
  const old = 'delete Promise.withResolvers'
  await expect(loadInBareRealm(old)).rejects.toThrow(
    /^yaa: Node 22 or newer is needed, or a browser of 2024 or newer\.$/,
  )
  const node20 = `${old}; globalThis.process = { versions: { node: '20.1.0' } }`
  await expect(loadInBareRealm(node20)).rejects.toThrow(/^yaa: Node 22 or newer is needed, this is 20\.1\.0\.$/)
})

describe('the library, with web globals only', () => {
  test('runs a session that its caller keeps: approval, page, answer, streamed', async ({ expect }) => {
    const { approve, createAgent, createSession, withMessage, withResponse } = await loadInBareRealm()
    const agent = createAgent({ config: { language: 'en', web: { allow_private_hosts: [new URL(url).host] } } })
    let session = withMessage(createSession(), `Read ${url} and list its key points`)
    const first = await agent.run(session)
    expect(first).toMatchObject({
      status: 'interrupted',
      finish_reason: 'interrupted',
      pending: [{ tool: 'web_access', arguments: { url } }],
    })
    expect(hits).toBe(0)
    session = withMessage(withResponse(session, first), approve('web_access'))
    const chunks: Library.StreamResponseData[] = []
    for await (const chunk of agent.stream(session)) chunks.push(chunk)
    expect(hits).toBe(1)
    expect(chunks.at(-1)).toMatchObject({
      object: 'agent.response.chunk',
      status: 'completed',
      finish_reason: 'completed',
    })
    expect(chunks.some(({ delta }) => delta !== undefined)).toBe(true)
    const answer = chunks.map(({ answer_delta: piece }) => piece ?? '').join('')
    expect(answer).toContain('keep their state in a log')
    expect(chunks.findIndex(({ answer_delta: piece }) => piece !== undefined)).toBeLessThan(chunks.length - 3)
    expect(
      chunks.some(
        ({ message }) =>
          message?.tool_name === 'web_access' &&
          contentText(message.content, null).includes('keep their state in a log'),
      ),
    ).toBe(true)
  })

  test('approves nothing that another asked about; agents with one secret know their items', async ({ expect }) => {
    const { approve, createAgent, createSession, withMessage, withResponse } = await loadInBareRealm()
    const config = { language: 'en', web: { allow_private_hosts: [new URL(url).host] } }
    const secret = 'the same wherever it may come back to'
    const session = withMessage(createSession(), `Read ${url} and list its key points`)
    const asked = withResponse(session, await createAgent({ config, secret }).run(session))
    const approved = withMessage(asked, approve('web_access'))
    const before = hits
    expect(await createAgent({ config }).run(approved)).toMatchObject({ status: 'interrupted' })
    expect(await createAgent({ config, secret }).run({ ...approved, pending: [] })).toMatchObject({
      status: 'interrupted',
    })
    expect(hits).toBe(before)
    expect(await createAgent({ config, secret }).run(approved)).toMatchObject({ status: 'completed' })
    expect(hits).toBe(before + 1)
  })

  test('answers a task that needs no tool at once', async ({ expect }) => {
    const { createAgent, createSession, withMessage } = await loadInBareRealm()
    const agent = createAgent()
    const nothing = await agent.run(withMessage(createSession(), 'hello'))
    expect(nothing).toMatchObject({ status: 'completed', object: 'agent.response', pending: [] })
    expect(nothing.result).not.toBe('')
  })

  test('takes images and files with a message, and keeps those of results for the next', async ({ expect }) => {
    const { createAgent, createSession, withMessage, withResponse } = await loadInBareRealm()
    const model = await startScriptedModel({
      script: [
        calls('read_file', { path: 'attachments/dot.png' }),
        calls('finish', { reason: 'A dot' }),
        calls('finish', { reason: 'Still' }),
      ],
    })
    const models = { m: { api_url: model.url, model: 'm', protocol: 'native' as const, vision: true } }
    const agent = createAgent({ config: { language: 'en', models, default_model: 'm' } })
    const said = [
      { type: 'text' as const, text: 'What are these?' },
      { type: 'image' as const, data: PNG_BASE64, name: 'dot.png' },
      { type: 'file' as const, data: btoa('The keeper sleeps.'), name: 'notes.txt' },
    ]
    const session = withMessage(createSession(), said)
    const first = await agent.run(session)
    expect(first).toMatchObject({
      result: 'A dot',
      files: [{ path: 'attachments/dot.png' }, { path: 'attachments/notes.txt' }],
    })
    expect(await agent.run(withMessage(withResponse(session, first), 'Sure?'))).toMatchObject({ result: 'Still' })
    const shown = model.requests.map(({ body }) => JSON.stringify(body).split(PNG_BASE64).length - 1)
    expect(shown).toEqual([1, 2, 2])
    expect(JSON.stringify(model.requests[0]?.body)).toContain('The keeper sleeps.')
    await model.close()
  })

  test('refuses a session without a user message, with the reason', async ({ expect }) => {
    const { createAgent, createSession } = await loadInBareRealm()
    await expect(createAgent().run(createSession())).rejects.toMatchObject({
      name: 'AgentInputError',
      problem: { code: 'no_user_message' },
    })
  })

  test('names the fields of a session or a config that do not fit', async ({ expect }) => {
    const { createAgent, createSession, withMessage } = await loadInBareRealm()
    const session = withMessage(createSession({ config: { language: 'en' } }), 'hello')
    const wrong = { ...session, config: { loud: true } } as unknown as Library.Session
    const problem = { code: 'invalid_input', issues: [{ path: 'config.loud', message: 'unknown field' }] }
    await expect(createAgent().run(wrong)).rejects.toMatchObject({ name: 'AgentInputError', problem })
    await expect(createAgent().stream(wrong).next()).rejects.toMatchObject({ name: 'AgentInputError', problem })
    const config = { loud: true } as unknown as Library.ServerConfig
    expect(() => createAgent({ config })).toThrow(/^invalid_input: config\.loud: unknown field$/)
  })
})

const MINE = { en: 'mine', 'zh-CN': '我的' }
const definition: Library.ToolDefinition<z.ZodObject> = {
  id: 'mine',
  names: MINE,
  description: MINE,
  risk: 'read',
  idempotent: true,
  input: z.strictObject({}),
  parameters: {},
  run: () => ({ ok: true, content: 'Fine.' }),
}
const mine = (other: object) => defineTool({ ...definition, ...other })

describe('tools of whoever uses the library', () => {
  test('are refused where no run could offer them, with what is wrong', ({ expect }) => {
    const issueOf = (...tools: Library.Tool[]) => {
      try {
        return void createAgent({ tools })
      } catch (error) {
        return error instanceof AgentInputError && 'issues' in error.problem ? error.problem.issues[0] : error
      }
    }
    expect(issueOf(mine({}))).toBeUndefined()
    expect(issueOf(mine({}), mine({}))).toEqual({ path: 'tools.1', message: 'another tool is called mine' })
    expect(issueOf(mine({ id: 'web_access' }))).toEqual({
      path: 'tools.0',
      message: 'another tool is called web_access',
    })
    expect(issueOf(mine({ id: 'two words' }))).toMatchObject({ path: 'tools.0.id' })
    expect(issueOf(mine({ input: z.object({ day: z.date() }) }))).toMatchObject({ path: 'tools.0.input' })
    expect(issueOf({ id: 'mine', run: () => {} } as unknown as Library.Tool)).toMatchObject({ path: 'tools.0' })
  })

  test('one that gives a promise of another realm is waited for', async ({ expect, onTestFinished }) => {
    const model = await startScriptedModel({ script: [calls('mine', {}), calls('finish', { reason: 'Gone on' })] })
    onTestFinished(() => model.close())
    const models = { m: { api_url: model.url, model: 'm', protocol: 'native' as const } }
    const config = { language: 'en', models, default_model: 'm' }
    const run = runInContext(
      'async () => ({ ok: true, content: "From elsewhere" })',
      createContext({}),
    ) as () => unknown
    const response = await createAgent({ config, tools: [mine({ run })] }).run(withMessage(createSession(), 'go'))
    expect(response).toMatchObject({ status: 'completed', result: 'Gone on' })
    expect(JSON.stringify(model.requests[1]?.body)).toContain('From elsewhere')
  })

  test.for<[what: string, run: () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('a bug')
      },
    ],
    ['rejects', () => Promise.reject(new Error('a bug'))],
    ['gives nothing', () => undefined],
    ['gives a text', () => 'Fine.'],
    ['gives no text as content', async () => ({ ok: true, content: { fine: true } })],
    ['says no reason', () => ({ ok: false })],
  ])('one that %s fails alone: the model is told, the bug is reported', async ([, run], { expect, onTestFinished }) => {
    const model = await startScriptedModel({ script: [calls('mine', {}), calls('finish', { reason: 'Gone on' })] })
    onTestFinished(() => model.close())
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => {
      reported.mockRestore()
    })
    const models = { m: { api_url: model.url, model: 'm', protocol: 'native' as const } }
    const config = { language: 'en', models, default_model: 'm' }
    const response = await createAgent({ config, tools: [mine({ run })] }).run(withMessage(createSession(), 'go'))
    expect(response).toMatchObject({ status: 'completed', result: 'Gone on' })
    expect(JSON.stringify(model.requests[1]?.body)).toContain('[mine] failed: the tool broke inside')
    expect(reported).toHaveBeenCalledTimes(1)
  })
})

describe('a run that is stopped', () => {
  const held = { content: 'Objects keep their state.', chunks: 5, hold_after: 3 }

  async function startAgent(
    script: ScriptInput,
    onTestFinished: (close: () => Promise<void>) => void,
    tools: Library.Tool[] = [],
  ) {
    const model = await startScriptedModel({ script })
    onTestFinished(() => model.close())
    const models = { m: { api_url: model.url, model: 'm', protocol: 'native' as const } }
    return { model, agent: createAgent({ config: { language: 'en', models, default_model: 'm' }, tools }) }
  }
  const session = withMessage(createSession(), 'Tell me of objects')
  const listenersOf = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length
  const repliesOf = ({ messages }: Pick<Library.AgentResponseData, 'messages'>) =>
    messages.filter(({ role }) => role !== 'system').map(({ role, content }) => [role, contentText(content, null)])

  test('by a signal says so, with what was written, and goes on with the next message', async ({
    expect,
    onTestFinished,
  }) => {
    const { model, agent } = await startAgent([held, 'Again.'], onTestFinished)
    const stop = new AbortController()
    const running = agent.run(session, { signal: stop.signal })
    await vi.waitFor(() => expect(model.requests).toHaveLength(1))
    await sleep(50)
    stop.abort()
    const stopped = await running
    expect(stopped).toMatchObject({ status: 'cancelled', finish_reason: 'cancelled', result: null, error: null })
    expect(repliesOf(stopped)).toEqual([['assistant', expect.stringMatching(/^Objects./)]])
    expect(listenersOf(stop)).toBe(0)
    const next = withMessage(withResponse(session, stopped), 'Once more')
    const other = new AbortController()
    expect(await agent.run(next, { signal: other.signal })).toMatchObject({ status: 'completed', result: 'Again.' })
    expect(listenersOf(other)).toBe(0)
    other.abort()
    expect(model.requests).toHaveLength(2)
  })

  test('before it begins asks no model', async ({ expect, onTestFinished }) => {
    const { model, agent } = await startAgent(['Too late.'], onTestFinished)
    const stop = new AbortController()
    stop.abort()
    expect(await agent.run(session, { signal: stop.signal })).toMatchObject({ status: 'cancelled', messages: [] })
    const chunks = await Array.fromAsync(agent.stream(session, { signal: stop.signal }))
    expect(chunks).toEqual([expect.objectContaining({ status: 'cancelled', finish_reason: 'cancelled' })])
    await expect(agent.run(createSession(), { signal: stop.signal })).rejects.toThrow(AgentInputError)
    expect([model.requests.length, listenersOf(stop)]).toEqual([0, 0])
  })

  test('while it is streamed ends the stream with that word', async ({ expect, onTestFinished }) => {
    const { agent } = await startAgent([held], onTestFinished)
    const stop = new AbortController()
    const chunks: Library.StreamResponseData[] = []
    for await (const chunk of agent.stream(session, { signal: stop.signal })) {
      chunks.push(chunk)
      if (chunk.delta !== undefined) stop.abort()
    }
    expect(chunks.at(-1)).toMatchObject({ status: 'cancelled', finish_reason: 'cancelled' })
    expect(listenersOf(stop)).toBe(0)
  })

  test.for(['leaves the loop', 'returns while a chunk is waited for'])(
    'by a reader of its stream who %s is gone on with no more',
    async (how, { expect, onTestFinished }) => {
      const step = { ...calls('mine', {}), ...(how === 'leaves the loop' ? {} : { hang: true }), repeat: true }
      const { model, agent } = await startAgent([step], onTestFinished, [mine({})])
      const stop = new AbortController()
      const stream = agent.stream(session, { signal: stop.signal })
      if (how === 'leaves the loop') {
        for await (const { message } of stream) if (message?.role === 'tool') break
      } else {
        while (!(await stream.next()).value?.message);
        const next = stream.next()
        await vi.waitFor(() => expect(model.requests).toHaveLength(1))
        expect(await stream.return()).toEqual({ value: undefined, done: true })
        expect(await next).toMatchObject({ value: { status: 'cancelled' } })
      }
      const asked = model.requests.length
      await sleep(200)
      expect([model.requests.length, listenersOf(stop)]).toEqual([asked, 0])
      expect(await stream.next()).toEqual({ value: undefined, done: true })
    },
  )

  test.for<[string, (stop: AbortController, context: Library.ToolContext) => unknown]>([
    [
      'is told by its own signal',
      async (stop, { signal }) => {
        setTimeout(() => stop.abort(), 20)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return { ok: true, content: 'Too late.' }
      },
    ],
    ['does not hear of it', (stop) => new Promise(() => stop.abort())],
    ['stops it itself', (stop) => (stop.abort(), { ok: true, content: 'Stopped.' })],
  ])('while a tool works that %s has a result for its call', async ([, work], { expect, onTestFinished }) => {
    const stop = new AbortController()
    const tool = mine({ run: (_: object, context: Library.ToolContext) => work(stop, context) })
    const { model, agent } = await startAgent([calls('mine', {}), 'Too far.'], onTestFinished, [tool])
    const stopped = await agent.run(session, { signal: stop.signal })
    expect(stopped.status).toBe('cancelled')
    expect(repliesOf(stopped)).toEqual([
      ['assistant', ''],
      ['tool', '[mine] failed: the run was cancelled before this call ended.'],
    ])
    expect(model.requests).toHaveLength(1)
  })

  test('does not wait for a server of tools that says nothing', async ({ expect, onTestFinished }) => {
    const stop = new AbortController()
    const silent = createServer(() => stop.abort())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      silent.closeAllConnections()
      silent.close()
    })
    const { port } = silent.address() as AddressInfo
    const web = { allow_private_hosts: [`127.0.0.1:${port}`] }
    const agent = createAgent({ config: { web, mcp_servers: { slow: { url: `http://127.0.0.1:${port}/mcp` } } } })
    const began = Date.now()
    expect(await agent.run(session, { signal: stop.signal })).toMatchObject({ status: 'cancelled' })
    expect(Date.now() - began).toBeLessThan(5_000)
  })
})
