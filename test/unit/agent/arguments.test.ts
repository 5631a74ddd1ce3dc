import { describe, expect, test } from 'vitest'
import { toArguments, withEnglishNames } from '../../../src/agent/arguments.ts'
import { badParameters, describeSchema } from '../../../src/agent/parameter-schema.ts'
import type { Tool } from '../../../src/domain/tool.ts'
import { calledBySchema } from '../../../src/tools/by-schema.ts'
import { toolOf } from './example-tools.ts'

const WEB = toolOf('web_access')
const ASK = toolOf('ask')
const TAG = toolOf('box__tag')

describe('written parameters become typed arguments', () => {
  test.each<[string, Tool, [string, string][], Record<string, unknown>]>([
    [
      'names of both languages',
      WEB,
      [
        ['地址', 'u'],
        ['focus', 'f'],
      ],
      { url: 'u', focus: 'f' },
    ],
    [
      'a number',
      WEB,
      [
        ['url', 'u'],
        ['页码', '3'],
      ],
      { url: 'u', page: 3 },
    ],
    ['what is no number stays text', WEB, [['page', 'three']], { page: 'three' }],
    ['booleans', WEB, [['刷新', 'True']], { refresh: true }],
    ['a Chinese boolean', WEB, [['刷新', '否']], { refresh: false }],
    ['digits of a text stay text', WEB, [['url', '42']], { url: '42' }],
    ['an unknown name stays as written', WEB, [['网址', 'u']], { 网址: 'u' }],
    [
      'the last of a repeated value',
      WEB,
      [
        ['url', 'a'],
        ['地址', 'b'],
      ],
      { url: 'b' },
    ],
    [
      'an empty optional number is left out',
      WEB,
      [
        ['url', 'u'],
        ['page', ''],
      ],
      { url: 'u' },
    ],
    [
      'an empty optional text stays',
      WEB,
      [
        ['url', 'u'],
        ['focus', ''],
      ],
      { url: 'u', focus: '' },
    ],
    ['an empty required text stays', WEB, [['url', '']], { url: '' }],
    [
      'a list as JSON',
      ASK,
      [
        ['问题', 'q'],
        ['选项', '["a", "b"]'],
      ],
      { question: 'q', options: ['a', 'b'] },
    ],
    [
      'a list by repetition',
      ASK,
      [
        ['选项', 'a\nb'],
        ['options', 'c'],
      ],
      { options: ['a\nb', 'c'] },
    ],
    ['a list by lines', ASK, [['选项', 'a\n\n b \r\nc']], { options: ['a', 'b', 'c'] }],
    ['a list of one', ASK, [['选项', 'a']], { options: ['a'] }],
    ['a broken JSON list is lines', ASK, [['选项', '[a]']], { options: ['[a]'] }],
    ['an empty list is left out', ASK, [['选项', '']], {}],
    ['numbers in a list', TAG, [['numbers', '1\n2\nx']], { numbers: [1, 2, 'x'] }],
    ['an object', TAG, [['options', '{"a":[1]}']], { options: { a: [1] } }],
    ['null where it may be', TAG, [['limit', 'null']], { limit: null }],
    ['a number where null may be', TAG, [['limit', '-7']], { limit: -7 }],
    ['a name that objects have of themselves', WEB, [['constructor', 'x']], { constructor: 'x' }],
  ])('%s', (_, tool, params, expected) => {
    expect(toArguments(params, tool)).toEqual(expected)
  })

  test('a parameter called __proto__ is a key like any other', () => {
    const args = toArguments([['__proto__', 'x']], WEB)
    expect(Object.entries(args)).toEqual([['__proto__', 'x']])
  })

  test('an unknown type is kept as text unless it is JSON of an object or list', () => {
    const tool: Tool = { ...WEB, inputSchema: () => ({ type: 'object' }) }
    expect(
      toArguments(
        [
          ['url', '1'],
          ['focus', '{"a":1}'],
          ['page', '[1'],
          ['refresh', 'true'],
        ],
        tool,
      ),
    ).toEqual({
      url: '1',
      focus: { a: 1 },
      page: '[1',
      refresh: 'true',
    })
  })

  test('a type behind a reference is found', () => {
    const schema = { type: 'object', properties: { page: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'integer' } } }
    expect(toArguments([['page', '3']], { ...WEB, inputSchema: () => schema })).toEqual({ page: 3 })
  })

  test('names of arguments are put into English, and an English one wins', () => {
    expect(withEnglishNames({ 地址: 'a', 关注点: 'f', x: 1 }, WEB)).toEqual({ url: 'a', focus: 'f', x: 1 })
    expect(withEnglishNames({ url: 'b', 地址: 'a' }, WEB)).toEqual({ url: 'b' })
  })
})

describe('bad parameters are told in the words of the session', () => {
  const problem = (tool: Tool, args: Record<string, unknown>, language: 'zh-CN' | 'en') => {
    const parsed = tool.parse(args)
    return parsed.ok
      ? []
      : badParameters(tool, parsed.errors, language).errors.map(({ path, expected }) => `${path}: ${expected}`)
  }

  test('missing, wrong and unknown ones', () => {
    const args = { page: 'x', uri: 'u' }
    expect(problem(WEB, args, 'zh-CN')).toEqual([
      '地址: 必填，文本（URI）; an absolute http or https address',
      '页码: 整数（1–100）',
      'uri: 没有这个参数，可用的参数是 地址、关注点、页码、刷新',
    ])
    expect(problem(WEB, args, 'en')).toEqual([
      'url: required, text (URI); an absolute http or https address',
      'page: an integer (1–100)',
      'uri: no such parameter, there are url, focus, page, refresh',
    ])
  })

  test('a bad item of a list is named by its place, with what is taken there', () => {
    expect(problem(ASK, { question: 'q', options: ['a', 1] }, 'zh-CN')[0]).toMatch(/^选项\.1: 非空文本（/)
  })

  test('what the schema of an MCP tool or an API says is in the language of the session', () => {
    const tool = {
      ...WEB,
      ...calledBySchema({
        type: 'object',
        properties: { n: { type: 'integer', minimum: 1 }, s: { type: 'string', maxLength: 2 } },
      }),
    }
    expect(problem(tool, { n: 0, s: 'long' }, 'zh-CN')).toEqual([
      'n: 整数（≥ 1）; 至少应为 1，而不是 0',
      's: 文本（≤ 2 个字符）; 有 4 个字符，最多 2 个',
    ])
    expect(problem(tool, { n: 0 }, 'en')).toEqual(['n: an integer (≥ 1); it has to be at least 1, but is 0'])
  })

  test('a tool without parameters says so', () => {
    expect(problem(toolOf('box__list'), { a: 1 }, 'en')).toEqual(['a: this tool takes no parameters'])
  })

  test.each<[Record<string, unknown>, string, string]>([
    [{ enum: ['a', 2] }, '"a"或2', '"a" or 2'],
    [
      { type: 'array', items: { type: 'string' }, maxItems: 3 },
      '列表（≤ 3 项，每项为文本）',
      'a list (≤ 3 items, each text)',
    ],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '整数', 'an integer'],
    [{ type: 'string', minLength: 1, maxLength: 1_048_576 }, '非空文本', 'non-empty text'],
    [{}, '任意值', 'any value'],
  ])('%j is described in both languages', (schema, zh, en) => {
    expect([describeSchema(schema, 'zh-CN'), describeSchema(schema, 'en')]).toEqual([zh, en])
  })
})
