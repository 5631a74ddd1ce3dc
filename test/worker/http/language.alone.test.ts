import { describe, expect, test } from 'vitest'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import { WORDS } from '../../support/words.ts'
import { call, json, stage } from './http.ts'

const HAN = /\p{Script=Han}/u

async function made(task: string | undefined, headers: Record<string, string>, language?: string) {
  const { model, config } = await stage([{ content: WORDS.en.finish('ok'), repeat: true }])
  const body = { ...(task === undefined ? {} : { task }), config: { ...config, ...(language ? { language } : {}) } }
  const answer = await call('POST', '/v1/sessions', { body, headers })
  const session = await json<SessionData>(answer, 201)
  const [asked] = task === undefined ? [] : await model.asked()
  return { language: session.config.language, prompt: asked?.body.messages[0]?.content ?? '' }
}

test.each([
  ['en-GB,en;q=0.9', '法国的首都是哪里？', 'en'],
  ['zh-TW', 'What is the capital of France?', 'zh-TW'],
  ['en;q=0.5, fr-CA;q=0.8, *;q=0.1', '法国', 'fr'],
  ['zh-CN;q=0, en', '法国', 'en'],
  ['*', 'What is the capital of France?', 'en'],
  ['', 'What is the capital of France?', 'en'],
  ['nonsense;;q=x', '法国的首都是哪里？', 'zh-CN'],
])('a session is in the language of its request, else in that of its words: %s, %s', async (header, task, language) => {
  const session = await made(task, header === '' ? {} : { 'accept-language': header })
  expect(session.language).toBe(language)
  expect(HAN.test(session.prompt.replace(task, ''))).toBe(language.startsWith('zh'))
})

test('what config says comes first, and where nothing says it, it is the language of the server', async () => {
  expect((await made('Hello', { 'accept-language': 'en' }, 'zh-CN')).language).toBe('zh-CN')
  expect((await made(undefined, {})).language).toBeUndefined()
})

test('a call that keeps no session is answered in the language of the request, too', async () => {
  const { config } = await stage(['Paris.', { content: WORDS.en.finish('ok'), repeat: true }])
  const body = {
    messages: [{ role: 'user', content: 'Capital of France?' }],
    config: { ...config, ends_by_reply: 'never' },
  }
  const answer = await json<AgentResponseData>(call('POST', '/v1/agent', { body }))
  expect(JSON.stringify(answer.messages)).not.toMatch(HAN)
})

/** All that a run says of its own: what its model was sent, its events, its session, in one language. */
async function run(language: 'en' | 'zh-CN', protocol: 'native' | 'xml') {
  const words = WORDS[language]
  const { model, site, config } = await stage([])
  const missing = site.url('missing')
  const calls = (name: string, args: Record<string, unknown>): StepInput => ({
    tool_calls: [{ name, arguments: args }],
  })
  const visit = (url: string): StepInput => (protocol === 'native' ? calls('web_access', { url }) : words.visit(url))
  const steps: StepInput[] = [
    protocol === 'native' ? calls('nothing', {}) : '<nothing>\n<x>1</x>\n</nothing>',
    protocol === 'native' ? calls('web_access', { page: 1 }) : '<web_access>\n<page>1</page>\n</web_access>',
    visit(missing),
    protocol === 'native' ? calls('ask', { question: '1 + 1?' }) : words.ask('1 + 1?'),
    protocol === 'native' ? calls('write_file', { path: 'a.md', content: '2' }) : words.rethink('2'),
    ...(protocol === 'native' ? [] : ['2']),
    protocol === 'native' ? calls('finish', { reason: '2' }) : words.finish('2'),
  ]
  await model.script(steps)
  const own = {
    ...config,
    llm: { ...config.llm, protocol },
    tools: { web_access: { auto_approve: true }, write_file: { auto_approve: true } },
    limits: { max_iterations: 20 },
  }
  const headers = { 'accept-language': language }
  const session = await json<SessionData>(call('POST', '/v1/sessions', { body: { config: own }, headers }), 201)
  const path = `/v1/sessions/${session.id}`
  const asked = await json<AgentResponseData>(
    call('POST', `${path}/messages`, { body: { content: '1 + 1 = ?' }, headers }),
  )
  const [question] = asked.pending
  const decided = { body: { decision: 'answer', answer: '2' }, headers }
  const ended = await json<AgentResponseData>(call('POST', `${path}/pending/${question?.id}`, decided))
  const events = await json(call('GET', `${path}/events?limit=100`))
  return { ended, texts: JSON.stringify([asked, ended, events]), requests: await model.asked() }
}

