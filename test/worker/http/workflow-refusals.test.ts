/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format */
import { describe, test } from 'vitest'
import { call, problem } from './http.ts'

const a = { id: 'a', type: 'set', values: { x: 1 } }
const wait = (more: object) => [{ id: 'w', type: 'wait', ...more }]
const agent = (more: object) => [{ id: 'w', type: 'agent', prompt: 'x', ...more }]
const tool = (more: object) => [
  { id: 'w', type: 'tool', tool: 'http_request', arguments: { url: 'https://e.example' }, ...more },
]
const set = (more: object) => [{ id: 'w', type: 'set', values: {}, ...more }]
const inner = [{ id: 'in', type: 'set', values: { x: '{{ nothing }}' } }]

/** Steps that are wrong, the field that is, and the step that is named (null: none has an id). */
const WRONG: readonly [name: string, steps: unknown, path: string, step: string | null][] = [
  ['no steps', [], 'steps', null],
  ['steps that are no list', {}, 'steps', null],
  ['a step that is none', ['x'], 'steps.0', null],
  ['a step without an id', [{ type: 'set', values: {} }], 'steps.0.id', null],
  ['an id with a dot', [{ ...a, id: 'a.b' }], 'steps.0.id', null],
  ['an id with a digit first', [{ ...a, id: '1a' }], 'steps.0.id', null],
  ['an id of an object', [{ ...a, id: 'constructor' }], 'steps.0.id', null],
  ['an id that is too long', [{ ...a, id: 'a'.repeat(65) }], 'steps.0.id', null],
  ['an id twice', [a, { ...a }], 'steps.1.id', 'a'],
  [
    'an id twice, one deep inside',
    [a, { id: 'p', type: 'parallel', branches: [[{ ...a, id: 'b' }], [a]] }],
    'steps.1.branches.1.0.id',
    'a',
  ],
  ['no type', [{ id: 'w' }], 'steps.0.type', 'w'],
  ['an unknown type', [{ id: 'w', type: 'loop' }], 'steps.0.type', 'w'],
  ['an unknown field', set({ value: 1 }), 'steps.0', 'w'],
  ['a when that cannot be read', set({ when: 'inputs.a ==' }), 'steps.0.when', 'w'],
  ['a when of nothing', set({ when: '' }), 'steps.0.when', 'w'],
  ['a when of an unknown name', set({ when: 'process.env' }), 'steps.0.when', 'w'],
  [
    'a step behind looked at',
    [{ id: 'w', type: 'set', values: { x: '{{ steps.a.output }}' } }, a],
    'steps.0.values.x',
    'w',
  ],
  ['an unknown step', set({ values: { x: '{{ steps.q.output }}' } }), 'steps.0.values.x', 'w'],
  ['itself looked at', set({ values: { x: '{{ steps.w.output }}' } }), 'steps.0.values.x', 'w'],
  ['an unknown field of a step', [a, ...set({ values: { x: '{{ steps.a.result }}' } })], 'steps.1.values.x', 'w'],
  ['a template that is not closed', set({ values: { x: 'a {{ inputs.a' } }), 'steps.0.values.x', 'w'],
  ['a template deep in a value', set({ values: { x: [{ y: '{{ nothing }}' }] } }), 'steps.0.values.x.0.y', 'w'],
  ['an item outside of a map', set({ values: { x: '{{ item }}' } }), 'steps.0.values.x', 'w'],
  ['an error outside of a rollback', set({ values: { x: '{{ error }}' } }), 'steps.0.values.x', 'w'],
  ['a call of a function', set({ when: 'eval("1")' }), 'steps.0.when', 'w'],
  ['values that are a list', set({ values: [] }), 'steps.0.values', 'w'],
  ['depends_on nobody', set({ depends_on: ['q'] }), 'steps.0.depends_on.0', 'w'],
  ['depends_on itself', set({ depends_on: ['w'] }), 'steps.0.depends_on.0', 'w'],
  [
    'a circle',
    [
      { ...a, depends_on: ['b'] },
      { ...a, id: 'b', depends_on: ['a'] },
    ],
    'steps.0.depends_on',
    'a',
  ],
  [
    'depends_on a step of another list',
    [a, { id: 'p', type: 'if', condition: 'true', then: [{ ...a, id: 'b', depends_on: ['a'] }] }],
    'steps.1.then.0.depends_on.0',
    'b',
  ],
  ['no retries', set({ retry: { times: 0 } }), 'steps.0.retry.times', 'w'],
  ['retries without a number', set({ retry: {} }), 'steps.0.retry.times', 'w'],
  ['a backoff below one', set({ retry: { times: 1, backoff: 0.5 } }), 'steps.0.retry.backoff', 'w'],
  ['a negative delay', set({ retry: { times: 1, delay_ms: -1 } }), 'steps.0.retry.delay_ms', 'w'],
  ['no time at all', set({ timeout_ms: 0 }), 'steps.0.timeout_ms', 'w'],
  ['a time that is a text', set({ timeout_ms: '1s' }), 'steps.0.timeout_ms', 'w'],
  ['an empty rollback', set({ rollback: [] }), 'steps.0.rollback', 'w'],
  ['a rollback that is wrong', set({ rollback: inner }), 'steps.0.rollback.0.values.x', 'in'],
  ['an output that is no schema', set({ output: { type: 'thing' } }), 'steps.0.output', 'w'],
  ['an agent without words', agent({ prompt: '' }), 'steps.0.prompt', 'w'],
  ['an agent of two kinds', agent({ skill: 'translate', plan: true }), 'steps.0.plan', 'w'],
  ['an agent with inputs and no skill', agent({ inputs: { x: 1 } }), 'steps.0.inputs', 'w'],
  ['an agent with an unknown skill', agent({ skill: 'nobody' }), 'steps.0.skill', 'w'],
  ['an agent with an unknown model', agent({ model: 'nobody' }), 'steps.0.model', 'w'],
  ['an agent with an unknown tool', agent({ tools: ['nothing_here'] }), 'steps.0.tools.0', 'w'],
  [
    'an agent with a permission that is none',
    agent({ permissions: { web_access: 'maybe' } }),
    'steps.0.permissions.web_access',
    'w',
  ],
  ['an agent with an unknown limit', agent({ limits: { max_calls: 1 } }), 'steps.0.limits', 'w'],
  [
    'an agent with an input that its skill has not',
    agent({ skill: 'translate', inputs: { colour: 'red' } }),
    'steps.0.inputs.colour',
    'w',
  ],
  ['a plan with an output', agent({ plan: true, output: { type: 'object' } }), 'steps.0.output', 'w'],
  ['an unknown tool', tool({ tool: 'nothing_here' }), 'steps.0.tool', 'w'],
  ['a tool that steers a model', tool({ tool: 'finish', arguments: {} }), 'steps.0.tool', 'w'],
  [
    'an unknown argument',
    tool({ arguments: { url: 'https://e.example', colour: 'red' } }),
    'steps.0.arguments.colour',
    'w',
  ],
  ['an argument that is not there', tool({ arguments: {} }), 'steps.0.arguments.url', 'w'],
  ['an if without steps', [{ id: 'w', type: 'if', condition: 'true' }], 'steps.0.then', 'w'],
  ['an if with an empty list', [{ id: 'w', type: 'if', condition: 'true', then: [] }], 'steps.0.then', 'w'],
  ['a switch without cases', [{ id: 'w', type: 'switch', value: '1', cases: [] }], 'steps.0.cases', 'w'],
  [
    'a case that fits by nothing',
    [{ id: 'w', type: 'switch', value: '1', cases: [{ steps: [a] }] }],
    'steps.0.cases.0.matches',
    'w',
  ],
  [
    'a case with a wrong step',
    [{ id: 'w', type: 'switch', value: '1', cases: [{ equals: 1, steps: inner }] }],
    'steps.0.cases.0.steps.0.values.x',
    'in',
  ],
  ['a map over nothing', [{ id: 'w', type: 'map', steps: [a] }], 'steps.0.over', 'w'],
  [
    'a map with no workers',
    [{ id: 'w', type: 'map', over: '[1]', concurrency: 0, steps: [a] }],
    'steps.0.concurrency',
    'w',
  ],
  [
    'a map that goes on otherwise',
    [{ id: 'w', type: 'map', over: '[1]', on_error: 'ignore', steps: [a] }],
    'steps.0.on_error',
    'w',
  ],
  [
    'a step of an item looked at from outside',
    [{ id: 'm', type: 'map', over: '[1]', steps: [a] }, ...set({ values: { x: '{{ steps.a.output }}' } })],
    'steps.1.values.x',
    'w',
  ],
  ['one branch', [{ id: 'w', type: 'parallel', branches: [[a]] }], 'steps.0.branches', 'w'],
  [
    'a branch that looks at the other',
    [{ id: 'p', type: 'parallel', branches: [[a], set({ values: { x: '{{ steps.a.output }}' } })] }],
    'steps.0.branches.1.0.values.x',
    'w',
  ],
  ['a wait for nothing', wait({}), 'steps.0.for_ms', 'w'],
  ['a wait for two things', wait({ for_ms: 1, approval: 'x' }), 'steps.0.for_ms', 'w'],
  ['a wait that is too long', wait({ for_ms: 1e15 }), 'steps.0.for_ms', 'w'],
  ['a question without words', wait({ question: { options: ['x'] } }), 'steps.0.question.text', 'w'],
  [
    'a form that is no schema',
    wait({ question: { text: 'x', form: { type: 'thing' } } }),
    'steps.0.question.form',
    'w',
  ],
  ['a form of no object', wait({ question: { text: 'x', form: { type: 'string' } } }), 'steps.0.question.form', 'w'],
  [
    'a default that does not fit its form',
    wait({ question: { text: 'x', form: { type: 'object', required: ['n'] } }, default: {} }),
    'steps.0.default',
    'w',
  ],
  ['a default of a time', wait({ for_ms: 1, default: 1 }), 'steps.0.default', 'w'],
  ['a time-out of a time', wait({ for_ms: 1, timeout_ms: 1 }), 'steps.0.timeout_ms', 'w'],
  ['a deadline of a time', wait({ until: '2030-01-01', deadline_ms: 1 }), 'steps.0.deadline_ms', 'w'],
  ['a key of an unknown name', wait({ webhook_key: '{{ nothing }}' }), 'steps.0.webhook_key', 'w'],
  ['an unknown workflow', [{ id: 'w', type: 'workflow', workflow: 'nobody' }], 'steps.0.workflow', 'w'],
  ['a workflow within itself', [{ id: 'w', type: 'workflow', workflow: 'wrong' }], 'steps.0.workflow', 'w'],
  [
    'a workflow without its inputs',
    [{ id: 'w', type: 'workflow', workflow: 'extract-records' }],
    'steps.0.inputs',
    'w',
  ],
]

