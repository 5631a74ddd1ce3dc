import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, describe, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { ADMIN_KEY, WITH_KEY } from '../support/admin-key.ts'
import { runYaa, startYaa, workFolder, type Running, type RunOptions } from '../support/cli.ts'

const folder = workFolder()
const running: Running[] = []
let folders = 0

afterEach(async () => {
  for (const one of running.splice(0)) {
    one.process.kill('SIGKILL')
    await one.ended
  }
})
afterAll(() => folder.remove())

const newData = () => `data-${folders++}`

async function serving(args: string[] = [], options: Partial<RunOptions> = {}) {
  const yaa = startYaa(['serve', '--port', '0', ...args], { cwd: folder.path, ...options })
  running.push(yaa)
  const [, port] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
  const url = `http://127.0.0.1:${port}`
  return { yaa, port: Number(port), client: createClient({ server: url, key: ADMIN_KEY }) }
}

const OPENED = /^  (http:\/\/localhost:\d+)\/#key=([\w-]{43})$/m
/** Of a machine where nobody has configured a key. */
const KEYLESS = { env: { YAA_API_KEY: '' } }

test('the start says where it is, its model, its data and its key, before any other line; a TERM ends it with 0', async ({
  expect,
}) => {
  const data = newData()
  const { yaa, client, port } = await serving(['--data', data])
  expect(await client.health()).toMatchObject({ status: 'ok' })
  yaa.process.kill('SIGTERM')
  const { code, stdout, stderr } = await yaa.ended
  expect(code).toBe(0)
  expect(stdout.split('\n')).toEqual([
    `yaa ready on http://localhost:${port}`,
    expect.stringMatching(/^ {2}model {2}\S+/),
    `  data   ~/${data}`,
    '  key    required (Authorization: Bearer KEY)',
    `  open in a browser: http://localhost:${port}`,
    'stopping',
    '',
  ])
  // The launcher's own question after health is no news.
  expect(stderr.match(/"route":"\/healthz"/g)).toHaveLength(1)
  await expect(client.health()).rejects.toMatchObject({ name: 'Unreachable' })
})