describe('a run in one language', () => {
  for (const protocol of ['native', 'xml'] as const) {
    test(`says nothing in Chinese to who speaks English (${protocol})`, async () => {
      const { ended, texts, requests } = await run('en', protocol)
      expect(ended).toMatchObject({ status: 'completed', result: '2' })
      expect(texts).not.toMatch(HAN)
      expect(JSON.stringify(requests)).not.toMatch(HAN)
    })

    test(`says all of its own in Chinese to who speaks that (${protocol})`, async () => {
      const { ended, requests } = await run('zh-CN', protocol)
      expect(ended).toMatchObject({ status: 'completed', result: '2' })
      const told = ended.messages.filter(({ kind }) => kind === 'warning' || kind === 'tool_result')
      for (const { content } of told) expect(content).toMatch(HAN)
      for (const tool of requests.flatMap(({ body }) => body.tools ?? []))
        expect(tool.function.description).toMatch(HAN)
      const prompt = requests[0]?.body.messages[0]?.content ?? ''
      expect(prompt.split('\n').filter((line) => / [a-z]+ [a-z]+ [a-z]+ /.test(line))).toEqual([])
    })
  }

  test('is in the language of its first message, where nothing was said before', async () => {
    for (const [header, content, language] of [
      ['', 'What is the capital of France?', 'en'],
      ['', '法国的首都是哪里？', 'zh-CN'],
      ['fr', '法国的首都是哪里？', 'fr'],
    ] as const) {
      const { model, config } = await stage([WORDS.en.finish('Paris'), WORDS.en.finish('Paris')])
      const session = await json<SessionData>(call('POST', '/v1/sessions', { body: { config } }), 201)
      expect(session.config.language).toBeUndefined()
      const headers = header === '' ? {} : { 'accept-language': header }
      const path = `/v1/sessions/${session.id}`
      await json(call('POST', `${path}/messages`, { body: { content }, headers }))
      await json(
        call('POST', `${path}/messages`, { body: { content: '再说一遍 again' }, headers: { 'accept-language': 'zh' } }),
      )
      expect((await json<SessionData>(call('GET', path))).config.language).toBe(language)
      for (const { body } of await model.asked())
        expect(HAN.test((body.messages[0]?.content ?? '').replace(content, '').replace('再说一遍', ''))).toBe(
          language === 'zh-CN',
        )
      const events = await json<{ data: { type: string }[] }>(call('GET', `${path}/events?limit=100`))
      expect(events.data.map(({ type }) => type)).not.toContain('session-update')
    }
  })
})

