import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, test } from 'vitest'
import { type ScriptInput, parseScript } from '../../../../src/cli/mock-model/script.ts'
import { type ScriptFunction, startMockModel } from '../../../../src/cli/mock-model/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'mock-model-'))
afterAll(() => rmSync(folder, { recursive: true }))

const post = (url: string, body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) })
const asked = (content: string, more = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more })

/** The contents (or statuses) that the questions are answered with, in order. */
async function playAll(script: ScriptInput | ScriptFunction, questions: string[]): Promise<(string | number)[]> {
  const server = await startMockModel({ script })
  try {
    const answers: (string | number)[] = []
    for (const question of questions)
      answers.push(await contentOf(await post(`${server.url}/chat/completions`, asked(question))))
    return answers
  } finally {
    await server.close()
  }
}

async function contentOf(response: Response): Promise<string | number> {
  const body = await response.json<{ choices?: { message: { content: string } }[] }>()
  return body.choices?.[0]?.message.content ?? response.status
}

describe('the scripted model', () => {
  test('plays its steps in order and is exhausted then', async ({ expect }) => {
    expect(await playAll(['一', { content: '二' }], ['', '', ''])).toEqual(['一', '二', 500])
  })

  test('begins again with loop, given at the end of the list or beside it', async ({ expect }) => {
    expect(await playAll(['a', 'b', { loop: true }], ['', '', ''])).toEqual(['a', 'b', 'a'])
    expect(await playAll({ steps: ['a'], loop: true }, ['', ''])).toEqual(['a', 'a'])
  })

  test('a step with `when` is taken by the first request that matches', async ({ expect }) => {
    const script: ScriptInput = [
      'first',
      { when: { last_contains: '错误"1"' }, content: 'matched' },
      { when: { nth: 4 }, content: 'fourth' },
      'second',
    ]
    expect(await playAll(script, ['x', '有错误"1"', '有错误"1"', 'x'])).toEqual([
      'first',
      'matched',
      'second',
      'fourth',
    ])
  })

  test('a step is repeated as often as it says', async ({ expect }) => {
    expect(
      await playAll(
        [
          { content: 'a', repeat: 2 },
          { content: 'b', repeat: true },
        ],
        ['', '', '', ''],
      ),
    ).toEqual(['a', 'a', 'b', 'b'])
  })

  test('a function is asked with the request and its index', async ({ expect }) => {
    const script: ScriptFunction = ({ path }, index) => (index > 1 ? null : `${index} ${path}`)
    expect(await playAll(script, ['', '', ''])).toEqual(['0 /v1/chat/completions', '1 /v1/chat/completions', 500])
  })

  test('streams when asked to, cut as the step says, with usage and [DONE]', async ({ expect }) => {
    const step = {
      chunks: ['你', '好'],
      tool_calls: [{ name: 'f', arguments: { x: 1 } }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    }
    const server = await startMockModel({ script: [step] })
    const body = asked('', { stream: true, stream_options: { include_usage: true } })
    const response = await post(`${server.url}/chat/completions`, body)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const data = (await response.text())
      .split('\n\n')
      .filter(Boolean)
      .map((event) => event.slice('data: '.length))
    await server.close()
    expect(data.at(-1)).toBe('[DONE]')
    const chunks = data
      .slice(0, -1)
      .map((text) => JSON.parse(text) as { choices: { delta: { content?: string } }[]; usage?: unknown })
    expect(chunks.flatMap((chunk) => chunk.choices[0]?.delta.content || [])).toEqual(['你', '好'])
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    })
  })

  test('holds an answer back, or what follows after so many events of a stream, until it is released', async ({
    expect,
  }) => {
    const came = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let count = 0
    const server = await startMockModel({
      script: [
        { content: 'a', hold_after: 0 },
        { chunks: ['b', 'c'], hold_after: 2 },
      ],
      onRequest: () => came[count++]?.resolve(),
    })
    const release = async (model: string) =>
      (await post(new URL(`/release?model=${model}`, server.url).href, {})).json<{ count: number }>()
    const first = post(`${server.url}/chat/completions`, asked(''))
    await came[0]?.promise
    expect([server.release('other'), await release('m')]).toEqual([0, { object: 'release', count: 1 }])
    expect([await contentOf(await first), server.release()]).toEqual(['a', 0])
    const { body } = await post(`${server.url}/chat/completions`, asked('', { stream: true }))
    const reader = (body ?? new Blob().stream()).pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('"b"')) text += (await reader.read()).value ?? ''
    expect(text).not.toContain('"c"')
    expect(server.release('m')).toBe(1)
    while (!text.includes('[DONE]')) text += (await reader.read()).value ?? ''
    expect(text).toContain('"c"')
    await server.close()
  })

  test('lists its models and what it was asked, rewinds, and takes another script', async ({ expect }) => {
    const server = await startMockModel({ script: ['a'] })
    const root = new URL('/', server.url).href
    const chat = async () => contentOf(await post(`${server.url}/chat/completions`, asked('q')))
    const requests = async () => (await (await fetch(`${root}requests`)).json<{ data: { body: unknown }[] }>()).data
    expect(await (await fetch(`${server.url}/models`)).json()).toMatchObject({
      object: 'list',
      data: [{ object: 'model' }],
    })
    expect(await chat()).toBe('a')
    expect((await requests()).map((each) => each.body)).toEqual([asked('q')])
    await post(`${root}reset`, {})
    expect([await chat(), (await requests()).length]).toEqual(['a', 1])
    expect((await post(`${root}script`, [{ contents: 'x' }])).status).toBe(400)
    await post(`${root}script`, ['b'])
    expect(await chat()).toBe('b')
    await server.close()
  })
})

