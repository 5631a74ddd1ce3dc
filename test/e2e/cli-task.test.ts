import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import type { AgentResponseData } from '../../src/domain/session.ts'
import { runYaa, startSite, startYaa, workFolder, type Site } from '../support/cli.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { calls, startScriptedModel, type MockModel } from '../support/scripted-model.ts'

const folder = workFolder()
const models: MockModel[] = []
let site: Site
beforeAll(async () => {
  site = await startSite('<title>Facts</title><h1>Facts</h1><p>Water boils at 100 degrees at sea level.</p>')
})
afterEach(async () => {
  site.hits.length = 0
  for (const model of models.splice(0)) await model.close()
})
afterAll(async () => {
  await site.close()
  folder.remove()
})

type Script = Parameters<typeof startScriptedModel>[0]['script']

interface Setting {
  protocol?: 'xml' | 'native'
  limits?: object
  onRequest?: () => void
}

/** Flags for a command that runs on a model that plays this script, in a data folder of its own. */
async function on(
  script: Script,
  { protocol = 'xml', limits = {}, onRequest = () => {} }: Setting = {},
): Promise<string[]> {
  const model = await startScriptedModel({ script, onRequest })
  models.push(model)
  const name = `model-${new URL(model.url).port}`
  const config = {
    language: 'en',
    models: { m: { api_url: model.url, model: 'm', protocol, retry: { times: 0 } } },
    default_model: 'm',
    web: { allow_private_hosts: [site.host] },
    limits,
  }
  return ['--config', folder.file(`${name}.json`, config), '--data', name]
}

const cwd = folder.path

