import { createServer, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { serverConfigWith } from '../../../src/domain/server-config.ts'
import { contentText } from '../../../src/domain/content.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { issuesOf } from '../../../src/lib/zod.ts'
import { approve, createAgent, createSession, withMessage, withResponse } from '../../../src/library.ts'
import { countWords } from '../../support/count-words.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { onLoopback, type OnLoopback } from '../../support/on-loopback.ts'
import { type Play, startPlay } from '../../support/play.ts'
import { expectSound } from '../../support/sound.ts'
import { Waiting } from '../../support/waiting.ts'
import { native } from '../../support/words.ts'
import { keepWorkflows } from '../../support/workflows.ts'
import type { Tool } from '../../../src/domain/tool.ts'

const SECRET = `whsec_${btoa('a secret of twenty-four b')}`

interface AskedHook {
  path: string
  id: string
  isSigned: boolean
  body: { type: string; data: { hook: string; tool: string; arguments: unknown; call_id: string; result?: unknown } }
}

let asked: AskedHook[] = []
let waiting = new Waiting<AskedHook>()
/** What the hooks answer, by path. */
let answers: Record<string, (response: ServerResponse) => void> = {}
const says =
  (value: unknown, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8')
    const headers = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, String(value)]))
    const path = (request.url ?? '').slice(1)
    const one = {
      path,
      id: headers['webhook-id'] ?? '',
      isSigned: isSigned(text, headers),
      body: JSON.parse(text) as AskedHook['body'],
    }
    asked.push(one)
    const answer = answers[path] ?? says({})
    answer(response)
    waiting.add('asked', one)
  })
})

function isSigned(text: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(SECRET).verify(text, headers)
    return true
  } catch {
    return false
  }
}

const hookAsked = (count: number) => new Promise<AskedHook[]>((resolve) => waiting.when('asked', count, resolve))

/** Tools that say what they were called with, and how often. */
let made: Record<string, unknown>[] = []
const named = (id: string, idempotent: boolean): Tool => ({
  ...countWords,
  id,
  names: { 'zh-CN': id, en: id },
  idempotent,
  isIdempotent: () => idempotent,
  run: async (args) => {
    made.push(args)
    return { ok: true, content: `counted ${JSON.stringify(args)}` }
  },
})

let heard: OnLoopback
let home: NodeHome
beforeAll(async () => {
  heard = await onLoopback(server)
  const hook = (path: string, more: object) => ({ url: `${heard.url}/${path}`, secret: SECRET, tools: [path], ...more })
  home = await nodeHome(
    'sqlite',
    ['guarded', 'lenient', 'told', 'twice', 'unsigned', 'free', 'slow', 'slowly', 'late', 'lately'].map((id) =>
      named(id, false),
    ),
    {
      web: { allow_private_hosts: [heard.host] },
      hooks: {
        guard: hook('guarded', {}),
        lenient: hook('lenient', { fail: 'open' }),
        told: hook('told', { when: ['after'] }),
        slow: hook('slow', { timeout_ms: 50 }),
        slowly: hook('slowly', { timeout_ms: 50, fail: 'open' }),
        late: hook('late', { timeout_ms: 50, when: ['after'] }),
        lately: hook('lately', { timeout_ms: 50, when: ['after'], fail: 'open' }),
        first: { ...hook('first', {}), tools: ['twi*'] },
        second: { ...hook('second', {}), tools: ['twice'], when: ['before', 'after'] },
        unsigned: { url: `${heard.url}/unsigned`, tools: ['unsigned'], secret_env: 'NOT_THERE' },
        all: { ...hook('all', {}), tools: ['finish', 'ask', 'rethink'] },
      },
    },
  )
})
afterAll(async () => {
  await home.close()
  await heard.close()
})
beforeEach(() => {
  asked = []
  waiting = new Waiting()
  answers = {}
  made = []
})

const end = native('finish', { reason: 'done' })
const config = (tool: string, permission: 'allow' | 'ask' = 'allow'): SessionConfig => ({
  language: 'en',
  llm: { protocol: 'native' },
  tools: { [tool]: { permission } },
})

async function playing(tool: string, permission: 'allow' | 'ask' = 'allow'): Promise<Play> {
  const play = await startPlay(home, {
    script: [native(tool, { text: 'a b' }), end, end],
    config: config(tool, permission),
  })
  await play.create()
  return play
}