describe('without a key configured', () => {
  test('one is made at the first start, shown once, and stays', async ({ expect }) => {
    const data = newData()
    const log = join(folder.path, `${data}.log`)
    const { yaa, client, port } = await serving(['--data', data, '--log', log], KEYLESS)
    const file = join(folder.path, data, 'key')
    const key = readFileSync(file, 'utf8').trim()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await expect(createClient({ server: client.server }).sessions.list()).rejects.toMatchObject({ status: 401 })
    expect(await createClient({ server: client.server, key }).sessions.list()).toMatchObject({ data: [] })
    yaa.process.kill('SIGTERM')
    const { stdout } = await yaa.ended
    expect(OPENED.exec(stdout)?.slice(1)).toEqual([`http://localhost:${port}`, key])
    expect(readFileSync(log, 'utf8')).not.toContain(key)
    const again = await serving(['--data', data], KEYLESS)
    expect(readFileSync(file, 'utf8').trim()).toBe(key)
    again.yaa.process.kill('SIGTERM')
    expect((await again.yaa.ended).stdout).not.toContain(key)
  })

  test('the terminal shows it to the server that it is of, and to no other', async ({ expect }) => {
    const data = newData()
    const other = newData()
    const { yaa, port } = await serving(['--data', data], KEYLESS)
    const { port: otherPort } = await serving(['--data', other], KEYLESS)
    const sessions = (at: string, ...more: string[]) =>
      runYaa(['sessions', '--server', at, '--data', data, ...more], { cwd: folder.path, ...KEYLESS })
    expect((await sessions(`http://localhost:${port}`)).code).toBe(0)
    expect((await sessions(`http://127.0.0.1:${port}`)).code).toBe(0)
    expect(await sessions(`http://localhost:${otherPort}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the server does not accept this key'),
    })
    expect((await sessions(`http://localhost:${port}`, '--key', 'of somebody else')).code).toBe(1)
    const printed = await runYaa(['key', '--data', data], { cwd: folder.path, ...KEYLESS })
    expect(printed).toEqual({ code: 0, stdout: readFileSync(join(folder.path, data, 'key'), 'utf8'), stderr: '' })
    yaa.process.kill('SIGTERM')
    await yaa.ended
    expect(existsSync(join(folder.path, data, 'port'))).toBe(false)
  })

  test('a port that a killed server left behind gets no key', async ({ expect }) => {
    const data = newData()
    const { yaa, port } = await serving(['--data', data], KEYLESS)
    yaa.process.kill('SIGKILL')
    await yaa.ended
    expect(readFileSync(join(folder.path, data, 'port'), 'utf8')).toBe(`${port}\n`)
    const shown: (string | undefined)[] = []
    const stranger = createServer((request, response) => {
      shown.push(request.headers.authorization)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    const address = stranger.address()
    const taken = typeof address === 'object' ? address?.port : 0
    folder.file(join(data, 'port'), String(taken))
    await runYaa(['sessions', '--server', `http://localhost:${taken}`, '--data', data], {
      cwd: folder.path,
      ...KEYLESS,
    })
    stranger.close()
    // It is asked whether it is a yaa, too.
    expect(new Set(shown)).toEqual(new Set([undefined]))
  })

  test('a task of its own makes it too, and a server on that folder takes it', async ({ expect }) => {
    const data = newData()
    const done = await runYaa(['task', '--data', data, '你好'], { cwd: folder.path, ...KEYLESS })
    expect(done.code).toBe(0)
    const { stdout } = await runYaa(['key', '--data', data], { cwd: folder.path, ...KEYLESS })
    const { client } = await serving(['--data', data], KEYLESS)
    const { data: kept } = await createClient({ server: client.server, key: stdout.trim() }).sessions.list()
    expect(kept).toHaveLength(1)
  })

  test('an auth section, though it is empty, makes none: nobody is let in, which the start says', async ({
    expect,
  }) => {
    const data = newData()
    const config = folder.file('closed.json', { auth: {} })
    const { yaa, client } = await serving(['--data', data, '--config', config], KEYLESS)
    await yaa.says(/nobody can get in/)
    expect(existsSync(join(folder.path, data, 'key'))).toBe(false)
    await expect(client.sessions.list()).rejects.toMatchObject({ status: 503, code: 'not_configured' })
    expect(await client.health()).toMatchObject({ status: 'ok' })
    const page = await fetch(`${client.server}/`, { headers: { accept: 'text/html' } })
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? []
    expect([page.status, (await fetch(client.server + script)).status]).toEqual([503, 200])
    const again = await fetch(`${client.server}/`, { headers: { accept: 'text/html', 'if-none-match': '*' } })
    expect([again.status, again.headers.get('etag'), again.headers.get('cache-control')]).toEqual([
      503,
      null,
      'no-store',
    ])
    const task = await runYaa(['task', '--data', newData(), '--config', config, '你好'], {
      cwd: folder.path,
      ...KEYLESS,
    })
    expect(task.code).toBe(0)
  })

  test('there is none to print where no server was', async ({ expect }) => {
    const { code, stderr } = await runYaa(['key', '--data', newData()], { cwd: folder.path, ...KEYLESS })
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/^yaa: data-\d+ has no key: /) })
  })
})

test('many wrong keys from this machine have to wait, the right one does not', async ({ expect }) => {
  const { client } = await serving(['--data', newData()])
  const ask = (key: string) => fetch(`${client.server}/v1/tools`, { headers: { authorization: `Bearer ${key}` } })
  const statuses: number[] = []
  for (let count = 0; count < 40; count++) statuses.push((await ask(`wrong-key-number-${count}`)).status)
  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401))
  expect(statuses).toContain(429)
  const last = await ask('one-more-wrong-key')
  if (last.status === 429) expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask(ADMIN_KEY)).status).toBe(200)
})

