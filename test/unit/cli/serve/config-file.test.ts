import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { CommandError } from '../../../../src/cli/exit.ts'
import { recordPort } from '../../../../src/cli/serve/admin-key.ts'
import { CONFIG_BYTES_MAX, readConfigFile } from '../../../../src/cli/serve/config-file.ts'
import { loadEnvironment, namedSecrets } from '../../../../src/cli/serve/environment.ts'
import { lockDataFolder } from '../../../../src/cli/serve/data-folder.ts'
import type { Language } from '../../../../src/domain/language.ts'
import { terminalLanguage, textsOf } from '../../../../src/cli/texts.ts'
import { RUN_LIMIT_DEFAULTS } from '../../../../src/domain/limits.ts'
import { serverConfig } from '../../../../src/models/providers.ts'

const folder = mkdtempSync(join(tmpdir(), 'yaa-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(text: string): string {
  const path = join(folder, 'x.json')
  writeFileSync(path, text)
  return path
}

function refusal(path: string, language: Language = 'en'): string {
  try {
    readConfigFile(path, textsOf(language))
    return 'accepted'
  } catch (error) {
    return error instanceof CommandError && error.exitCode === 2
      ? error.message.replaceAll(`${folder}/`, '')
      : String(error)
  }
}

describe('config files', () => {
  test.for([
    { text: '{"limits":{"max_iterations":0}}', line: 'x.json: limits.max_iterations: expected at least 1' },
    { text: '{"limits":{"max_iterations":"8"}}', line: 'x.json: limits.max_iterations: expected number' },
    { text: '{"limits":{"max_iteration":8}}', line: 'x.json: limits.max_iteration: unknown field' },
    { text: '{"timezone":"Mars/Base"}', line: 'x.json: timezone: expected an IANA time zone such as Asia/Shanghai' },
    {
      text: '{"models":{"a":{"model":"m"}}}',
      line: 'x.json: models.a.api_url: expected an absolute http or https address',
    },
    {
      text: '{"models":{"a":{"api_url":"http://x.test","protocol":"soap"}}}',
      line: 'x.json: models.a.protocol: expected auto | native | xml',
    },
    { text: '{"default_model":"nope"}', line: 'x.json: default_model: expected an alias of models' },
    { text: '{"a":1,"language":5}', line: 'x.json: language: expected string (and 1 more: a)' },
    { text: '[]', line: 'x.json: expected object' },
  ])('$text is refused in one line: $line', ({ text, line }, { expect }) => {
    expect(refusal(file(text))).toBe(line)
  })

  test.for([
    ['{"limits":{"max_iterations":0}}', 'limits.max_iterations'],
    ['{"limits":{"max_iterations":"8"}}', 'limits.max_iterations'],
    ['{"timezone":"Mars/Base"}', 'timezone'],
    ['{"models":{"a":{"model":"m"}}}', 'models.a.api_url'],
    ['{"models":{"a":{"api_url":"http://x.test","protocol":"soap"}}}', 'models.a.protocol'],
    ['{"default_model":"nope"}', 'default_model'],
    ['{"hooks":{"a":{"url":"http://x.test","tools":["ask"],"secret_env":"S"}}}', 'hooks.a.tools.0'],
  ] as const)('%s is refused in Chinese', ([text, path], { expect }) => {
    const [, , why = ''] = refusal(file(text), 'zh-CN').split('：')
    expect(refusal(file(text), 'zh-CN')).toContain(`x.json：${path}：`)
    expect(why).toMatch(/\p{Script=Han}/u)
    expect(why).not.toMatch(/\b(?:an?|the|of|expected)\b/)
  })

  test('what is no JSON, too large, or not there is refused in one line that names the file', ({ expect }) => {
    expect(refusal(file('{'))).toBe('x.json: expected JSON (line 1, column 2)')
    expect(refusal(file(JSON.stringify({ instructions: 'x'.repeat(CONFIG_BYTES_MAX) })))).toBe(
      `x.json: expected at most ${CONFIG_BYTES_MAX} bytes`,
    )
    expect(refusal(join(folder, 'none.json'))).toBe('none.json: no such file')
    expect(refusal(folder)).toContain('a folder, where a file is wanted')
  })

  test.for([
    ['{"a":}', 1, 6],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{\n  "a": tru}', 2, 11],
    ['{"a": 1,\n}', 2, 1],
    ['{}}', 1, 3],
    ['x', 1, 1],
    ['', 1, 1],
  ] as const)('%j is no JSON at line %d, column %d, said in words', ([text, line, column], { expect }) => {
    expect(refusal(file(text))).toBe(`x.json: expected JSON (line ${line}, column ${column})`)
    expect(refusal(file(text), 'zh-CN')).toBe(`x.json：应为 JSON（第 ${line} 行第 ${column} 列有误）`)
  })

  test('where there are more faults they are named, as many as a line holds', ({ expect }) => {
    const text = JSON.stringify({ language: 5, timezone: 1, default_model: 1, limits: 1, models: 1 })
    expect(refusal(file(text), 'zh-CN')).toMatch(/（另有 4 处：[a-z_]+、[a-z_]+、[a-z_]+）$/)
  })

  test.for(readdirSync('configs').filter((name) => name.endsWith('.json') && name !== 'models.json'))(
    'configs/%s is valid',
    (name, { expect }) => {
      expect(() => readConfigFile(join('configs', name), textsOf('en'))).not.toThrow()
    },
  )

  test('ollama.json says how large the window is, and how Ollama is told so', ({ expect }) => {
    const { $comment, models } = serverConfig.parse(JSON.parse(readFileSync('configs/ollama.json', 'utf8')))
    expect($comment).toContain(`OLLAMA_CONTEXT_LENGTH=${models?.['ollama']?.context_tokens}`)
  })

  test('config.example.json has every field of the config, and the defaults of the limits', ({ expect }) => {
    const example = serverConfig.parse(JSON.parse(readFileSync('configs/config.example.json', 'utf8')))
    const fields = Object.keys(serverConfig.shape).filter((name) => !name.startsWith('$'))
    expect(Object.keys(example).toSorted()).toEqual(fields.toSorted())
    expect(example.limits).toMatchObject(RUN_LIMIT_DEFAULTS)
  })
})

test('the variables that a config names are found wherever a field ends in _env, and missing ones are told', ({
  expect,
}) => {
  const config = serverConfig.parse({
    models: { a: { api_url: 'http://x.test', api_key_env: 'A', api_keys_env: ['C', 'E'] } },
    web: { search: { provider: 'brave', api_key_env: 'B' } },
    secrets: { s: { origin: 'https://x.test', value_env: 'C' } },
  })
  expect(namedSecrets(config, { A: '1', C: '3', D: '4' })).toEqual({
    found: { A: '1', C: '3' },
    missing: [
      { path: 'models.a.api_keys_env.1', name: 'E' },
      { path: 'web.search.api_key_env', name: 'B' },
    ],
  })
})

test('.dev.vars gives what the environment does not', ({ expect }) => {
  writeFileSync(join(folder, '.dev.vars'), '# keys\nA="from file"\nB=file\n')
  expect(loadEnvironment({ B: 'env' }, ['/nowhere', folder])).toEqual({ A: 'from file', B: 'env' })
})

test('a data folder is held by one at a time, and free again once it is released', ({ expect }) => {
  const first = lockDataFolder(join(folder, 'data'))
  expect(first.ok).toBe(true)
  expect(lockDataFolder(join(folder, 'data'))).toEqual({ ok: false, reason: 'in_use', detail: '' })
  if (first.ok) first.release()
  const again = lockDataFolder(join(folder, 'data'))
  expect(again.ok).toBe(true)
  if (again.ok) again.release()
})

test('a port that cannot be written down is told, and none of a server before stays', ({ expect }) => {
  const data = mkdtempSync(join(folder, 'served-'))
  recordPort(data, 8787, () => expect.unreachable())
  // As on a disk that is full: the file cannot be written.
  mkdirSync(join(data, 'port.new'))
  const problems: string[] = []
  recordPort(data, 8788, (reason) => problems.push(reason))
  expect([problems, existsSync(join(data, 'port'))]).toEqual([['EISDIR'], false])
})

test('a data folder that cannot be made says why', ({ expect }) => {
  for (const none of [file('{}'), join(file('{}'), 'data')])
    expect(lockDataFolder(none)).toEqual({ ok: false, reason: 'unwritable', detail: 'ENOTDIR' })
  // Nothing can be made here: Node goes on for ever to make it with all that is above it.
  expect(lockDataFolder('/proc/yaa/data')).toEqual({ ok: false, reason: 'unwritable', detail: 'ENOENT' })
})

test.for([
  [{ LANG: 'zh_CN.UTF-8' }, 'zh-CN'],
  [{ LANG: 'en_US.UTF-8' }, 'en'],
  [{ LANG: 'zh_CN.UTF-8', LC_ALL: 'C' }, 'en'],
  [{ LC_ALL: 'zh_TW' }, 'zh-CN'],
  [{}, 'en'],
] as const)('the terminal speaks by the locale %j: %s', ([env, language], { expect }) => {
  expect(terminalLanguage(env)).toBe(language)
})