const hooksIn = async (play: Play) =>
  (await play.events()).flatMap((event) => (event.type === 'tool-hook' ? [event] : []))
const resultIn = async (play: Play) => {
  const result = (await play.messages()).find(({ role }) => role === 'tool')
  return contentText(result?.content ?? '', null)
}

describe('a hook before a call', () => {
  test('is asked once, signed, before anybody decides; then the call goes on', async ({ expect }) => {
    const play = await playing('guarded', 'ask')
    expect(await play.send('Go')).toMatchObject({ status: 'interrupted', pending: [{ tool: 'guarded' }] })
    expect(asked).toMatchObject([
      {
        isSigned: true,
        body: {
          type: 'tool.before',
          data: {
            hook: 'guard',
            tool: 'guarded',
            session_id: play.id,
            tenant: 'default',
            risk: 'write',
            arguments: { text: 'a b' },
          },
        },
      },
    ])
    expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: 'done' })
    expect([asked.length, made]).toEqual([1, [{ text: 'a b' }]])
    expect(await hooksIn(play)).toMatchObject([{ hook: 'guard', phase: 'before', outcome: 'allowed' }])
    await expectSound(play, expect)
  })

  test('changes the arguments: a human approves what it leaves, and that is what is run', async ({ expect }) => {
    answers['guarded'] = says({ arguments: { text: 'safe' } })
    const play = await playing('guarded', 'ask')
    const { pending } = await play.send('Go')
    expect(pending).toMatchObject([{ tool: 'guarded', arguments: { text: 'safe' } }])
    await play.decide({ decision: 'approve' })
    expect(made).toEqual([{ text: 'safe' }])
    expect(await hooksIn(play)).toMatchObject([{ outcome: 'changed', arguments: { text: 'safe' } }])
    expect(JSON.stringify(await play.messages())).not.toContain('The user changed the arguments')
    await expectSound(play, expect)
  })

  test('changes the arguments of a call that config allows', async ({ expect }) => {
    answers['guarded'] = says({ decision: 'allow', arguments: { text: 'safe' } })
    const play = await playing('guarded')
    expect(await play.send('Go')).toMatchObject({ status: 'completed' })
    expect(made).toEqual([{ text: 'safe' }])
  })

  test('refuses: nothing is run or asked, and the model reads why', async ({ expect }) => {
    answers['guarded'] = says({ decision: 'refuse', reason: 'Not on a Sunday.' })
    const play = await playing('guarded', 'ask')
    expect(await play.send('Go')).toMatchObject({ status: 'completed', result: 'done' })
    expect(made).toEqual([])
    expect(await resultIn(play)).toMatch(/The hook guard refused this call; it was not made\. Not on a Sunday\./)
    expect(await hooksIn(play)).toMatchObject([{ outcome: 'refused', reason: 'Not on a Sunday.' }])
    await expectSound(play, expect)
  })

  test.for([
    ['an error', says({}, 500), /status 500/],
    [
      'a redirect',
      (response: ServerResponse): void => void response.writeHead(302, { location: '/lenient' }).end(),
      /status 302/,
    ],
    ['a page', (response: ServerResponse): void => void response.end('<p>Hello</p>'), /none that a hook gives/],
    ['another word', says({ decision: 'maybe' }), /none that a hook gives/],
    ['a field that nobody knows', says({ argument: { text: 'x' } }), /none that a hook gives/],
    ['nothing at all', (response: ServerResponse): void => void response.destroy(), /could not be reached/],
  ] as const)(
    'that answers with %s stops the call where it is closed, and not where it is open',
    async ([, answer, why], { expect }) => {
      answers = { guarded: answer, lenient: answer }
      const closed = await playing('guarded')
      expect(await closed.send('Go')).toMatchObject({ status: 'completed' })
      expect(made).toEqual([])
      expect(await resultIn(closed)).toMatch(/The hook guard has to agree to this call/)
      expect((await hooksIn(closed))[0]).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(why) })
      const open = await playing('lenient')
      await open.send('Go')
      expect(made).toEqual([{ text: 'a b' }])
      expect((await hooksIn(open))[0]).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(why) })
    },
  )

  test.for([
    ['slow', []],
    ['slowly', [{ text: 'a b' }]],
  ] as const)('without an answer in time: of %s these calls are made: %j', async ([name, calls], { expect }) => {
    answers[name] = () => {}
    const play = await playing(name)
    expect(await play.send('Go')).toMatchObject({ status: 'completed' })
    expect([made, asked.length]).toEqual([calls, 1])
    const [event] = await hooksIn(play)
    expect(event).toMatchObject({ phase: 'before', outcome: 'failed', reason: 'it gave no answer within 50 ms' })
    await expectSound(play, expect)
  })

  test('whose arguments the tool does not take stops the call, open or not', async ({ expect }) => {
    answers['lenient'] = says({ arguments: { words: 1 } })
    const play = await playing('lenient')
    await play.send('Go')
    expect(made).toEqual([])
    expect((await hooksIn(play))[0]).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('does not take its arguments'),
    })
  })

  test('without its secret is not asked', async ({ expect }) => {
    const play = await playing('unsigned')
    await play.send('Go')
    expect([asked, made]).toEqual([[], []])
    expect((await hooksIn(play))[0]).toMatchObject({ outcome: 'failed', reason: 'the server has no secret for it' })
  })

  test('of several, each sees what the one before it left', async ({ expect }) => {
    answers['first'] = says({ arguments: { text: 'one' } })
    const play = await playing('twice')
    await play.send('Go')
    expect(asked.map(({ path, body: { type, data } }) => [path, type, data.arguments])).toEqual([
      ['first', 'tool.before', { text: 'a b' }],
      ['second', 'tool.before', { text: 'one' }],
      ['second', 'tool.after', { text: 'one' }],
    ])
    expect(made).toEqual([{ text: 'one' }])
  })

  test('is not asked about what only steers a run, or about other tools', async ({ expect }) => {
    const play = await playing('free')
    expect(await play.send('Go')).toMatchObject({ status: 'completed' })
    expect([asked, made.length]).toEqual([[], 1])
  })
})