test('a key or a secret of the environment that can be guessed is named, and exit 2', async ({ expect }) => {
  for (const [name, charsMin] of [
    ['YAA_API_KEY', 16],
    ['YAA_SECRET', 32],
    ['YAA_SECRETS_KEY', 32],
  ] as const) {
    const options = { cwd: folder.path, env: { [name]: 'x'.repeat(charsMin - 1) } }
    expect(await runYaa(['serve', '--port', '0', '--data', newData()], options)).toEqual({
      code: 2,
      stdout: '',
      stderr: `yaa: ${name}: expected at least ${charsMin} characters\n`,
    })
  }
})

test('with a key in the environment every route but /healthz wants it', async ({ expect }) => {
  const data = newData()
  const { yaa, client } = await serving(['--data', data], { env: { YAA_API_KEY: 'secret-key-of-16-and-more' } })
  await expect(createClient({ server: client.server }).sessions.list()).rejects.toMatchObject({ status: 401 })
  expect(await createClient({ server: client.server, key: 'secret-key-of-16-and-more' }).sessions.list()).toMatchObject(
    { data: [] },
  )
  await yaa.says(/required \(Authorization: Bearer KEY\)/)
  expect(existsSync(join(folder.path, data, 'key'))).toBe(false)
})

test('OPTIONS * of the server is answered', async ({ expect }) => {
  const { port } = await serving(['--data', newData()])
  const socket = connect({ host: '127.0.0.1', port })
  socket.end(`OPTIONS * HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 204 .*\r\nallow: DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT\r\n/is)
})

test('a request whose host is none is refused as by any name that is not ours', async ({ expect }) => {
  const { port } = await serving(['--data', newData()])
  const socket = connect({ host: '127.0.0.1', port })
  socket.end(`GET /v1/sessions HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 .*application\/problem\+json.*"code":"forbidden"/is)
})

test('an open event stream does not keep it from ending with 0', async ({ expect }) => {
  const { yaa, client } = await serving(['--data', newData()])
  const { id } = await client.sessions.create({})
  const stream = await fetch(`${client.server}/v1/sessions/${id}/events`, {
    headers: { ...WITH_KEY, accept: 'text/event-stream' },
  })
  yaa.process.kill('SIGINT')
  expect((await yaa.ended).code).toBe(0)
  await stream.body?.cancel().catch(() => {})
})

test('stopped before it is ready, it ends with 0 and says nothing of what that broke', async ({ expect }) => {
  const data = newData()
  const yaa = startYaa(['serve', '--port', '0', '--data', data], { cwd: folder.path })
  await expect.poll(() => existsSync(join(folder.path, data, 'yaa.lock'))).toBe(true)
  yaa.process.kill('SIGINT')
  expect(await yaa.ended).toEqual({ code: 0, stdout: expect.stringContaining('stopping'), stderr: '' })
})

test('workerd dies with a launcher that is killed, and a later start on the same data carries on', async ({
  expect,
}) => {
  const data = newData()
  const { yaa, port, client } = await serving(['--data', data])
  const { id } = await client.sessions.create({ title: 'kept' })
  const socket = connect({ host: '127.0.0.1', port })
  await once(socket, 'connect')
  const closed = new Promise((done) =>
    socket
      .on('error', () => {})
      .on('close', done)
      .resume(),
  )
  yaa.process.kill('SIGKILL')
  await closed
  const again = await serving(['--data', data])
  expect(await again.client.sessions.get(id)).toMatchObject({ id, title: 'kept' })
})

test('the data folder has a secret of its own, for its owner alone, which a later start keeps', async ({ expect }) => {
  const data = newData()
  const file = join(folder.path, data, 'secret')
  const { yaa } = await serving(['--data', data])
  const secret = readFileSync(file, 'utf8').trim()
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  yaa.process.kill('SIGTERM')
  await yaa.ended
  await serving(['--data', data])
  expect(readFileSync(file, 'utf8').trim()).toBe(secret)
  await serving(['--data', newData()])
  expect(readFileSync(join(folder.path, `data-${folders - 1}`, 'secret'), 'utf8').trim()).not.toBe(secret)
})