describe('a bad script is named by its field', () => {
  const BAD: [unknown, string][] = [
    [[{ contents: 'x' }], 'steps.0.contents'],
    [['ok', { status: 'x' }], 'steps.1.status'],
    [[{ when: { nth: 0 } }], 'steps.0.when.nth'],
    [{ steps: [], extra: 1 }, 'extra'],
    [7, 'script'],
  ]
  test.for(BAD)('%j at %s', ([script, field], { expect }) => {
    expect(() => parseScript(script)).toThrow(new RegExp(`^${field}: .`))
  })
})

interface Ended {
  code: number | null
  err: string[]
}

function command(...args: string[]) {
  const main = join(import.meta.dirname, '../../../../src/cli/mock-model/main.ts')
  return spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function ended(child: ReturnType<typeof command>): Promise<Ended> {
  const err: string[] = []
  createInterface(child.stderr).on('line', (line) => err.push(line))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, err }
}

describe('the command', () => {
  test('says where it listens, records requests and ends with 0 at SIGTERM', async ({ expect }) => {
    const script = join(folder, 'good.json')
    const record = join(folder, 'record.jsonl')
    writeFileSync(script, '["好"]')
    const child = command('--script', script, '--port', '0', '--record', record)
    const line = await new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve))
    expect(line).toMatch(/^mock model ready on http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(await contentOf(await post(`${line.split(' ').at(-1)}/chat/completions`, asked('q')))).toBe('好')
    child.kill('SIGTERM')
    expect((await ended(child)).code).toBe(0)
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ body: asked('q') })
  })

  const WRONG: [string, string | null, RegExp][] = [
    ['a step with an unknown field', '[{"contents":"x"}]', /^steps\.0\.contents: /],
    ['a script that is no JSON', '[', /^script: not JSON/],
    ['a script that is not there', null, /^--script: cannot read /],
  ]
  test.for(WRONG)('%s is exit 2 and one line', async ([name, text, line], { expect }) => {
    const file = join(folder, `${name.replaceAll(' ', '-')}.json`)
    if (text !== null) writeFileSync(file, text)
    const { code, err } = await ended(command('--script', file))
    expect([code, err.length]).toEqual([2, 1])
    expect(err[0]).toMatch(line)
  })

  test('a wrong option is exit 2', async ({ expect }) => {
    const { code, err } = await ended(command('--script', 'x', '--port', '99999'))
    expect([code, err.length]).toEqual([2, 1])
    expect(err[0]).toContain('--port')
  })
})