describe('a hook after a call', () => {
  test.for([
    ['late', /withheld/],
    ['lately', /counted/],
  ] as const)('without an answer in time: of %s the model reads %s', async ([name, told], { expect }) => {
    answers[name] = () => {}
    const play = await playing(name)
    await play.send('Go')
    expect(made).toEqual([{ text: 'a b' }])
    expect(await resultIn(play)).toMatch(told)
    expect((await hooksIn(play))[0]).toMatchObject({ phase: 'after', outcome: 'failed' })
    await expectSound(play, expect)
  })

  test('is told what came of it', async ({ expect }) => {
    const play = await playing('told')
    await play.send('Go')
    expect(asked).toMatchObject([
      {
        isSigned: true,
        body: { type: 'tool.after', data: { result: { ok: true, content: 'counted {"text":"a b"}' } } },
      },
    ])
    expect(await resultIn(play)).toContain('counted')
    expect(await hooksIn(play)).toMatchObject([{ phase: 'after', outcome: 'allowed' }])
    await expectSound(play, expect)
  })

  test.for([
    ['refuses', says({ decision: 'refuse', reason: 'It has names in it.' }), /It has names in it/],
    ['fails', says({}, 503), /status 503/],
    ['gives arguments, which are too late', says({ arguments: { text: 'x' } }), /none that a hook gives/],
  ] as const)('that %s withholds the result of a call that was made', async ([, answer, why], { expect }) => {
    answers['told'] = answer
    const play = await playing('told')
    await play.send('Go')
    expect(made).toHaveLength(1)
    expect(await resultIn(play)).toMatch(/The call was made, but the hook told withheld its result/)
    expect(await resultIn(play)).toMatch(why)
    expect(await resultIn(play)).not.toContain('counted')
  })
})

