import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { describe, test } from 'vitest'
import type { AgentResponseData } from '../../../src/domain/session.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { hear } from '../../support/sse.ts'
import { call, json, type List, problem, read, stage } from './http.ts'

type Shown = Record<string, unknown>

let made = 0
const newName = () => `http-${++made}-${crypto.randomUUID().slice(0, 8)}`
const MARKDOWN = { 'content-type': 'text/markdown; charset=utf-8' }
const post = (body: unknown, headers: Record<string, string> = {}) => call('POST', '/v1/skills', { body, headers })
const minimal = (name = newName()) => ({ name, version: '1', description: '试用' })

describe('the list of skills', () => {
  test('shows the shipped ones in both languages, without prompts', async ({ expect }) => {
    const { data } = await json<List<Shown>>(call('GET', '/v1/skills?limit=100&language=en'))
    const shipped = data.filter(({ source }) => source === 'shipped')
    expect(shipped.map(({ name }) => name)).toEqual([
      'chat-assistant',
      'code-review',
      'data-chart',
      'translate',
      'web-research',
    ])
    expect(shipped.every(({ prompt }) => prompt === undefined)).toBe(true)
    expect(shipped.find(({ name }) => name === 'translate')).toMatchObject({
      object: 'skill',
      languages: ['en', 'zh-CN'],
      description: expect.stringMatching(/^Translates/),
      input_schema: { type: 'object', properties: { target_language: { type: 'string' } }, required: [] },
    })
    const chinese = await json<List<Shown>>(call('GET', '/v1/skills?limit=100&language=zh-CN'))
    expect(chinese.data.find(({ name }) => name === 'translate')?.['description']).toMatch(/翻译/)
  })

  test('is read page by page, each skill once, the tenant’s own among the shipped', async ({ expect }) => {
    const own = [newName(), newName()]
    for (const name of own) await json(post(minimal(name)), 201)
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page: List<Shown> = await json<List<Shown>>(call('GET', `/v1/skills?limit=2${at}`))
      expect(page.data.length).toBeLessThanOrEqual(2)
      seen.push(...page.data.map(({ name }) => String(name)))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(seen.toSorted())
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining([...own, 'chat-assistant', 'web-research']))
    expect((await problem(call('GET', '/v1/skills?limit=0'), 400)).errors?.[0]?.path).toBe('limit')
  })
})