test('a secret of the environment leaves the data folder without one', async ({ expect }) => {
  const data = newData()
  await serving(['--data', data], { env: { YAA_SECRET: 'a secret of thirty-two characters or more' } })
  expect(existsSync(join(folder.path, data, 'secret'))).toBe(false)
})

test('a secret in the data folder that is too short is one clear line and exit 1', async ({ expect }) => {
  const data = newData()
  mkdirSync(join(folder.path, data))
  folder.file(join(data, 'secret'), '')
  expect(await runYaa(['serve', '--port', '0', '--data', data], { cwd: folder.path })).toEqual({
    code: 1,
    stdout: '',
    stderr: `yaa: ${data}/secret: expected at least 32 characters; remove it and a new one is made\n`,
  })
})

test('a port or a data folder in use is one clear line and exit 1, and the first server is not disturbed', async ({
  expect,
}) => {
  const data = newData()
  const { port, client } = await serving(['--data', data])
  const samePort = await runYaa(['serve', '--port', String(port), '--data', newData()], { cwd: folder.path })
  expect(samePort).toEqual({
    code: 1,
    stdout: '',
    stderr: `yaa: port ${port} is in use; choose another with --port (0: any free port)\n`,
  })
  const sameData = await runYaa(['serve', '--port', '0', '--data', data], { cwd: folder.path })
  expect(sameData).toEqual({
    code: 1,
    stdout: '',
    stderr: `yaa: ${data} is in use by another yaa; stop it, or choose another folder with --data\n`,
  })
  const listed = await runYaa(['sessions', '--data', data], { cwd: folder.path })
  const url = `http://localhost:${port}`
  expect(listed).toEqual({
    code: 1,
    stdout: '',
    stderr: `yaa: ${data} is in use by the server on ${url}: add --server ${url}, or choose another folder with --data\n`,
  })
  expect(await client.health()).toMatchObject({ status: 'ok' })
})

test('beside a server on the usual folder a command says that it looks at another, and changes nothing there', async ({
  expect,
}) => {
  const own = workFolder()
  const yaa = startYaa(['serve', '--port', '0'], { cwd: own.path })
  const [, port] = await yaa.says(/ready on http:\/\/localhost:(\d+)/)
  const url = `http://localhost:${port}`
  const { code, stderr } = await runYaa(['sessions'], { cwd: own.path })
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `.yaa is in use by the server on ${url}; this uses .yaa/2 (add --server ${url} for that one's sessions)\nno sessions yet\n`,
  })
  expect(await runYaa(['sessions', '--server', url], { cwd: own.path })).toMatchObject({
    code: 0,
    stderr: 'no sessions yet\n',
  })
  const way = `add --server ${url}, or choose another folder with --data`
  for (const change of ['settings a=1', 'connections --delete shop', 'chat --session ses_1', 'retry ses_1 send'])
    expect(await runYaa(change.split(' '), { cwd: own.path })).toMatchObject({
      code: 1,
      stderr: `yaa: .yaa is in use by the server on ${url}: ${way}\n`,
    })
  yaa.process.kill('SIGTERM')
  await yaa.ended
  own.remove()
})

test('--log gets the start lines as JSON, appended', async ({ expect }) => {
  const log = folder.file('yaa.log', '{"message":"before"}\n')
  const { yaa } = await serving(['--data', newData(), '--log', log])
  yaa.process.kill('SIGTERM')
  await yaa.ended
  const messages = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { message: string }).message)
  expect(messages[0]).toBe('before')
  expect(messages).toContainEqual(expect.stringMatching(/^yaa ready on /))
})

test('the form of seed 001, through a symlink and from another folder, serves too', async ({ expect }) => {
  const link = join(folder.path, 'yaa-link')
  symlinkSync(join(process.cwd(), 'src/cli/yaa.mjs'), link)
  const config = folder.file('serve.json', { language: 'en' })
  const yaa = startYaa(['--serve', '--port', '0', '--config', config], { cwd: folder.path, bin: link })
  running.push(yaa)
  const [line] = await yaa.says(/yaa ready on .*/)
  expect(line).toMatch(/^yaa ready on http:\/\/localhost:\d+$/)
})