const HAN = /\p{Script=Han}/u
/** How each language names a step. */
const LANGUAGES = [
  { language: 'en', named: (step: string) => `step ${step}: ` },
  { language: 'zh-CN', named: (step: string) => `步骤 ${step}：` },
]

describe.for(LANGUAGES)('a workflow that is wrong is refused in $language', ({ language, named }) => {
  test.for(WRONG)('for %s', async ([, steps, path, step], { expect }) => {
    const body = { name: 'wrong', description: 'Is wrong.', steps }
    const answer = call('POST', '/v1/workflows', { body, headers: { 'accept-language': language } })
    const { title, errors = [], detail } = await problem(answer, 400)
    const found = errors.find((one) => one.path === path || one.path.startsWith(`${path}.`))
    expect(found, JSON.stringify(errors)).toBeDefined()
    if (step !== null) expect(found?.message).toContain(named(step))
    expect(found?.message).not.toMatch(/^(step|步骤) \w+[:：] ?(undefined)?$/)
    expect(detail).not.toBe('')
    for (const words of [title, detail, ...errors.map(({ message }) => withoutStep(message))])
      expect(HAN.test(words), words).toBe(language === 'zh-CN')
  })
})

/** Inputs that do not fit, and the field that does not. */
const UNFIT: readonly [schema: object, value: unknown, path: string][] = [
  [{ type: 'array', minItems: 1 }, [], 'inputs.x'],
  [{ type: 'array', maxItems: 1 }, [1, 2], 'inputs.x'],
  [{ type: 'array', uniqueItems: true }, [1, 1], 'inputs.x'],
  [{ type: 'array', items: { type: 'string' } }, ['a', 1], 'inputs.x.1'],
  [{ type: 'string', minLength: 2 }, 'a', 'inputs.x'],
  [{ type: 'string', maxLength: 2 }, 'abc', 'inputs.x'],
  [{ type: 'string', pattern: '^a' }, 'b', 'inputs.x'],
  [{ type: 'string', format: 'uri' }, 'b', 'inputs.x'],
  [{ enum: ['a', 'b'] }, 'c', 'inputs.x'],
  [{ const: 'a' }, 'c', 'inputs.x'],
  [{ type: 'number', minimum: 2 }, 1, 'inputs.x'],
  [{ type: 'number', maximum: 2 }, 3, 'inputs.x'],
  [{ type: 'number', exclusiveMinimum: 2 }, 2, 'inputs.x'],
  [{ type: 'number', exclusiveMaximum: 2 }, 2, 'inputs.x'],
  [{ type: 'number', multipleOf: 2 }, 3, 'inputs.x'],
  [{ type: 'object', required: ['y'] }, {}, 'inputs.x.y'],
  [{ type: 'object', minProperties: 1 }, {}, 'inputs.x'],
]

test('inputs that do not fit are refused with the field, in Chinese too', async ({ expect }) => {
  for (const [index, [schema, value, path]] of UNFIT.entries()) {
    const inputs = { type: 'object', properties: { x: schema } }
    const name = `unfit-${index}`
    await call('POST', '/v1/workflows', { body: { name, description: 'x', inputs, steps: [a] } })
    const asked = (language: string) => {
      const sent = { body: { inputs: { x: value } }, headers: { 'accept-language': language } }
      return problem(call('POST', `/v1/workflows/${name}/run`, sent), 400)
    }
    const { errors: english = [] } = await asked('en')
    expect(
      english.map((one) => one.path),
      JSON.stringify(english),
    ).toContain(path)
    const { errors: chinese = [] } = await asked('zh-CN')
    for (const { message } of chinese) expect(HAN.test(message), message).toBe(true)
  }
})

/** What is said of a field, without the step that it is of. */
function withoutStep(message: string): string {
  return message.replace(/^步骤 \w+：/, '')
}