describe('a skill of the tenant', () => {
  test('is added as JSON, shown as it was given with its defaults, and can be sent back', async ({ expect }) => {
    const given = { ...minimal(), prompt: '你好，{{who}}', inputs: [{ name: 'who' }], tools: ['web_access'] }
    const answer = await post(given)
    expect(answer.headers.get('location')).toBe(`/v1/skills/${given.name}`)
    const shown = await json<Shown>(answer, 201)
    expect(shown).toMatchObject({ ...given, inputs: [{ name: 'who', type: 'string', required: false }] })
    expect(shown).toMatchObject({ source: 'tenant', max_tool_iterations: 5, finish: 'tool', model: null })
    expect(await json(call('GET', `/v1/skills/${given.name}`))).toEqual(shown)
    expect(await json(call('PUT', `/v1/skills/${given.name}`, { body: shown }))).toEqual(shown)
  })

  test('has a prompt of 100,000 characters of Chinese, as JSON and as a SKILL.md', async ({ expect }) => {
    const prompt = '字'.repeat(100_000)
    expect(await json<Shown>(post({ ...minimal(), prompt }), 201)).toMatchObject({ prompt })
    const name = newName()
    const text = `---\nname: ${name}\ndescription: 试用\n---\n${prompt}`
    expect(await json<Shown>(post(text, MARKDOWN), 201)).toMatchObject({ name, prompt })
    expect((await problem(post({ ...minimal(), prompt: `${prompt}字` }), 400)).errors?.[0]?.path).toBe('prompt')
  })

  test('is added as a SKILL.md', async ({ expect }) => {
    const name = newName()
    const file = `---\nname: ${name}\ndescription: x\nallowed-tools: web_access\nmetadata:\n  version: "2.0"\n  finish: no_call\n---\n\n# 做法\n\n{{user_input}}\n`
    expect(await json(post(file, MARKDOWN), 201)).toMatchObject({
      name,
      version: '2.0',
      tools: ['web_access'],
      finish: 'no_call',
      prompt: '# 做法\n\n{{user_input}}',
    })
  })

  test('is refused with the field as the path, whichever way it came', async ({ expect }) => {
    const pathOf = async (body: unknown, headers = {}) => {
      const { code, errors } = await problem(post(body, headers), 400)
      expect(code).toBe('invalid_input')
      return errors?.map(({ path }) => path)
    }
    expect(await pathOf({})).toEqual(['name', 'version', 'description'])
    expect(await pathOf({ ...minimal(), prompt: '{{nobody}}' })).toEqual(['prompt'])
    expect(await pathOf({ ...minimal(), tools: ['toaster'] })).toEqual(['tools.0'])
    expect(await pathOf({ ...minimal(), extra: 1 })).toEqual(['extra'])
    expect(await pathOf('---\nname: a\n---\nx', MARKDOWN)).toEqual(['description'])
    expect(await pathOf('no front matter', MARKDOWN)).toEqual([''])
    expect((await problem(post('x', { 'content-type': 'text/plain' }), 415)).code).toBe('unsupported_media_type')
    const large = JSON.stringify({ ...minimal(), prompt: 'x'.repeat(1_100_000) })
    expect((await problem(post(large), 413)).code).toBe('body_too_large')
  })

  test('is refused with a team that does not fit, added or replaced', async ({ expect }) => {
    const roles = [
      { name: 'A', profile: 'x', watch: ['Nothing'], actions: [{ name: 'Do', instruction: 'x' }], skill: 'no-such' },
    ]
    const given = minimal()
    for (const refused of [
      post({ ...given, team: { roles } }),
      call('PUT', `/v1/skills/${given.name}`, { body: { ...given, team: { roles } } }),
    ])
      expect((await problem(refused, 400)).errors?.map(({ path }) => path)).toEqual(['team.roles.0.watch.0'])
    const known = { roles: [{ ...roles[0], watch: [] }] }
    expect((await problem(post({ ...given, team: known }), 400)).errors?.[0]?.path).toBe('team.roles.0.skill')
    expect((await problem(post({ ...given, team: 'nobody' }), 400)).errors?.[0]?.path).toBe('team')
    await json(post({ ...given, team: 'debate' }), 201)
  })

  test('is refused with a schema for answers that nobody would hold to it', async ({ expect }) => {
    const output_schema = { type: 'object', properties: { a: { type: 'number' } } }
    for (const given of [{ orchestrator: 'plan' }, { team: 'software' }]) {
      const { errors } = await problem(post({ ...minimal(), ...given, output_schema }), 400)
      expect(errors?.map(({ path }) => path)).toEqual(['output_schema'])
    }
    for (const orchestrator of ['agent', 'route']) await json(post({ ...minimal(), orchestrator, output_schema }), 201)
  })

  test('is not added twice, is replaced by PUT, and is gone after DELETE', async ({ expect }) => {
    const given = minimal()
    await json(post(given), 201)
    expect((await problem(post(given), 409)).code).toBe('already_exists')
    const path = `/v1/skills/${given.name}`
    const changed = await json(call('PUT', path, { body: { version: '2', description: '改了' } }))
    expect(changed).toMatchObject({ name: given.name, version: '2', description: '改了' })
    expect((await problem(call('PUT', path, { body: minimal('another') }), 400)).errors?.[0]?.path).toBe('name')
    expect((await call('DELETE', path)).status).toBe(204)
    await problem(call('GET', path), 404)
    await problem(call('DELETE', path), 404)
    await json(call('PUT', path, { body: given }), 201)
  })

  test('goes before a shipped one of its name, which DELETE brings back', async ({ expect }) => {
    const path = '/v1/skills/data-chart'
    expect((await problem(post(minimal('data-chart')), 409)).code).toBe('already_exists')
    expect((await problem(call('DELETE', path), 403)).code).toBe('forbidden')
    await json(call('PUT', path, { body: minimal('data-chart') }), 201)
    expect(await json(call('GET', path))).toMatchObject({ source: 'tenant', version: '1' })
    const { data } = await json<List<Shown>>(call('GET', '/v1/skills?limit=100'))
    expect(data.filter(({ name }) => name === 'data-chart')).toMatchObject([{ source: 'tenant' }])
    expect((await call('DELETE', path)).status).toBe(204)
    expect(await json(call('GET', path))).toMatchObject({ source: 'shipped' })
  })

  test('is made once under an Idempotency-Key', async ({ expect }) => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const given = minimal()
    const first = await json(post(given, headers), 201)
    const again = await post(given, headers)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await json(again, 201)).toEqual(first)
  })

  test('needs admin to be changed, and no other tenant sees it', async ({ expect }) => {
    const keys = await Promise.all(
      (['run', 'admin'] as const).map(async (scope) => ({
        id: scope,
        sha256: await sha256Hex(`key-${scope}`),
        scopes: [scope, 'read'],
        ...(scope === 'admin' ? { tenant: `t${crypto.randomUUID().slice(0, 8)}` } : {}),
      })),
    )
    const env = { YAA_CONFIG: JSON.stringify({ auth: { keys } }) }
    const as = (scope: string, method: string, path: string, body?: unknown) =>
      call(method, path, { env, headers: { authorization: `Bearer key-${scope}` }, ...(body ? { body } : {}) })
    const given = minimal()
    expect((await problem(as('run', 'POST', '/v1/skills', given), 403)).code).toBe('forbidden')
    await json(as('admin', 'POST', '/v1/skills', given), 201)
    await json(as('admin', 'GET', `/v1/skills/${given.name}`))
    await problem(as('run', 'GET', `/v1/skills/${given.name}`), 404)
  })
})

