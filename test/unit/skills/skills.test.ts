import { globSync } from 'node:fs'
import { describe, test } from 'vitest'
import { SKILL_FILES } from '../../../configs/skills/index.ts'
import { skillDefinition } from '../../../src/domain/skill.ts'
import { SkillRegistry } from '../../../src/skills/registry.ts'
import { KnownSkills } from '../../../src/skills/known-skills.ts'
import type { SkillSurroundings } from '../../../src/skills/check-skill.ts'
import { checkSkillFile, unusableSkills } from '../../../src/skills/shipped.ts'
import { fitAnswer, schemaProblem } from '../../../src/skills/output-schema.ts'
import { readSkillFile } from '../../../src/skills/shipped.ts'
import { phraseInChinese } from '../../../src/http/refusal-words.ts'
import { checkTemplate, inputsInText, readInput, renderTemplate } from '../../../src/skills/template.ts'
import { givenTeamIssues } from '../../../src/orchestrators/team/check.ts'

const AROUND: SkillSurroundings = {
  tools: [
    { id: 'web_access', names: { 'zh-CN': '网页访问', en: 'web_access' } },
    { id: 'web_search', names: { 'zh-CN': '网页搜索', en: 'web_search' } },
  ],
  hasModel: (alias) => alias === 'known',
  teamIssues: async (given, skills) =>
    givenTeamIssues(given, {
      ...skills,
      hasTool: () => true,
      hasModel: () => true,
      hasTeam: (name) => name === 'debate',
    }),
}
const registry = (files = SKILL_FILES) =>
  new SkillRegistry(AROUND, { files: async () => files, tenants: null }, new KnownSkills(null, () => 0))
const checkOf = (given: unknown) =>
  typeof given === 'string' ? checkSkillFile(given, AROUND) : registry().check(given)
const paths = async (given: unknown) => {
  const checked = await checkOf(given)
  return checked.ok ? [] : checked.issues.map(({ path }) => path)
}
const MINIMAL = { name: 'a', version: '1', description: 'x' }
const FILE = '---\nname: a\ndescription: x\nmetadata:\n  version: 1.0\n---\nHello {{user_input}}'

describe('the shipped skills', () => {
  test('are all in the index, and all good, in both languages', async ({ expect }) => {
    const folders = globSync('configs/skills/*/SKILL.md').map((file) => file.split('/')[2] ?? '')
    expect(folders.toSorted()).toEqual(Object.keys(SKILL_FILES).toSorted())
    const { skills: shipped, problems } = await registry().loadShipped()
    expect(problems).toEqual([])
    expect([...shipped.keys()].toSorted()).toEqual(folders.toSorted())
    for (const { texts } of shipped.values()) {
      expect(texts['zh-CN']?.description).toMatch(/\p{Script=Han}/u)
      expect(texts.en?.prompt).not.toMatch(/\p{Script=Han}/u)
    }
  })

  test('are left out by name, with field and reason, when they are bad, and nothing else fails', async ({ expect }) => {
    const bad = { en: FILE.replace('user_input', 'nobody'), 'zh-CN': FILE }
    const other = { en: FILE.replace('name: a', 'name: other'), 'zh-CN': FILE.replace('name: a', 'name: other') }
    const files = { a: bad, misnamed: { en: FILE, 'zh-CN': FILE }, other }
    const { skills: shipped, problems } = await registry(files).loadShipped()
    expect([...shipped.keys()]).toEqual(['other'])
    expect(problems.map(({ skill, path }) => [skill, path])).toEqual([
      ['a', 'prompt'],
      ['misnamed', 'name'],
    ])
  })
})