test('a variable that the config names and nobody set is told, by its name and field', async ({ expect }) => {
  const config = folder.file('named.json', {
    models: { m: { api_url: 'http://127.0.0.1:9/v1', api_key_env: 'NOT_SET_KEY' } },
    default_model: 'm',
  })
  const { yaa } = await serving(['--data', newData(), '--config', config])
  const [line] = await yaa.says(/! .*/)
  expect(line).toMatch(/^! NOT_SET_KEY is not set \(models\.m\.api_key_env\): set it in the environment/)
})

test('a bound in money that a model without a price cannot hold is told, with the field to set', async ({ expect }) => {
  const config = folder.file('bounded.json', {
    models: { free: { api_url: 'http://127.0.0.1:1/v1' } },
    default_model: 'free',
    limits: { max_cost: { amount: 1, currency: 'USD' } },
  })
  for (const [data, LANG, said] of [
    ['bounded-en', 'C', /model free has no price in USD, so limits\.max_cost refuses .* set models\.free\.price/],
    ['bounded-zh', 'zh_CN.UTF-8', /模型 free 没有 USD 价格，limits\.max_cost 会拒绝.*请设置 models\.free\.price/],
  ] as const) {
    const server = startYaa(['serve', '--port', '0', '--config', config, '--data', data], {
      cwd: folder.path,
      env: { LANG },
    })
    await server.says(said)
    await server.says(/http:\/\/localhost:\d+/)
    server.process.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
  }
})

test('a place in the config is told to be ignored, and a session is made without one', async ({ expect }) => {
  const config = folder.file('placed.json', { place: { jurisdiction: 'eu', location_hint: 'weur' } })
  const { yaa, client } = await serving(['--data', newData(), '--config', config])
  const [line] = await yaa.says(/place is ignored.*/)
  expect(line).toBe('place is ignored: everything is kept on this machine')
  const session = await client.sessions.create({ title: 'T', place: { jurisdiction: 'us' } })
  expect(session.id).toMatch(/^ses_[0-9a-z]{26}$/)
  expect(session).not.toHaveProperty('place')
})

describe('a wrong option or config file is exit 2 and one line', () => {
  const bad = folder.file('bad.json', { limits: { max_iterations: 0 } })
  test.for([
    { args: ['serve', '--port', 'abc'], line: /--port .*expected a port from 0 to 65535/ },
    { args: ['serve', '--port', '65536'], line: /--port .*expected a port from 0 to 65535/ },
    { args: ['serve', '--nope'], line: /unknown option '--nope'/ },
    { args: ['nope'], line: /unknown command 'nope'/ },
    { args: ['serve', '--config', 'missing.json'], line: /missing\.json: no such file/ },
    { args: ['serve', '--config', bad], line: /bad\.json: limits\.max_iterations: expected at least 1/ },
    { args: ['task', '--config', bad, 'x'], line: /bad\.json: limits\.max_iterations: expected at least 1/ },
    {
      args: ['serve', '--log', '/nowhere/x.log'],
      line: /\/nowhere\/x\.log: expected a file that can be written \(--log\)/,
    },
    { args: ['task'], line: /missing argument <task>; see .yaa task --help./ },
    { args: ['task', ' '], line: /TASK: expected a text that is not empty/ },
    { args: ['task', '--server', 'localhost', 'x'], line: /--server .*expected an http or https address/ },
    { args: ['sessions', '--limit', '0'], line: /--limit .*expected 1 to 100/ },
  ])('yaa $args', async ({ args, line }, { expect }) => {
    const { code, stdout, stderr } = await runYaa(args, { cwd: folder.path })
    expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, stdout: '', lines: 1 })
    expect(stderr).toMatch(line)
  })
})