describe('a skill with a folder', () => {
  const LICENSED = 'license: Apache-2.0\nallowed-tools: Read web_access Bash(python *)\nhooks:\n  a: 1\n'
  const zipOf = (name: string, more: Record<string, string> = {}) => {
    const main = `---\nname: ${name}\ndescription: x\n${LICENSED}---\n\n写。\n`
    const files = { 'SKILL.md': main, 'references/a.md': '甲', 'scripts/run.py': 'print(1)', ...more }
    return zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [`x/${path}`, strToU8(text)])))
  }
  const send = (method: string, path: string, body: Uint8Array) =>
    call(method, path, { body, headers: { 'content-type': 'application/zip' } })
  const filesIn = (zip: ArrayBuffer) =>
    Object.fromEntries(Object.entries(unzipSync(new Uint8Array(zip))).map(([path, bytes]) => [path, strFromU8(bytes)]))
  const folderOf = async (name: string) =>
    filesIn(await (await call('GET', `/v1/skills/${name}`, { headers: { accept: 'application/zip' } })).arrayBuffer())

  test('is added as a zip, says what does not work, and is given back as it came', async ({ expect }) => {
    const name = newName()
    const shown = await json<Shown>(send('POST', '/v1/skills', zipOf(name)), 201)
    expect(shown).toMatchObject({
      name,
      version: '1',
      tools: ['web_access'],
      extra: { license: 'Apache-2.0', hooks: { a: 1 }, 'allowed-tools': 'Read web_access Bash(python *)' },
      files: [
        { path: 'references/a.md', size: 3, text: true },
        { path: 'scripts/run.py', size: 8, text: true },
      ],
    })
    const warned = (one: Shown | undefined) => one?.['warnings'] as { path: string; message: string }[]
    expect(warned(shown).map(({ path }) => path)).toEqual(['allowed-tools', 'allowed-tools', 'scripts'])
    const { data } = await json<List<Shown>>(call('GET', `/v1/skills?limit=100&language=en`))
    expect(warned(data.find((one) => one['name'] === name))[2]?.message).toContain('not run here')
    const folder = await folderOf(name)
    expect(Object.keys(folder)).toEqual(
      ['SKILL.md', 'references/a.md', 'scripts/run.py'].map((path) => `${name}/${path}`),
    )
    expect(folder[`${name}/references/a.md`]).toBe('甲')
    const text = await (await call('GET', `/v1/skills/${name}`, { headers: { accept: 'text/markdown' } })).text()
    expect(text).toBe(folder[`${name}/SKILL.md`])
    for (const line of LICENSED.trim().split('\n')) expect(text).toContain(line)
  })

  test('keeps its files where JSON changes the rest, and has those of the newest zip', async ({ expect }) => {
    const name = newName()
    await json(send('PUT', `/v1/skills/${name}`, zipOf(name)), 201)
    const shown = await json<Shown>(call('GET', `/v1/skills/${name}`))
    const changed = await json<Shown>(call('PUT', `/v1/skills/${name}`, { body: { ...shown, prompt: '改写。' } }))
    expect(changed).toEqual({ ...shown, prompt: '改写。' })
    expect(await folderOf(name)).toMatchObject({ [`${name}/references/a.md`]: '甲' })
    const newer = await json<Shown>(send('PUT', `/v1/skills/${name}`, zipOf(name, { 'references/a.md': '乙乙' })))
    expect(newer['files']).toMatchObject([{ size: 6 }, { path: 'scripts/run.py' }])
    expect(await folderOf(name)).toMatchObject({ [`${name}/references/a.md`]: '乙乙' })
    expect((await call('DELETE', `/v1/skills/${name}`)).status).toBe(204)
    expect(await json<Shown>(post(minimal(name)), 201)).not.toHaveProperty('files')
  })

  test('is refused with the path where it leaves the folder or is too large, and nothing of it stays', async ({
    expect,
  }) => {
    const name = newName()
    const pathOf = async (zip: Uint8Array) =>
      (await problem(send('POST', '/v1/skills', zip), 400)).errors?.map(({ path }) => path)
    expect(await pathOf(zipOf(name, { '../out.md': 'x' }))).toEqual(['../out.md'])
    expect(await pathOf(zipOf(name, { 'assets/big.txt': 'x'.repeat(600_000) }))).toEqual(['assets/big.txt'])
    expect(await pathOf(strToU8('no zip'))).toEqual([''])
    expect((await problem(send('POST', '/v1/skills', new Uint8Array(4 * 1_024 * 1_024 + 1)), 413)).code).toBe(
      'body_too_large',
    )
    await problem(call('GET', `/v1/skills/${name}`), 404)
  })

  test('that is shipped is given as a SKILL.md too', async ({ expect }) => {
    const path = '/v1/skills/translate?language=en'
    const text = await (await call('GET', path, { headers: { accept: 'text/markdown' } })).text()
    expect(text).toMatch(/^---\nname: translate\ndescription: Translates/)
    const name = newName()
    await json(
      call('PUT', `/v1/skills/${name}`, { body: text.replace('name: translate', `name: ${name}`), headers: MARKDOWN }),
      201,
    )
  })
})

