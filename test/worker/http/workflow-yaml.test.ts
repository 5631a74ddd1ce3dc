import { describe, test } from 'vitest'
import type { WorkflowInfo } from '../../../src/domain/workflow-view.ts'
import { call, json, problem } from './http.ts'

const YAML = `# Greets somebody.
name: by-yaml
description: Greets somebody, and asks first
inputs:
  type: object
  properties: { who: { type: string } }
  required: [who]
steps:
  - id: words
    type: set
    values:
      text: "Hello, {{ inputs.who }}!"
  - id: agree
    type: if
    condition: inputs.who != "nobody"
    then:
      - id: said
        type: set
        values: { text: "{{ steps.words.output.text }}" }
output: "{{ steps.words.output.text }}"
`
const send = (text: string, type = 'application/yaml', path = '/v1/workflows', method = 'POST') =>
  call(method, path, { body: text, headers: { 'content-type': type } })

describe('a workflow in YAML', () => {
  test('is added, changed and run as one in JSON', async ({ expect }) => {
    const made = await json<WorkflowInfo>(send(YAML), 201)
    expect(made).toMatchObject({ name: 'by-yaml', version: 1, steps: [{ id: 'words' }, { id: 'agree', type: 'if' }] })
    for (const type of ['text/yaml; charset=utf-8', 'application/x-yaml', 'text/x-yaml'])
      expect(await json(send(YAML, type, '/v1/workflows/by-yaml', 'PUT'))).toMatchObject({ name: 'by-yaml' })
    const run = call('POST', '/v1/workflows/by-yaml/run', { body: { inputs: { who: 'Ann' } } })
    expect(await json(run, 201)).toMatchObject({ status: 'completed', result: 'Hello, Ann!' })
  })

  test.for([
    ['a tab', 'name: x\n\tdescription: y', '', /^line 2: /],
    ['a name twice', 'name: x\nname: y\n', '', /^line 2: .*unique/],
    ['an unclosed text', 'name: x\ndescription: "y', '', /^line 2: /],
    ['two documents', 'name: x\n---\nname: y\n', '', /^line \d: /],
    ['a list', '- a\n- b\n', '', /^line 1: /],
    ['nothing', '', '', /^line 1: /],
    ['an alias of nothing', 'name: *x\n', '', /^line 1: |aliases/],
    [
      'a number that JSON has not',
      YAML.replace('type: string', 'type: string, maximum: .inf'),
      'inputs.properties.who.maximum',
      /^line 6: /,
    ],
    ['no description', YAML.replace(/^description.*\n/m, ''), 'description', /^line 1: /],
    ['an unknown field', `${YAML}colour: red\n`, 'colour', /^line 21: /],
    [
      'an unknown name in a template',
      YAML.replace('{{ inputs.who }}', '{{ nothing }}'),
      'steps.0.values.text',
      /^line 12: step words: unknown name/,
    ],
    ['a step twice', YAML.replace('id: said', 'id: words'), 'steps.1.then.0.id', /^line 17: step words: /],
    [
      'a field that a step needs',
      YAML.replace('    condition: inputs.who != "nobody"\n', ''),
      'steps.1.condition',
      /^line 13: step agree: /,
    ],
    ['a type that there is not', YAML.replace('type: if', 'type: loop'), 'steps.1.type', /^line 14: step agree: /],
    [
      'an unknown step',
      YAML.replace('output: "{{ steps.words', 'output: "{{ steps.none'),
      'output',
      /^line 20: unknown step/,
    ],
  ] as const)('with %s is refused with line, step and field', async ([, text, path, message], { expect }) => {
    const { errors = [] } = await problem(send(text.replace('by-yaml', 'by-yaml-wrong')), 400)
    expect(errors.find((one) => one.path === path)?.message, JSON.stringify(errors)).toMatch(message)
  })

  test('of another type, packed, or whose aliases multiply, is refused', async ({ expect }) => {
    await problem(send(YAML, 'text/plain'), 415)
    const packed = { 'content-type': 'application/yaml', 'content-encoding': 'gzip' }
    await problem(call('POST', '/v1/workflows', { body: YAML, headers: packed }), 415)
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for (let n = 1; n < 9; n++)
      lines.push(`a${n}: &a${n} [${Array.from({ length: 9 }, () => `*a${n - 1}`).join(', ')}]`)
    await problem(send(lines.join('\n')), 400)
    expect((await problem(send('['.repeat(20_000)), 400)).errors).toHaveLength(1)
  })
})