describe('a SKILL.md', () => {
  test('is read with its settings, typed or as texts, and with the keys of its author', async ({ expect }) => {
    const file = `---
name: pdf-report
description: >
  Writes reports.
license: MIT
allowed-tools: web_access, web_search
metadata:
  author: somebody
  version: 1.10
  temperature: "0.3"
  max_tool_iterations: 7
  finish: no_call
  worker: "true"
  inputs: [{name: topic, required: true}]
---

# Report on {{topic}}
`
    const read = readSkillFile(file)
    expect(read).toEqual({
      ok: true,
      value: {
        name: 'pdf-report',
        description: 'Writes reports.\n',
        prompt: '# Report on {{topic}}',
        tools: ['web_access', 'web_search'],
        version: '1.10',
        temperature: 0.3,
        max_tool_iterations: 7,
        finish: 'no_call',
        worker: true,
        inputs: [{ name: 'topic', required: true }],
        extra: { license: 'MIT', metadata: { author: 'somebody' } },
      },
    })
    expect(await paths(file)).toEqual([])
  })

  test('needs no version, takes one at its top too, and keeps what it does not know', async ({ expect }) => {
    const read = (line: string) => {
      const file = readSkillFile(`---\nname: a\ndescription: x\n${line}\n---\nHello`)
      return file.ok ? [file.value['version'], file.value['extra']] : file.issues
    }
    expect(read('license: MIT')).toEqual(['1', { license: 'MIT' }])
    expect(read('version: 2.10')).toEqual(['2.10', undefined])
    expect(read('argument-hint: "[file]"\nhooks: {a: [1]}')).toEqual([
      '1',
      { 'argument-hint': '[file]', hooks: { a: [1] } },
    ])
    expect(await paths('---\nname: a\ndescription: x\nuser-invocable: true\n---\nHello')).toEqual([])
  })

  test('that cannot be used is named with all that is wrong with it', ({ expect }) => {
    const problem = (skill: string, path: string) => ({ skill, path, message: 'no' })
    expect(unusableSkills([problem('a', 'name'), problem('b', 'model'), problem('a', 'prompt')])).toEqual([
      {
        name: 'a',
        problems: [
          { path: 'name', message: 'no' },
          { path: 'prompt', message: 'no' },
        ],
      },
      { name: 'b', problems: [{ path: 'model', message: 'no' }] },
    ])
  })

  test('takes allowed-tools as a list, as a text with white space, or not at all', ({ expect }) => {
    const tools = (line: string) => {
      const read = readSkillFile(FILE.replace('metadata:', `${line}\nmetadata:`))
      return read.ok ? read.value['tools'] : read.issues
    }
    expect(tools('allowed-tools: [a, b]')).toEqual(['a', 'b'])
    expect(tools('allowed-tools: a   b')).toEqual(['a', 'b'])
    expect(tools('allowed-tools:')).toEqual([])
    expect(tools('license: MIT')).toBeUndefined()
  })

  test('is refused where it is none, whatever it is', async ({ expect }) => {
    expect(await paths('# no front matter')).toEqual([''])
    expect(await paths('---\n- a\n---\n')).toEqual([''])
    expect(await paths('---\nname: [\n---\nx')).toEqual([''])
    expect(await paths(`---\n${'x'.repeat(17_000)}: 1\n---\n`)).toEqual([''])
    expect(await paths(FILE.replace('name: a', 'nmae: a'))).toEqual(['name'])
    expect(await paths(FILE.replace('name: a\n', ''))).toEqual(['name'])
    expect(await paths({ name: 'a', version: '1', description: 'd', worker: true, team: 'software' })).toEqual(['team'])
    expect(await paths({ name: 'a', version: '1', description: 'd', worker: true, orchestrator: 'plan' })).toEqual([
      'worker',
    ])
    expect(await paths(`---\n${'['.repeat(16_000)}\n---\n`)).toEqual([''])
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'.replaceAll(/./g, (key) => `${key}: &${key} [${`*${String.fromCharCode(key.charCodeAt(0) - 1)},`.repeat(9)}]\n`)}`
    expect(await paths(`---\n${bomb}---\n`)).toEqual([''])
  })

  test('is read with Windows line ends and a byte order mark', async ({ expect }) => {
    expect(await paths(`\uFEFF${FILE.replaceAll('\n', '\r\n')}`)).toEqual([])
  })
})