describe('a process that dies', () => {
  test('while a hook is asked: it is asked again under the same id, and the call is made once', async ({ expect }) => {
    answers['guarded'] = () => {}
    const play = await playing('guarded')
    void play.api.addMessage({ content: 'Go' }, { form: 'background' })
    await hookAsked(1)
    home.kill(play.id)
    answers['guarded'] = says({ arguments: { text: 'safe' } })
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed' })
    expect(asked).toHaveLength(2)
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1)
    expect(made).toEqual([{ text: 'safe' }])
    await expectSound(play, expect)
  })

  test('behind the answer: it is kept, and the hook is not asked again', async ({ expect }) => {
    answers['guarded'] = says({ arguments: { text: 'safe' } })
    const play = await playing('guarded', 'ask')
    await play.send('Go')
    home.kill(play.id)
    answers['guarded'] = says({ decision: 'refuse' })
    expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed' })
    expect([asked.length, made]).toEqual([1, [{ text: 'safe' }]])
  })

  test('while a hook is told of a call: the call is not made again', async ({ expect }) => {
    answers['told'] = () => {}
    const play = await playing('told')
    void play.api.addMessage({ content: 'Go' }, { form: 'background' })
    await hookAsked(1)
    home.kill(play.id)
    await play.session()
    expect(await play.event('run-end')).toMatchObject({ status: 'completed' })
    expect([asked.length, made.length]).toEqual([1, 1])
    await expectSound(play, expect)
  })
})

describe('a session that its caller keeps', () => {
  test('has what a hook left approved and made, though the history says what the model wrote', async ({ expect }) => {
    answers['guarded'] = says({ arguments: { text: 'safe' } })
    const { model } = await startPlay(home, { script: [native('guarded', { text: 'a b' }), end] })
    const agent = createAgent({
      tools: [named('guarded', false)],
      config: {
        language: 'en',
        models: { m: { api_url: home.peers().modelUrl, model: model.name, protocol: 'native' } },
        default_model: 'm',
        web: { allow_private_hosts: [heard.host] },
        hooks: { guard: { url: `${heard.url}/guarded`, tools: ['guarded'], secret: SECRET } },
      },
    })
    const session = withMessage(createSession(), 'Go')
    const asking = await agent.run(session)
    expect(asking.pending).toMatchObject([{ tool: 'guarded', arguments: { text: 'safe' } }])
    const approved = withMessage(withResponse(session, asking), approve('guarded'))
    expect(await agent.run(approved)).toMatchObject({ status: 'completed', result: 'done' })
    expect(made).toEqual([{ text: 'safe' }])
  })
})

describe('a step of a workflow', () => {
  test('that calls a tool is refused as a call of a model is', async ({ expect }) => {
    answers['guarded'] = says({ decision: 'refuse', reason: 'No.' })
    keepWorkflows(home, { steps: [{ id: 'count', type: 'tool', tool: 'guarded', arguments: { text: 'a b' } }] })
    const play = await startPlay(home, { config: config('guarded') })
    const done = await play.create({ workflow: 'flow', task: 'Go' })
    expect(made).toEqual([])
    expect(await hooksIn(play)).toMatchObject([{ hook: 'guard', outcome: 'refused' }])
    expect(done.status).toBe('failed')
  })
})

describe('the config', () => {
  const hook = { url: 'https://hooks.example/tools', tools: ['*'], secret: SECRET }
  const read = (hooks: unknown) => serverConfigWith(['openai']).safeParse({ hooks })

  test.for([
    [{ a: { ...hook, tools: [] } }, 'hooks.a.tools'],
    [{ a: { ...hook, tools: ['http_request', 'ask'] } }, 'hooks.a.tools.1'],
    [{ a: { ...hook, tools: ['完成会话'] } }, 'hooks.a.tools.0'],
    [{ a: { ...hook, url: 'ftp://x' } }, 'hooks.a.url'],
    [{ a: { url: hook.url, tools: ['*'] } }, 'hooks.a.secret_env'],
    [{ a: { ...hook, secret_env: 'HOOK' } }, 'hooks.a.secret_env'],
    [{ a: { ...hook, secret: 'short' } }, 'hooks.a.secret'],
    [{ a: { ...hook, fail: 'never' } }, 'hooks.a.fail'],
    [{ a: { ...hook, timeout_ms: 600_000 } }, 'hooks.a.timeout_ms'],
    [{ a: { ...hook, when: [] } }, 'hooks.a.when'],
    [{ a: { ...hook, more: 1 } }, 'hooks.a.more'],
    [{ 'a b': hook }, 'hooks.a b'],
  ] as const)('%j is refused by the place that is wrong', ([hooks, path], { expect }) => {
    const { error } = read(hooks)
    expect(error ? issuesOf(error).map((issue) => issue.path) : []).toEqual([path])
  })

  test('takes one with all of its fields', ({ expect }) => {
    expect(read({ a: { ...hook, when: ['before', 'after'], timeout_ms: 1_000, fail: 'open' } }).success).toBe(true)
  })
})