describe('a task', () => {
  test('whose model reads for long says so, until something comes of it', async ({ expect }) => {
    const flags = await on([{ content: '<finish><reason>4</reason></finish>', hold_after: 0 }])
    const running = startYaa(['task', ...flags, '2 + 2?'], { cwd })
    await running.says(/… the model m is reading\n/)
    expect(models[0]?.release()).toBe(1)
    const { code, stdout, stderr } = await running.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: '4\n' })
    expect(stderr.match(/is reading/g)).toHaveLength(1)
  })

  test('with --schema is answered with JSON that fits; a file that holds no object ends with exit 2', async ({
    expect,
  }) => {
    const flags = await on(['<finish><reason>four</reason></finish>', '<finish><reason>{"n": 4}</reason></finish>'])
    const schema = folder.file('schema.json', {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
    })
    const { code, stdout } = await runYaa(['task', ...flags, '--schema', schema, '2 + 2?'], { cwd })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"n": 4}\n' })
    const wrong = await runYaa(['task', ...flags, '--schema', folder.file('list.json', []), '2 + 2?'], { cwd })
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toMatch(/list\.json: .*object/)
  })

  test('is worked on with --yes: the answer alone on stdout, progress without tags on stderr, exit 0', async ({
    expect,
  }) => {
    const flags = await on([
      `<think>Look first.</think>I read the page.\n<web_access><url>${site.url}/a</url></web_access>`,
      '<finish><reason># Answer\n\nWater boils at **100**.</reason></finish>',
    ])
    const { code, stdout, stderr } = await runYaa(['task', ...flags, '--yes', `Read ${site.url}/a`], { cwd })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '# Answer\n\nWater boils at **100**.\n' })
    expect(stderr).toContain('I read the page.\n')
    expect(stderr).toContain(`→ web_access ${site.url}/a\n`)
    expect(stderr).not.toMatch(/<\/?(think|web_access|finish|url|reason)>|Look first/)
    expect(site.hits).toEqual(['/a'])
  })

  test('waits without a terminal: exit 3 with the id, nothing fetched; chat carries it on from a pipe', async ({
    expect,
  }) => {
    const flags = await on([
      `<web_access><url>${site.url}/b</url></web_access>`,
      '<finish><reason>Read.</reason></finish>',
    ])
    const waiting = await runYaa(['task', ...flags, 'Read it'], { cwd })
    expect(waiting.code).toBe(3)
    const [id] = /^ses_\w+$/m.exec(waiting.stdout) ?? []
    expect(waiting.stderr).toContain(`this session waits for you; continue with: npx yaa chat --session ${id}`)
    expect(site.hits).toEqual([])
    const chat = await runYaa(['chat', ...flags, '--session', id ?? ''], { cwd, stdin: 'y\n' })
    expect(chat).toMatchObject({ code: 0, stdout: 'Read.\n' })
    expect(site.hits).toEqual(['/b'])
    const listed = await runYaa(['sessions', ...flags], { cwd })
    expect(listed.stdout).toMatch(new RegExp(`^${id}  completed `))
  })

  test('that is refused in chat is not fetched, and the reason reaches the model', async ({ expect }) => {
    const flags = await on([
      `<web_access><url>${site.url}/c</url></web_access>`,
      { when: { last_contains: 'use the cache' }, content: '<finish><reason>Without it.</reason></finish>' },
    ])
    const { code, stdout } = await runYaa(['chat', ...flags], { cwd, stdin: 'Read it\nn use the cache\n/exit\n' })
    expect({ code, stdout, hits: site.hits }).toEqual({ code: 0, stdout: 'Without it.\n', hits: [] })
  })

  test('whose arguments are edited runs with those', async ({ expect }) => {
    const flags = await on([
      `<web_access><url>${site.url}/d</url></web_access>`,
      '<finish><reason>Ok.</reason></finish>',
    ])
    const stdin = `Read it\ne\n{"url":"${site.url}/edited"}\n`
    expect(await runYaa(['chat', ...flags], { cwd, stdin })).toMatchObject({ code: 0, stdout: 'Ok.\n' })
    expect(site.hits).toEqual(['/edited'])
  })

  test('that asks a question gets its answer by the number of an option', async ({ expect }) => {
    const flags = await on([
      '<ask><question>Which colour?</question><options>["red","blue"]</options></ask>',
      { when: { last_contains: 'blue' }, content: '<finish><reason>Blue it is.</reason></finish>' },
    ])
    const { code, stdout, stderr } = await runYaa(['chat', ...flags], { cwd, stdin: 'Paint\n2\n' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Blue it is.\n' })
    expect(stderr).toContain('? Which colour?\n  1. red\n  2. blue\n')
  })

  test('longer than a batch is carried on to its end', async ({ expect }) => {
    const thoughts = Array.from({ length: 5 }, (_, index) => `<rethink><reason>thought ${index}</reason></rethink>`)
    const flags = await on([...thoughts, '<finish><reason>At last.</reason></finish>'], {
      limits: { max_iterations: 2 },
    })
    expect(await runYaa(['task', ...flags, 'Think'], { cwd })).toMatchObject({ code: 0, stdout: 'At last.\n' })
  })

  test('in the native protocol gives its whole AgentResponseData with --json', async ({ expect }) => {
    const flags = await on([calls('web_access', { url: `${site.url}/e` }), calls('finish', { reason: 'Done.' })], {
      protocol: 'native',
    })
    const { code, stdout } = await runYaa(['task', ...flags, '--yes', '--json', 'Read it'], { cwd })
    const response = JSON.parse(stdout) as AgentResponseData
    expect(code).toBe(0)
    expect(response).toMatchObject({
      object: 'agent.response',
      status: 'completed',
      finish_reason: 'completed',
      result: 'Done.',
      pending: [],
      error: null,
    })
    expect(response.messages.map(({ kind }) => kind)).toEqual([
      'prompt',
      'reply',
      'tool_result',
      'reply',
      'tool_result',
    ])
    expect(response.usage).toMatchObject({ model_calls: 2, iterations: 2 })
  })

  test('that a model with functions answers without a call is done: the answer on stdout alone', async ({ expect }) => {
    const flags = await on(['The capital is **Paris**.'], { protocol: 'native' })
    const { code, stdout, stderr } = await runYaa(['task', ...flags, 'Which is the capital?'], { cwd })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'The capital is **Paris**.\n' })
    expect(stderr).not.toContain('Paris')
  })

  test('that is answered so in text shows the warning as a step, and what was said before it', async ({ expect }) => {
    const flags = await on(['It is Paris.', 'As I said: Paris.'])
    const { code, stdout, stderr } = await runYaa(['task', ...flags, 'Which is the capital?'], { cwd })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'As I said: Paris.\n' })
    expect(stderr).toContain(
      'It is Paris.\n· that was not the answer\n! [Warning] Every reply must call at least one tool!\n',
    )
    expect(stderr).not.toContain('As I said')
  })

  test('whose model refuses the key fails with exit 1; stderr says what happened and what to do', async ({
    expect,
  }) => {
    const flags = await on([{ status: 401 }])
    const { code, stdout, stderr } = await runYaa(['task', ...flags, 'Hi'], { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^failed: The model service refuses the key\. Check .* \(model_unauthorized\)$/m)
  })

  test('is cancelled by Ctrl-C: exit 1, and the session says so', async ({ expect }) => {
    const { promise: requested, resolve: onRequest } = Promise.withResolvers<void>()
    const flags = await on([{ hang: true }], { onRequest })
    const yaa = startYaa(['task', ...flags, 'Hang'], { cwd })
    await Promise.race([requested, yaa.ended])
    yaa.process.kill('SIGINT')
    const { code, stdout, stderr } = await yaa.ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('cancelling the run\n')
    // Lists show what a run came to within 2 s.
    const listed = async () => (await runYaa(['sessions', ...flags], { cwd })).stdout
    await expect.poll(listed).toMatch(/^ses_\w+ {2}cancelled /)
  })
})