describe('a skill as JSON', () => {
  test('has the defaults of the contract', ({ expect }) => {
    expect(skillDefinition.parse(MINIMAL)).toMatchObject({
      orchestrator: 'agent',
      prompt: '',
      tools: [],
      model: null,
      max_tool_iterations: 5,
      finish: 'tool',
      worker: false,
      permissions: {},
      inputs: [],
      output_schema: null,
    })
  })

  test.for([
    [{ name: undefined }, 'name'],
    [{ version: undefined }, 'version'],
    [{ description: '  ' }, 'description'],
    [{ name: '../etc' }, 'name'],
    [{ unknown: 1 }, 'unknown'],
    [{ finish: 'maybe' }, 'finish'],
    [{ temperature: 3 }, 'temperature'],
    [{ max_tool_iterations: 0 }, 'max_tool_iterations'],
    [{ tools: ['web_access', 'toaster'] }, 'tools.1'],
    [{ permissions: { toaster: 'allow' } }, 'permissions.toaster'],
    [{ model: 'unknown' }, 'model'],
    [{ prompt: '{{nobody}}' }, 'prompt'],
    [{ inputs: [{ name: 'a' }, { name: 'a' }] }, 'inputs'],
    [{ inputs: [{ name: 'time' }] }, 'inputs.0.name'],
    [{ inputs: [{ name: 'a', type: 'number', default: 'x' }] }, 'inputs.0.default'],
    [{ output_schema: { $ref: '#/nowhere' } }, 'output_schema'],
    [{ output_schema: { type: 'nope' } }, 'output_schema'],
    [{ output_schema: { type: 'object', required: 'a' } }, 'output_schema'],
    [{ output_schema: { type: 'object', properties: { a: { type: ['string', 12] } } } }, 'output_schema'],
    [{ output_schema: { type: 'object', properties: { a: { pattern: '(' } } } }, 'output_schema'],
  ] as const)('names what is wrong: %o', async ([fields, path], { expect }) => {
    expect(await paths({ ...MINIMAL, ...fields })).toEqual([path])
  })

  test('may name tools of MCP servers that are not there yet, by any name', async ({ expect }) => {
    expect(
      await paths({
        ...MINIMAL,
        tools: ['*', '网页访问', 'github__search', 'github__*', 'my.server__*', '天气__*', '天气__查询'],
        model: 'known',
      }),
    ).toEqual([])
  })
})

describe('a template', () => {
  const known = new Set(['a', 'b'])

  test.for([
    ['{{a}} and {{b', '{{ at character 11 is not closed: write }} behind the name, as in {{user_input}}'],
    ['{{{a}} b', '{{ at character 1 is not closed: write }} behind the name, as in {{user_input}}'],
    ['{{#a}} b', '{{#a}} is not closed: write {{/a}} where it ends'],
    ['{{#a}}{{/b}}', '{{#a}} is not closed: write {{/a}} where it ends'],
    ['b {{/a}}', '{{/a}} closes nothing: take it away, or write {{#a}} before it'],
    ['{{= =}}', 'no other delimiters than {{ and }}'],
  ] as const)('says what is wrong and what to write: %s', ([template, message], { expect }) => {
    expect(checkTemplate(template, known)).toEqual({ path: 'prompt', message })
    expect(phraseInChinese(message)).toMatch(/\p{Script=Han}/u)
  })

  test('takes variables, sections and comments of known names, and nothing else', ({ expect }) => {
    expect(checkTemplate('{{a}} {{{b}}} {{&a}} {{#a}}x{{^b}}y{{/b}}{{/a}}{{! c }}', known)).toBeNull()
    for (const bad of [
      '{{c}}',
      '{{#a}}{{c}}{{/a}}',
      '{{a.length}}',
      '{{.}}',
      '{{>a}}',
      '{{=<% %>=}}',
      '{{#a}}',
      '{{a',
      '{{constructor}}',
    ])
      expect(checkTemplate(bad, known), bad).toMatchObject({ path: 'prompt' })
    expect(checkTemplate('{{#a}}'.repeat(10_000) + '{{/a}}'.repeat(10_000), known)?.message).toMatch(/16 deep/)
  })

  test('is filled once, without escaping', ({ expect }) => {
    expect(renderTemplate('{{a}} {{b}}', { a: '{{b}} {{#a}} <b>&"', b: 2 })).toBe('{{b}} {{#a}} <b>&" 2')
  })

  test('shows sections of what is there: false and the empty text are not', ({ expect }) => {
    const template = '{{#a}}yes {{a}}{{/a}}{{^a}}no{{/a}}'
    expect(renderTemplate(template, { a: '' })).toBe('no')
    expect(renderTemplate(template, { a: false })).toBe('no')
    expect(renderTemplate(template, { a: 0 })).toBe('yes 0')
    expect(renderTemplate(template, { a: true })).toBe('yes true')
  })
})

