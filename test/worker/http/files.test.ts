import { unzipSync } from 'fflate'
import { createExecutionContext } from 'cloudflare:test'
import { describe, test } from 'vitest'
import type { FileData } from '../../../src/domain/file.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { AgentResponseData, SessionData } from '../../../src/domain/session.ts'
import worker from '../../../src/index.ts'
import { WITH_KEY } from '../../support/admin-key.ts'
import { env, within } from '../session/worker-home.ts'
import { hear } from '../../support/sse.ts'
import { native } from '../../support/words.ts'
import { call, json, type List, newSession, problem, stage } from './http.ts'

const NOBODY = 'ses_00000000000000000000000000'

async function session(): Promise<string> {
  return (await newSession(await stage([]))).id
}

const at = (id: string, path: string) => `/v1/sessions/${id}/files/${path}`

/** A request whose body is bytes. */
async function put(id: string, path: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost${at(id, path)}`, {
    method: 'PUT',
    headers: { host: 'localhost', ...WITH_KEY, ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  return worker.fetch(request, env, createExecutionContext())
}

const list = (id: string, query = '') => json<List<FileData>>(call('GET', `/v1/sessions/${id}/files${query}`))
const pathsOf = async (id: string, query = '') => (await list(id, query)).data.map(({ path }) => path)

describe('files of a session over HTTP', () => {
  test('are put, read with type and tag, replaced and deleted', async ({ expect }) => {
    const id = await session()
    const made = await put(id, encodeURI('文档/报告 1.md'), '# 一', { 'content-type': 'application/x-whatever' })
    expect(made.headers.get('location')).toBe(at(id, encodeURI('文档/报告 1.md')))
    const file = await json<FileData>(made.clone(), 201)
    expect(file).toMatchObject({
      object: 'file',
      path: '文档/报告 1.md',
      size: 5,
      content_type: 'text/markdown; charset=utf-8',
      untrusted: false,
    })
    expect(file.sha256).toMatch(/^[0-9a-f]{64}$/)
    const answer = await call('GET', at(id, encodeURI('文档/报告 1.md')))
    expect(await answer.text()).toBe('# 一')
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'content-length': '5',
      etag: `"${file.sha256}"`,
      'x-content-type-options': 'nosniff',
      'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent('报告 1.md')}`,
    })
    const again = await json<FileData>(put(id, encodeURI('文档/报告 1.md'), 'x'), 200)
    expect(again.created_time).toBe(file.created_time)
    expect((await call('DELETE', at(id, encodeURI('文档/报告 1.md')))).status).toBe(204)
    await problem(call('GET', at(id, encodeURI('文档/报告 1.md'))), 404)
    await problem(call('DELETE', at(id, encodeURI('文档/报告 1.md'))), 404)
    expect(await list(id)).toEqual({ object: 'list', data: [], next_cursor: null })
  })

  test('are listed page by page and by folder', async ({ expect }) => {
    const id = await session()
    for (const path of ['b.txt', 'a/1.txt', 'a/2.txt', 'a/b/3.txt', 'ab.txt']) await put(id, path, path)
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: List<FileData> = await list(id, `?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      paged.push(...page.data.map(({ path }) => path))
      cursor = page.next_cursor
    }
    expect(paged).toEqual(['a/1.txt', 'a/2.txt', 'a/b/3.txt', 'ab.txt', 'b.txt'])
    expect(await pathsOf(id, '?path=a/')).toEqual(['a/1.txt', 'a/2.txt', 'a/b/3.txt'])
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?format=tar', '?unknown=1'])
      await problem(call('GET', `/v1/sessions/${id}/files${query}`), 400)
  })

  test('come as one zip, by query or by header, whatever is in them', async ({ expect }) => {
    const id = await session()
    const raw = Uint8Array.from({ length: 700_000 }, (_, index) => (index * 31) % 256)
    await put(id, 'raw.bin', raw)
    await put(id, encodeURI('文档/空.md'), '')
    for (let index = 0; index < 120; index++) await put(id, `many/${index}.txt`, `file ${index}`)
    const zip = await call('GET', `/v1/sessions/${id}/files?format=zip`)
    expect(Object.fromEntries(zip.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${id}.zip"`,
    })
    const entries = unzipSync(new Uint8Array(await zip.arrayBuffer()))
    expect(Object.keys(entries)).toHaveLength(122)
    expect(entries['raw.bin']).toEqual(raw)
    expect(entries['文档/空.md']).toEqual(new Uint8Array())
    expect(new TextDecoder().decode(entries['many/77.txt'])).toBe('file 77')
    const accepted = await call('GET', `/v1/sessions/${id}/files`, { headers: { accept: 'application/zip' } })
    expect(Object.keys(unzipSync(new Uint8Array(await accepted.arrayBuffer())))).toHaveLength(122)
    const empty = await call('GET', `/v1/sessions/${await session()}/files?format=zip`)
    expect(unzipSync(new Uint8Array(await empty.arrayBuffer()))).toEqual({})
  })

  test('run nothing on this origin, whatever they say that they are', async ({ expect }) => {
    const id = await session()
    const page = '<!doctype html><script>fetch("/v1/sessions")</script>'
    for (const name of ['x.html', 'x.svg', 'x.xml', 'x.js', 'x', 'x.txt', 'x.pdf', 'x.png']) {
      await put(id, name, page, { 'content-type': 'text/html' })
      const { headers } = await call('GET', at(id, name))
      expect(headers.get('content-security-policy'), name).toMatch(/^sandbox; default-src 'none'/)
      expect(headers.get('x-content-type-options'), name).toBe('nosniff')
      const shown = headers.get('content-disposition')?.startsWith('inline')
      if (shown) expect(headers.get('content-type'), name).toMatch(/^text\/plain/)
    }
    expect((await call('GET', at(id, 'x.html'))).headers.get('content-disposition')).toMatch(/^attachment;/)
    await put(id, encodeURIComponent('a"; x=\'(b)*.txt'), 'x')
    const odd = await call('GET', at(id, encodeURIComponent('a"; x=\'(b)*.txt')))
    expect(odd.headers.get('content-disposition')).toBe("inline; filename*=UTF-8''a%22%3B%20x%3D%27%28b%29%2A.txt")
  })

  test('are asked for under conditions', async ({ expect }) => {
    const id = await session()
    const { sha256 } = await json<FileData>(put(id, 'a.txt', 'one'), 201)
    const tag = `"${sha256}"`
    const known = await call('GET', at(id, 'a.txt'), { headers: { 'if-none-match': `"other", W/${tag}` } })
    expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', tag])
    expect((await call('GET', at(id, 'a.txt'), { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    await problem(put(id, 'a.txt', 'two', { 'if-none-match': '*' }), 412)
    expect((await problem(put(id, 'a.txt', 'two', { 'if-match': '"other"' }), 412)).detail).toContain(tag)
    expect((await problem(put(id, 'b.txt', 'two', { 'if-match': '*' }), 412)).detail).toContain('no such file')
    await problem(call('DELETE', at(id, 'a.txt'), { headers: { 'if-match': '"other"' } }), 412)
    expect((await put(id, 'a.txt', 'two', { 'if-match': tag })).status).toBe(200)
    expect((await put(id, 'b.txt', 'new', { 'if-none-match': '*' })).status).toBe(201)
  })

  test('never leave the workspace, however the path is spelled', async ({ expect }) => {
    const id = await session()
    const other = await session()
    await put(other, 'secret.txt', 'secret')
    const spellings = [
      '..%2f..%2fetc%2fpasswd',
      '%2e%2e%2fx',
      'a%2f..%2fb',
      'a%5c..%5cb',
      '%2fetc%2fpasswd',
      'a%00b',
      encodeURIComponent('．．/x'),
      encodeURIComponent('a／b'),
      '%252e%252e%252fx',
      'a//b',
      'a/',
      'C:%2fx',
      'a.%20/b',
      'x'.repeat(LIMITS.files.pathCharsMax + 1),
      Array.from({ length: LIMITS.files.depthMax + 1 }, () => 'a').join('/'),
    ]
    for (const spelling of spellings) {
      for (const answer of [put(id, spelling, 'x'), call('GET', at(id, spelling)), call('DELETE', at(id, spelling))])
        expect((await problem(answer, 400)).errors?.[0]?.path, spelling).toBe('path')
    }
    await problem(put(id, 'a%0ab', 'x'), 404)
    for (const spelling of [`../../${other}/files/secret.txt`, `%2e%2e/%2e%2e/${other}/files/x`]) {
      const resolved = new URL(`http://localhost${at(id, spelling)}`).pathname
      expect(resolved).toMatch(new RegExp(`^/v1/sessions/${other}/files/`))
    }
    expect(await pathsOf(id)).toEqual([])
    expect(await pathsOf(other)).toEqual(['secret.txt'])
  })

  test('are bounded: each, and all of a session', async ({ expect }) => {
    const id = await session()
    const { fileBytesMax, sessionBytesMax } = LIMITS.files
    const full = new Uint8Array(fileBytesMax)
    for (let index = 0; index < sessionBytesMax / fileBytesMax; index++)
      expect((await put(id, `full-${index}.bin`, full)).status).toBe(201)
    expect(await problem(put(id, 'more.bin', 'x'), 409)).toMatchObject({ code: 'workspace_full' })
    expect(await problem(put(id, 'full-0.bin', new Uint8Array(fileBytesMax + 1)), 413)).toMatchObject({
      code: 'body_too_large',
    })
    expect((await put(id, 'full-0.bin', 'small')).status).toBe(200)
    const answer = await call('GET', at(id, 'full-1.bin'))
    expect((await answer.arrayBuffer()).byteLength).toBe(fileBytesMax)
    expect(await problem(put(id, 'full-1.bin/x', 'x'), 400)).toMatchObject({ errors: [{ path: 'path' }] })
  })

  test('of an unknown session are not there; methods and scopes are right', async ({ expect }) => {
    const id = await session()
    await put(id, 'a.txt', 'x')
    for (const who of [NOBODY, 'nonsense']) {
      await problem(call('GET', `/v1/sessions/${who}/files`), 404)
      await problem(call('GET', `/v1/sessions/${who}/files?format=zip`), 404)
      await problem(call('GET', at(who, 'a.txt')), 404)
      await problem(put(who, 'a.txt', 'x'), 404)
      await problem(call('DELETE', at(who, 'a.txt')), 404)
    }
    const head = await call('HEAD', at(id, 'a.txt'))
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', '1'])
    const allowOf = async (method: string, path: string) => (await call(method, path)).headers.get('allow')
    expect(await allowOf('POST', at(id, 'a/b.txt'))).toBe('DELETE, GET, HEAD, OPTIONS, PUT')
    expect(await allowOf('OPTIONS', at(id, 'a/b.txt'))).toBe('DELETE, GET, HEAD, OPTIONS, PUT')
    expect(await allowOf('PUT', `/v1/sessions/${id}/files`)).toBe('GET, HEAD, OPTIONS')
    await problem(call('POST', at(id, 'a.txt')), 405)
    const keyed = { env: { YAA_API_KEY: 'k-of-16-characters' } }
    await problem(call('GET', `/v1/sessions/${id}/files`, keyed), 401)
    const document = await json<{ paths: Record<string, Record<string, unknown>> }>(call('GET', '/openapi.json'))
    expect(Object.keys(document.paths['/v1/sessions/{id}/files/{path}'] ?? {}).toSorted()).toEqual([
      'delete',
      'get',
      'put',
    ])
  })

  test('that come from outside are marked by who puts them there', async ({ expect }) => {
    const id = await session()
    const request = new Request(`http://localhost${at(id, 'mail.txt')}?untrusted=true`, {
      method: 'PUT',
      headers: { host: 'localhost', ...WITH_KEY },
      body: 'x',
    })
    const made = await worker.fetch(request, env, createExecutionContext())
    expect(await json<FileData>(made, 201)).toMatchObject({ untrusted: true })
    await problem(call('PUT', `${at(id, 'mail.txt')}?untrusted=maybe`, { body: {} }), 400)
  })

  test('go with a fork, and with the session that they are of', async ({ expect }) => {
    const id = await session()
    await put(id, 'a.txt', 'x')
    const fork = await json<SessionData>(call('POST', `/v1/sessions/${id}/fork`, { body: {} }), 201)
    expect(await pathsOf(fork.id)).toEqual(['a.txt'])
    await put(fork.id, 'b.txt', 'y')
    expect(await pathsOf(id)).toEqual(['a.txt'])
    await within(id, (_object, { storage }) =>
      expect(storage.sql.exec('SELECT path FROM file_parts').toArray()).toEqual([{ path: 'a.txt' }]),
    )
    expect((await call('DELETE', `/v1/sessions/${id}`)).status).toBe(204)
    await problem(call('GET', `/v1/sessions/${id}/files`), 404)
    await within(id, (_object, { storage }) =>
      expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'file%'").toArray()).toEqual([]),
    )
    expect(await pathsOf(fork.id)).toEqual(['a.txt', 'b.txt'])
  })
})

describe('a session without files', () => {
  test('has no tables of them before the first', async ({ expect }) => {
    const id = await session()
    const hasTable = () =>
      within(id, (_object, { storage: { sql } }) =>
        sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'files'").toArray(),
      )
    await within(id, (_object, state) => state.abort('woken anew')).catch(() => {})
    expect([await pathsOf(id), await hasTable()]).toEqual([[], []])
    expect((await put(id, 'a.txt', 'x')).status).toBe(201)
    expect([await pathsOf(id), (await hasTable()).length]).toEqual([['a.txt'], 1])
    expect((await json<SessionData>(call('GET', `/v1/sessions/${id}`))).id).toBe(id)
  })
})

describe('a session that its caller keeps', () => {
  const user = (content: string) => ({ role: 'user', content })
  const config = { llm: { protocol: 'native' }, language: 'en', tools: { write_file: { auto_approve: true } } }
  const script = [
    native('write_file', { path: 'a.txt', content: '灯塔' }),
    native('finish', { reason: 'one' }),
    native('read_file', { path: 'a.txt' }),
    native('finish', { reason: 'two' }),
  ]

  test('brings its files along, and is given them back', async ({ expect }) => {
    const set = await stage(script)
    const own = { ...config, llm: { ...config.llm, model: set.model.name } }
    const first = { config: own, messages: [user('write')] }
    const answer = await json<AgentResponseData>(call('POST', '/v1/agent', { body: first }))
    expect(answer.files).toMatchObject([{ path: 'a.txt', data: btoa('\xe7\x81\xaf\xe5\xa1\x94'), untrusted: false }])
    const messages = [...first.messages, ...answer.messages, user('read')]
    const next = await json<AgentResponseData>(
      call('POST', '/v1/agent', { body: { ...answer, config: own, messages } }),
    )
    expect(next).toMatchObject({ result: 'two', files: [{ path: 'a.txt' }] })
    expect(next.messages.find(({ tool_name: name }) => name === 'read_file')?.content).toContain('灯塔')
  })

  test('is told of them at the end of a stream', async ({ expect }) => {
    const set = await stage(script)
    const own = { ...config, llm: { ...config.llm, model: set.model.name } }
    const headers = { accept: 'text/event-stream' }
    const answer = await call('POST', '/v1/agent', { body: { config: own, messages: [user('write')] }, headers })
    const heard = await hear(answer.body)
    expect(heard.at(-1)?.data).toMatchObject({ status: 'completed', files: [{ path: 'a.txt' }] })
  })

  test('without files says nothing of them, and with bad ones is refused', async ({ expect }) => {
    const set = await stage([native('finish', { reason: 'one' })])
    const body = { config: { llm: { model: set.model.name } }, messages: [user('x')] }
    expect(await json(call('POST', '/v1/agent', { body }))).not.toHaveProperty('files')
    const files = [{ path: '../a', data: '' }]
    expect((await problem(call('POST', '/v1/agent', { body: { ...body, files } }), 400)).errors?.[0]?.path).toBe(
      'files.0.path',
    )
  })
})