test('on the built-in model a page is really read, without a key', async ({ expect }) => {
  const config = folder.file('built-in.json', { web: { allow_private_hosts: [site.host] } })
  const args = ['task', '--config', config, '--data', 'built-in', '--yes', `Read ${site.url}/ and list its key points`]
  const { code, stdout } = await runYaa(args, { cwd })
  expect(code).toBe(0)
  expect(stdout).toContain('Water boils at 100 degrees')
})

test('a model whose key nobody set is told before anything starts, with the variable to set', async ({ expect }) => {
  const models = { m: { api_url: 'http://127.0.0.1:1/v1', api_key_env: 'NOT_SET_KEY' } }
  const config = folder.file('keyless.json', { models, default_model: 'm' })
  for (const [lang, line] of [
    ['en', 'yaa: the model needs NOT_SET_KEY: export it, or add the line NOT_SET_KEY=… to .dev.vars\n'],
    ['zh-CN', 'yaa: 模型需要 NOT_SET_KEY：请在环境变量中设置，或在 .dev.vars 中加一行 NOT_SET_KEY=…\n'],
  ] as const)
    expect(await runYaa(['task', '--config', config, '--lang', lang, 'x'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: line,
    })
})

test('two tasks at once in one folder do not disturb each other', async ({ expect }) => {
  const config = folder.file('both.json', { web: { allow_private_hosts: [site.host] } })
  const both = await Promise.all(
    ['/1', '/2'].map((path) => runYaa(['task', '--config', config, '--yes', `Read ${site.url}${path}`], { cwd })),
  )
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(site.hits.toSorted()).toEqual(['/1', '/2'])
})

test('a server that is not there is exit 1 and one line', async ({ expect }) => {
  for (const command of [['task', 'x'], ['chat'], ['sessions']]) {
    const { code, stdout, stderr } = await runYaa([...command, '--server', 'http://127.0.0.1:1'], { cwd })
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'yaa: http://127.0.0.1:1 cannot be reached; is it running? (`npx yaa serve` starts one)\n',
    })
  }
})

test('an address where something else answers is told as that', async ({ expect }) => {
  const other = await startScriptedModel({ script: [] })
  const { code, stderr } = await runYaa(['task', 'x', '--server', new URL(other.url).origin], { cwd })
  await other.close()
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'yaa: what answers there is no yaa server (HTTP 404): check --server\n',
  })
})