test('the OpenAPI document tells of all bodies of a skill', async ({ expect }) => {
  const { paths } = await json<{ paths: Record<string, Record<string, { requestBody: { content: object } }>> }>(
    call('GET', '/openapi.json'),
  )
  const { content } = paths['/v1/skills']?.['post']?.requestBody ?? { content: {} }
  expect(Object.keys(content)).toEqual(['application/json', 'text/markdown', 'application/zip'])
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/v1/skills/{name}', '/v1/skills/{name}/run']))
})

describe('a run of a skill', () => {
  const setting = async (script: Parameters<typeof stage>[0]) => {
    const { config, model } = await stage(script)
    const given = {
      ...minimal(),
      prompt: '把它译成{{to}}。',
      inputs: [{ name: 'to', required: true }, { name: 'text' }],
    }
    await json(post(given), 201)
    const path = `/v1/skills/${given.name}/run`
    return { name: given.name, path, model, body: { input: { to: '中文', text: 'hi' }, config, metadata: { a: 1 } } }
  }

  test('makes a session and answers as a message does', async ({ expect }) => {
    const { path, name, body, model } = await setting(['你好'])
    const answer = await call('POST', path, { body: { ...body, user: 'bob' } })
    const { id, ...response } = await json<AgentResponseData>(answer)
    expect(answer.headers.get('location')).toBe(`/v1/sessions/${id}`)
    expect(response).toMatchObject({
      object: 'agent.response',
      status: 'completed',
      result: '你好',
      skill_result: { success: true, content: '你好', error: null, tools_used: [], cost: null },
    })
    expect(await read(id)).toMatchObject({ skill: name, user: 'bob', metadata: { a: 1 }, orchestrator: 'agent' })
    expect((await model.asked())[0]?.body.messages.at(-1)?.content).toBe('{"to":"中文","text":"hi"}')
  })

  test('is streamed, or goes on in the background, as the headers say', async ({ expect }) => {
    const streamed = await setting(['你好'])
    const heard = await hear(
      (await call('POST', streamed.path, { body: streamed.body, headers: { accept: 'text/event-stream' } })).body,
    )
    expect(heard.at(-1)).toMatchObject({ event: 'run-end', data: { status: 'completed', result: '你好' } })
    const { path, body } = await setting(['你好'])
    const accepted = await call('POST', path, { body, headers: { prefer: 'respond-async' } })
    expect(await json(accepted, 202)).toMatchObject({ session_id: expect.stringMatching(/^ses_/) })
  })

  test('is made once under an Idempotency-Key, also when the skill is gone by then', async ({ expect }) => {
    const { path, body, model, name } = await setting(['你好', '再好'])
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await json<AgentResponseData>(call('POST', path, { body, headers }))
    await call('DELETE', `/v1/skills/${name}`)
    const again = await call('POST', path, { body, headers })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await json(again)).toEqual(first)
    expect(await model.asked()).toHaveLength(1)
  })

  test('is refused by the names of its inputs, and for a skill that is not there', async ({ expect }) => {
    const { path, body } = await setting([])
    const refused = await problem(call('POST', path, { body: { ...body, input: { text: 3 } } }), 400)
    expect(refused.errors?.map((error) => error.path)).toEqual(['input.to', 'input.text'])
    expect((await problem(call('POST', path, { body: {} }), 400)).errors?.[0]?.path).toBe('input')
    await problem(call('POST', '/v1/skills/nobody/run', { body: { input: 'x' } }), 404)
    const session = call('POST', '/v1/sessions', { body: { skill: 'nobody' } })
    expect((await problem(session, 400)).errors?.[0]?.path).toBe('skill')
  })

  test('can be a session made with the skill, or one that its caller keeps', async ({ expect }) => {
    const { config } = await stage(['Bonjour', 'Salut'])
    const session = await json<AgentResponseData>(
      call('POST', '/v1/sessions', { body: { skill: 'translate', task: '你好', config } }),
      201,
    )
    expect(session).toMatchObject({ skill: 'translate', status: 'completed' })
    const kept = { skill: 'translate', messages: [{ role: 'user', content: '你好' }], config }
    const answer = await json<AgentResponseData>(call('POST', '/v1/agent', { body: kept }))
    expect(answer).toMatchObject({ result: 'Salut', skill_result: { success: true } })
    await json(
      call('POST', '/v1/agent', { body: { ...answer, messages: [...answer.messages, ...kept.messages], config } }),
    )
  })
})