describe('the input of a run', () => {
  const skill = skillDefinition.parse({
    ...MINIMAL,
    inputs: [
      { name: 'topic', required: true },
      { name: 'count', type: 'number', default: 3 },
      { name: 'short', type: 'boolean' },
    ],
  })

  test('is an object of the declared inputs, or a text', ({ expect }) => {
    expect(readInput(skill, { topic: 'x', short: true })).toEqual({
      ok: true,
      inputs: { topic: 'x', short: true },
      message: '{"topic":"x","short":true}',
    })
    expect(readInput({ inputs: [] }, 'hello')).toMatchObject({ ok: true, message: 'hello' })
    expect(readInput(skill, { topic: 'x', user_input: 'say it' })).toMatchObject({ message: 'say it' })
  })

  test('may stand in the words of a task: its JSON, or the one text that is needed; what is not there is named', ({
    expect,
  }) => {
    expect(inputsInText(skill, ' {"topic": "x", "count": 5}')).toEqual({ topic: 'x', count: 5 })
    for (const words of ['of the sea', '{"topic": 1}', '{"other": "x"}', '{', ''])
      expect(inputsInText(skill, words)).toEqual({ topic: words })
    const two = skillDefinition.parse({
      ...MINIMAL,
      inputs: ['from', 'to', 'by'].map((name) => ({ name, required: name !== 'by' })),
    })
    expect(inputsInText(two, 'from here to there')).toEqual({ from: '[from]', to: '[to]' })
    expect(inputsInText({ inputs: [] }, '{"a": 1}')).toEqual({})
  })

  test('is refused by input.NAME', ({ expect }) => {
    const wrong = (input: string | Record<string, unknown>) => {
      const read = readInput(skill, input)
      return read.ok ? [] : read.issues.map(({ path }) => path)
    }
    expect(wrong('x')).toEqual(['input.topic'])
    expect(wrong({ topic: 1 })).toEqual(['input.topic'])
    expect(wrong({ topic: 'x', count: '3', more: 1 })).toEqual(['input.more', 'input.count'])
    expect(wrong({ topic: null })).toEqual(['input.topic'])
  })
})

describe('an answer that has to fit a schema', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }

  test('may be the whole text, or one code block', ({ expect }) => {
    expect(fitAnswer(' {"n": 1} ', schema)).toEqual({ ok: true, json: '{"n": 1}' })
    expect(fitAnswer('```json\n{"n": 1}\n```', schema)).toEqual({ ok: true, json: '{"n": 1}' })
    expect(fitAnswer('Here: {"n": 1}', schema)).toMatchObject({ ok: false })
    for (const text of ["{'n': 1,}", '{“n”：1}', '```json\n{n: 1}\n```'])
      expect(fitAnswer(text, schema), text).toEqual({ ok: true, json: '{"n":1}' })
    for (const text of ['{"n": 1', "{'n': 1} and more"])
      expect(fitAnswer(text, schema), text).toMatchObject({ ok: false })
  })

  test('is told the places that are wrong', ({ expect }) => {
    expect(fitAnswer('{"n": "x"}', schema)).toMatchObject({ ok: false, errors: [expect.stringContaining('#/n')] })
    expect(fitAnswer('{}', schema)).toMatchObject({ ok: false, errors: [expect.stringContaining('"n"')] })
  })

  test('needs a schema that can be used', ({ expect }) => {
    expect(schemaProblem(schema)).toBeNull()
    expect(schemaProblem({ $ref: 'https://example.com/schema' })).not.toBeNull()
    expect(schemaProblem({ properties: { a: { items: { $ref: '#/$defs/b' } } } })).toMatch(/reference to nothing/)
    expect(schemaProblem({ $defs: { b: {} }, properties: { a: { $ref: '#/$defs/b' } } })).toBeNull()
    expect(schemaProblem({ properties: { a: { pattern: '^(a+)+$' } } })).toMatch(/repeats in repeats/)
    expect(schemaProblem({ enum: ['x'.repeat(70_000)] })).toMatch(/65536 characters/)
  })

  test.for(['^((a+))+$', '^(a?){40}a{40}$', '(x|y*)+', '^(?:(?<n>a|b)c)*$', '^([^)]+,)+$', 'a*b*c*d*e*'])(
    'needs patterns that end soon: %s',
    (pattern, { expect }) => expect(schemaProblem({ properties: { a: { pattern } } })).toMatch(/pattern/),
  )

  test.for([
    '^\\d+(\\.\\d+)?$',
    '^[^@]+@[^@]+\\.[^@]+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^(?:yes|no)$',
    '^[(*+)]+$',
    '^a\\(b+\\)*$',
  ])('may have the patterns that people write: %s', (pattern, { expect }) =>
    expect(schemaProblem({ properties: { a: { pattern } } })).toBeNull(),
  )

  test('may have long texts beside a pattern, whose lengths count whole', ({ expect }) => {
    const texts = {
      properties: { day: { pattern: '^\\d+$' }, text: { type: 'string', maxLength: 2_000 } },
    }
    const answer = (length: number) => JSON.stringify({ day: '12', text: 'x'.repeat(length) })
    expect(schemaProblem(texts)).toBeNull()
    expect(fitAnswer(answer(2_000), texts)).toMatchObject({ ok: true })
    expect(fitAnswer(answer(2_001), texts)).toMatchObject({ ok: false })
  })

  test('needs a schema whose parts do not double at each step', ({ expect }) => {
    const twice = (n: number) => ({ allOf: [{ $ref: `#/$defs/a${n}` }, { $ref: `#/$defs/a${n}` }] })
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`a${n}`, n === 39 ? {} : twice(n + 1)]))
    expect(schemaProblem({ $ref: '#/$defs/a0', $defs })).toMatch(/too many steps/)
    const next = { properties: { next: { $ref: '#' } } }
    const list = { allOf: [next, next] }
    expect(schemaProblem(list)).toBeNull()
    const deep = `${'{"next":'.repeat(40)}1${'}'.repeat(40)}`
    expect(fitAnswer(deep, list)).toMatchObject({ ok: false, errors: [expect.stringMatching(/too many steps/)] })
  })

  test('may be a list that holds each item once, too long to compare each with each', ({ expect }) => {
    const list = { type: 'array', uniqueItems: true }
    expect(fitAnswer('[1, 2, 1]', list)).toMatchObject({ ok: false })
    const long = Array.from({ length: 200_000 }, (_, n) => ({ n }))
    expect(fitAnswer(JSON.stringify(long), list)).toMatchObject({ ok: true })
  })

  test('is no schema because it has a type and properties', ({ expect }) => {
    const feature = { type: 'object', properties: { type: { const: 'Feature' }, geometry: { type: 'object' } } }
    const answer = { type: 'Feature', geometry: {}, properties: { name: 'x' } }
    expect(fitAnswer(JSON.stringify(answer), feature)).toMatchObject({ ok: true })
    expect(fitAnswer('{}', {})).toMatchObject({ ok: true })
    expect(fitAnswer(JSON.stringify({ ...feature, title: 'Place' }), feature)).toMatchObject({ ok: false })
  })
})