describe('what comes with the product is told in the language of the first message', () => {
  const asked = async (made: Record<string, unknown>, content: string, steps: StepInput[]) => {
    const { model, config } = await stage(steps)
    const body = { ...made, config: { ...config, ...(made['config'] as object) } }
    const session = await json<SessionData>(call('POST', '/v1/sessions', { body }), 201)
    expect(session.config.language).toBeUndefined()
    const path = `/v1/sessions/${session.id}`
    await json(call('POST', `${path}/messages`, { body: { content } }))
    const told = (await model.asked()).map(({ body: { messages } }) => messages[0]?.content ?? '')
    return { told, session: await json<SessionData>(call('GET', path)) }
  }

  test('that its config says, whatever was set before', async () => {
    const { model, config } = await stage([{ content: 'ok', repeat: true }])
    const made = { skill: 'code-review', config: { ...config, language: 'zh-CN' } }
    const told = async (change: (path: string) => Promise<unknown>, content: string, language?: string) => {
      const { id } = await json<SessionData>(call('POST', '/v1/sessions', { body: made }), 201)
      await change(`/v1/sessions/${id}`)
      const body = { content, ...(language ? { config: { language } } : {}) }
      await json(call('POST', `/v1/sessions/${id}/messages`, { body }))
      return (await model.asked()).at(-1)?.body.messages[0]?.content ?? ''
    }
    const unchanged = async () => {}
    expect(await told(unchanged, 'Look at my code.')).toMatch(HAN)
    expect(await told(unchanged, 'Look at my code.', 'en')).not.toMatch(HAN)
    const english = (path: string) => call('PATCH', path, { body: { config: { language: 'en' } } })
    const unset = async (path: string) => {
      await english(path)
      await json(call('PATCH', path, { body: { config: { language: null } } }))
    }
    expect(await told(unset, 'Look at my code.')).not.toMatch(HAN)
    expect(await told(unset, '看看我的代码。')).toMatch(HAN)
  })

  test('to a session of a skill that was made without a task', async () => {
    const english = await asked({ skill: 'code-review' }, 'Look at my code.', [{ content: 'ok', repeat: true }])
    expect(english.told.length).toBeGreaterThan(0)
    expect(english.told.join()).not.toMatch(HAN)
    const chinese = await asked({ skill: 'code-review' }, '看看我的代码。', [{ content: '好', repeat: true }])
    expect(chinese.told[0]).toMatch(HAN)
  })

  test('to a session of a team that was made without a task, whose bounds stay', async () => {
    const team = { name: 'software', n_round: 3 }
    const english = await asked({ team }, 'Make a snake game.', [{ content: 'ok', repeat: true }])
    expect(english.told.length).toBeGreaterThan(0)
    expect(english.told.join()).not.toMatch(HAN)
    expect(english.session.team).toMatchObject({ name: 'software', n_round: 3 })
    expect(JSON.stringify(english.session.team?.roles)).not.toMatch(HAN)
    const chinese = await asked({ team }, '写一个贪吃蛇游戏。', [{ content: '好', repeat: true }])
    expect(chinese.told[0]).toMatch(HAN)
  })

  test('or in that which is set before it', async () => {
    const { model, config } = await stage([{ content: 'ok', repeat: true }])
    const { id } = await json<SessionData>(
      call('POST', '/v1/sessions', { body: { skill: 'code-review', config } }),
      201,
    )
    await json(call('PATCH', `/v1/sessions/${id}`, { body: { config: { language: 'en' } } }))
    await json(call('POST', `/v1/sessions/${id}/messages`, { body: { content: 'a = 1' } }))
    expect((await model.asked()).map(({ body }) => body.messages[0]?.content).join()).not.toMatch(HAN)
  })

  test('but what somebody brought along stays as it is', async () => {
    const role = {
      name: 'Ana',
      profile: '作家',
      watch: ['UserRequirement'],
      actions: [{ name: 'Write', instruction: '写一首诗。' }],
    }
    const { told, session } = await asked({ team: { name: 'software', roles: [role] } }, 'A poem, please.', [
      { content: 'ok', repeat: true },
    ])
    expect(told[0]).toContain('写一首诗。')
    expect(session.team?.roles[0]).toMatchObject({ profile: '作家' })
  })
})

describe('pages', () => {
  test('for who comes back from an authorisation are in their language', async () => {
    const page = async (language?: string) => {
      const headers = language ? { 'accept-language': language } : {}
      const answer = await call('GET', '/oauth/callback?state=default.x', { headers })
      expect(answer.headers.get('vary')).toContain('Accept-Language')
      return answer.text()
    }
    expect(await page('en-GB')).not.toMatch(HAN)
    expect(await page('zh-CN')).toMatch(HAN)
    expect(await page('zh-CN')).toContain('name="viewport"')
    expect(await page()).toMatch(HAN)
  })

  test.each(['/docs/errors', '/', '/docs'])('%s is in the language of its reader', async (path) => {
    const page = async (language?: string) => {
      const accept = { accept: 'text/html', ...(language ? { 'accept-language': language } : {}) }
      const answer = await call('GET', path, { headers: accept })
      expect(answer.headers.get('vary')).toContain('Accept-Language')
      return answer.text()
    }
    expect(await page('en-GB')).not.toMatch(HAN)
    expect(await page('zh-CN')).toMatch(HAN)
    expect(await page('zh-CN')).not.toMatch(/lang="en">[A-Z]/)
    expect(await page('zh-CN')).not.toContain('The input is not')
    expect([await page('zh-CN'), await page('en-GB')].map((one) => /<html lang="(.*?)"/.exec(one)?.[1])).toEqual([
      'zh-CN',
      'en',
    ])
    expect((await page()).match(/<title/g)).toHaveLength(1)
  })

  test('lists name skills and teams in the language of the request', async () => {
    for (const path of ['/v1/skills', '/v1/teams']) {
      expect(await (await call('GET', path, { headers: { 'accept-language': 'en' } })).text()).not.toMatch(HAN)
      expect(await (await call('GET', path, { headers: { 'accept-language': 'zh-CN' } })).text()).toMatch(HAN)
    }
  })
})