test('an address where something else answers well is told as that, with what came', async ({ expect }) => {
  const [json, html] = ['{"hello": "world"}', '<h1>Hello</h1>']
  const other = createServer(({ url = '' }, response) => {
    const isHtml = url.startsWith('/html')
    response.setHeader('content-type', isHtml ? 'text/html; charset=utf-8' : 'application/json')
    response.end(isHtml ? html : json)
  })
  const { url, close } = await onLoopback(other)
  const told = async (command: string, address: string, came: string) =>
    expect([command, await runYaa([...command.split(' '), '--server', address], { cwd })]).toEqual([
      command,
      { code: 1, stdout: '', stderr: `yaa: what answers there is no yaa server (HTTP 200, ${came}): check --server\n` },
    ])
  for (const command of ['sessions', 'sessions --json', 'task x', 'chat', 'models', 'settings', 'agents', 'run w'])
    await told(command, url, `application/json: ${json}`)
  await told('sessions', `${url}/html/`, `text/html: ${html}`)
  await close()
})

test('a server is known behind a proxy that leaves out the ids of requests', async ({ expect }) => {
  const proxy = createServer(({ url = '' }, response) => {
    const of = url === '/healthz' ? { status: 'ok', version: '1.0.0', default_model: null } : LIST
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(of))
  })
  const server = await onLoopback(proxy)
  const listed = await runYaa(['sessions', '--lang', 'en', '--server', server.url], { cwd })
  await server.close()
  expect(listed).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(/^no sessions/i) })
})
const LIST = { object: 'list', data: [], next_cursor: null }

test('an answer of a proxy says that the server behind it does not answer now, in both languages', async ({
  expect,
}) => {
  for (const [lang, status, body, words] of [
    [
      'en',
      502,
      '<html><h1>502 Bad Gateway</h1></html>',
      'the server behind this address is not answering now (HTTP 502',
    ],
    ['zh-CN', 503, '', '该地址背后的服务器现在没有应答（代理返回 HTTP 503）：请稍后重试'],
  ] as const) {
    const proxy = createServer((_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end(body))
    const server = await onLoopback(proxy)
    for (const command of [['task', 'x'], ['chat']]) {
      const { code, stderr } = await runYaa([...command, '--lang', lang, '--server', server.url], { cwd })
      expect([code, stderr.split('\n').length]).toEqual([1, 2])
      expect(stderr).toContain(words)
      expect(stderr).not.toMatch(/no yaa server|--server|html/)
    }
    await server.close()
  }
})

test('chat commands work line by line from a pipe', async ({ expect }) => {
  const flags = await on(['<finish><reason>Hi.</reason></finish>'])
  const { code, stdout, stderr } = await runYaa(['chat', ...flags], {
    cwd,
    stdin: '/help\n/nope\n/model\n/model nope\n/model m\nHello\n/sessions\n/cancel\n/exit\n',
  })
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hi.\n' })
  expect(stderr).toContain('/sessions [ID]')
  expect(stderr).toContain('/nope is not a command; /help lists them\n')
  expect(stderr).toContain('\nnope: expected m | built-in\nmodel: m\n')
  expect(stderr).toMatch(/\nses_\w+ {2}completed .* Hello\n/)
})

test('chat begins anew, does a task once more in a copy, and says how it stands', async ({ expect }) => {
  const script = ['One.', 'Two.', 'Again.'].map((reason) => `<finish><reason>${reason}</reason></finish>`)
  const flags = await on(script)
  const { code, stdout, stderr } = await runYaa(['chat', ...flags], {
    cwd,
    stdin:
      '/state\n/retry\n/mode nope\n/mode workflow\n/mode workflow/page-digest\n/mode agent\nFirst\n/session\nSecond\n/retry\n/state\n/clear\n/session\n/exit\n',
  })
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'One.\nTwo.\nAgain.\n' })
  expect(stderr.match(/no session yet/g)).toHaveLength(3)
  expect(stderr).toMatch(
    /\nnope: expected agent \| plan \| team \| route \| team\/software \|.*\nworkflow: expected agent/,
  )
  expect(stderr).toContain('\nnew session: workflow/page-digest\nnew session: agent\n')
  const first = /\n(ses_\w+)\n/.exec(stderr)?.[1]
  const copy = /\n(ses_\w+) · completed · agent · \d+ tokens/.exec(stderr)?.[1]
  expect(copy).not.toBe(first)
})