const teamOf = (role: Record<string, unknown> = {}) => ({
  roles: [
    {
      name: 'A',
      profile: 'Asker',
      watch: ['UserRequirement'],
      actions: [{ name: 'Ask', instruction: 'x' }],
      ...role,
    },
  ],
})

describe('the team of a skill', () => {
  test.for<[string, unknown, string[]]>([
    ['that is known', 'debate', []],
    ['of its own', teamOf(), []],
    ['of no known name', 'nobody', ['team']],
    ['without roles', { n_round: 2 }, ['team.roles']],
    ['that watches for what nobody says', teamOf({ watch: ['Nothing'] }), ['team.roles.0.watch.0']],
    ['with a field that there is not', teamOf({ nonsense: 1 }), ['team.roles.0.nonsense']],
  ])('%s is checked with the skill', async ([, team, found], { expect }) => {
    expect(await paths({ ...MINIMAL, team })).toEqual(found)
  })

  test('names skills that there are, and none that is a team itself', async ({ expect }) => {
    const pathsFor = async (skill: string) => {
      const checked = await registry().checkFor('default', { json: { ...MINIMAL, team: teamOf({ skill }) } })
      return checked.ok ? [] : checked.issues.map(({ path }) => path)
    }
    expect(await pathsFor('web-research')).toEqual([])
    expect(await pathsFor('no-such-skill')).toEqual(['team.roles.0.skill'])
    expect(await pathsFor('a')).toEqual(['team.roles.0.skill'])
  })

  test('of a shipped skill is checked when it is loaded, and the skill left out', async ({ expect }) => {
    const file = (team: string) =>
      `---\nname: s\ndescription: x\nmetadata:\n  version: 1.0\n  team: ${team}\n---\nHello`
    const texts = (team: string) => ({ en: file(team), 'zh-CN': '---\nname: s\ndescription: 说明\n---\n你好' })
    const bad = await registry({ s: texts('nobody') }).loadShipped()
    expect(bad.problems).toMatchObject([{ skill: 's', path: 'team' }])
    expect(bad.skills.has('s')).toBe(false)
    expect((await registry({ s: texts('debate') }).loadShipped()).problems).toEqual([])
  })
})