test('chat carries on with a run that failed', async ({ expect }) => {
  const flags = await on([{ status: 401 }, '<finish><reason>Done.</reason></finish>'])
  const stdin = '/continue\nTry\n/continue\n/exit\n'
  const { code, stdout, stderr } = await runYaa(['chat', ...flags], { cwd, stdin })
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' })
  expect(stderr).toMatch(/no session yet.*\nfailed: /)
})

test('a session in a file is run, and what came of it is JSON', async ({ expect }) => {
  const flags = await on(['Hi.', 'Again.'].map((reason) => `<finish><reason>${reason}</reason></finish>`))
  const file = folder.file('session.json', { messages: [{ role: 'user', content: 'Hello' }] })
  const done = await runYaa(['process', '--file', file, ...flags], { cwd })
  expect(done.code).toBe(0)
  expect(JSON.parse(done.stdout)).toMatchObject({ object: 'agent.response', status: 'completed', result: 'Hi.' })
  const piped = await runYaa(['process', '--file', '-', ...flags], { cwd, stdin: readFileSync(file, 'utf8') })
  expect(piped.code).toBe(0)
  expect(JSON.parse(piped.stdout)).toMatchObject({ status: 'completed', result: 'Again.' })
  const broken = await runYaa(['process', '--file', '-', ...flags], { cwd, stdin: '{' })
  expect(broken).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('stdin: expected JSON') })
  const wrong = await runYaa(['process', '--file', folder.file('wrong.json', [1]), ...flags], { cwd })
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('SessionData')
  expect((await runYaa(['process', ...flags], { cwd })).code).toBe(2)
})

test('models and agents are listed', async ({ expect }) => {
  const flags = await on([])
  const listed = await runYaa(['models', ...flags], { cwd })
  expect(listed.stdout).toMatch(/^built-in +no price/m)
  const agents = await runYaa(['agents', '--json', ...flags], { cwd })
  const names = (JSON.parse(agents.stdout) as { id: string }[]).map(({ id }) => id)
  expect(names).toEqual(expect.arrayContaining(['yaa', 'yaa/plan', 'yaa/team/debate', 'yaa/skill/translate']))
})

test('in a Chinese locale the terminal speaks Chinese', async ({ expect }) => {
  const { code, stderr } = await runYaa(['task', '--server', 'http://127.0.0.1:1', '你好'], {
    cwd,
    env: { LANG: 'zh_CN.UTF-8' },
  })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'yaa: 无法连接 http://127.0.0.1:1；服务器启动了吗？（`npx yaa serve` 可启动）\n',
  })
})

test('a workflow is run with its inputs, and what it gave is on stdout', async ({ expect }) => {
  const flags = await on(['Guten Tag', '{"faithful":true,"problems":[]}'], { protocol: 'native' })
  const listed = await runYaa(['workflows', ...flags], { cwd })
  expect(listed.stdout).toMatch(/^translate-and-check +\d/m)
  const inputs = ['--input', 'text=Good day', '--input', 'target_language=German']
  const done = await runYaa(['run', 'translate-and-check', ...inputs, ...flags], { cwd })
  expect({ code: done.code, stdout: done.stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Guten Tag') })
  const listedSessions = await runYaa(['sessions', '--json', ...flags], { cwd })
  const { data } = JSON.parse(listedSessions.stdout) as { data: { id: string }[] }
  const again = await runYaa(['retry', data[0]?.id ?? '', 'mend', ...flags], { cwd })
  expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: done.stdout })
  const unknown = await runYaa(['retry', data[0]?.id ?? '', 'no_such_step', ...flags], { cwd })
  expect({ code: unknown.code, stdout: unknown.stdout }).toEqual({ code: 1, stdout: '' })
  expect(unknown.stderr).toContain('no_such_step')
  const none = await runYaa(['run', 'nothing-of-the-kind', ...flags], { cwd })
  expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 1, stdout: '' })
  const wrong = await runYaa(['run', 'translate-and-check', '--input', 'text', ...flags], { cwd })
  expect({ code: wrong.code, stdout: wrong.stdout }).toEqual({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('NAME=VALUE')
})
