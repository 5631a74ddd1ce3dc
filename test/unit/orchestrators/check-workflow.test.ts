/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format, and no function */
import { describe, test } from 'vitest'
import type { SkillDefinition } from '../../../src/domain/skill.ts'
import { skillDefinition } from '../../../src/domain/skill.ts'
import type { WorkflowDefinition } from '../../../src/domain/workflow.ts'
import { checkWorkflow } from '../../../src/orchestrators/workflow/check.ts'
import { type WorkflowSurroundings } from '../../../src/orchestrators/workflow/check-others.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'

const TRANSLATE: SkillDefinition = skillDefinition.parse({
  name: 'translate',
  version: '1',
  description: 'Translates.',
  prompt: 'Into {{target}}.',
  inputs: [{ name: 'target', required: true }],
})

const { engine } = createEngine(
  {},
  {
    publicFetch: () => Promise.reject(new Error('a check reaches nothing')),
    privateFetch: null,
    models: { secret: () => undefined, workersAi: false },
    workersAi: null,
    runtime: '',
  },
)

const OTHERS: Record<string, WorkflowDefinition> = {
  needy: { name: 'needy', description: 'x', inputs: { type: 'object', required: ['a'] }, steps: [] },
  back: {
    name: 'back',
    description: 'x',
    steps: [{ id: 'b', type: 'workflow', workflow: 'mine', inputs: {} }],
  },
}

const HERE: WorkflowSurroundings = {
  tools: engine.tools,
  hasModel: (alias) => alias === 'default',
  skill: async (name) => (name === 'translate' ? TRANSLATE : null),
  teamIssues: (team) => engine.skills.teamIssues('default', team),
  workflow: async (name) => OTHERS[name] ?? null,
}

const ROLE = {
  name: 'Writer',
  profile: 'writes',
  watch: ['UserRequirement'],
  actions: [{ name: 'Write', instruction: 'x' }],
}
const SET = { type: 'set', values: { x: 1 } }

async function issuesOf(steps: unknown, more: object = {}): Promise<string[]> {
  const checked = await checkWorkflow({ name: 'mine', description: 'Mine.', steps, ...more }, HERE)
  return checked.ok ? [] : checked.issues.map(({ path, message }) => `${path}: ${message}`)
}

describe('a workflow is checked as a whole', () => {
  test('and taken where all is well', async ({ expect }) => {
    const steps = [
      { id: 'a', ...SET, values: { list: '{{ inputs.pages }}', at: 'x {{ time }}' } },
      {
        id: 'each',
        type: 'map',
        over: 'steps.a.output.list',
        concurrency: 3,
        on_error: 'collect',
        steps: [
          { id: 'read', type: 'tool', tool: 'web_access', arguments: { url: '{{ item }}' }, retry: { times: 2 } },
        ],
      },
      {
        id: 'gate',
        type: 'if',
        condition: 'length(steps.each.output) > 1',
        then: [{ id: 't', ...SET }],
        else: [{ id: 'e', ...SET }],
      },
      {
        id: 'kind',
        type: 'switch',
        value: 'steps.t.output.x',
        cases: [
          { equals: 1, steps: [{ id: 'one', ...SET }] },
          { matches: 'a*', steps: [{ id: 'two', ...SET }] },
        ],
        default: [{ id: 'three', ...SET }],
      },
      {
        id: 'both',
        type: 'parallel',
        branches: [
          [{ id: 'l', type: 'agent', prompt: 'Say {{ task }}', model: 'default', output: { type: 'object' } }],
          [{ id: 'r', type: 'agent', skill: 'translate', inputs: { target: 'de' }, prompt: '{{ task }}' }],
        ],
      },
      {
        id: 'ask',
        type: 'wait',
        approval: 'Send {{ steps.l.output }}?',
        rollback: [{ id: 'undo', ...SET, values: { why: '{{ error }}' } }],
      },
    ]
    const inputs = { type: 'object', properties: { pages: { type: 'array' } } }
    expect(await issuesOf(steps, { inputs, output: '{{ steps.ask.output }}' })).toEqual([])
  })

  test('says of two steps with one id that alone, and no cycle', async ({ expect }) => {
    const steps = [
      { id: 'a', ...SET },
      { id: 'a', ...SET },
    ]
    expect(await issuesOf(steps)).toEqual([expect.stringContaining('steps.1.id: step a: an id that no other step has')])
  })

  test('refuses inputs that have no names', async ({ expect }) => {
    expect(await issuesOf([{ id: 'a', ...SET }], { inputs: { type: 'array' } })).toEqual([
      'inputs: a JSON Schema of an object',
    ])
  })

  test.for<[string, unknown[], string]>([
    ['no id', [{ type: 'set', values: {} }], 'steps.0.id: '],
    [
      'an id of its own',
      [
        { id: 'a', ...SET },
        { id: 'b', type: 'if', condition: 'true', then: [{ id: 'a', ...SET }] },
      ],
      'steps.1.then.0.id: step a: an id that no other step has',
    ],
    ['an id that means something', [{ id: '__proto__', ...SET }], 'steps.0.id: '],
    ['a type that there is not', [{ id: 'a', type: 'goto' }], 'steps.0.type: step a: '],
    ['a field that there is not', [{ id: 'a', ...SET, valeus: {} }], 'steps.0.valeus: step a: unknown field'],
    ['no steps', [], 'steps: '],
    ['to wait for itself', [{ id: 'a', ...SET, depends_on: ['a'] }], 'steps.0.depends_on.0: step a: another step'],
    [
      'to wait for a step that there is not',
      [{ id: 'a', ...SET, depends_on: ['b'] }],
      'steps.0.depends_on.0: step a: a step of the same list: there is no b',
    ],
    [
      'a cycle',
      [
        { id: 'a', ...SET, depends_on: ['b'] },
        { id: 'b', ...SET, depends_on: ['a'] },
      ],
      'steps.0.depends_on: step a: no cycle: a → b → a',
    ],
    [
      'a cycle with the order of the list',
      [
        { id: 'a', ...SET, depends_on: ['c'] },
        { id: 'b', ...SET },
        { id: 'c', ...SET },
      ],
      'steps.0.depends_on: step a: no cycle: a → c → b → a',
    ],
    [
      'an expression that cannot be read',
      [{ id: 'a', ...SET, when: '1 +' }],
      'steps.0.when: step a: "+" at character 3 cannot be read',
    ],
    [
      'a name that there is not',
      [{ id: 'a', ...SET, when: 'secrets.key' }],
      'steps.0.when: step a: unknown name secrets; there are inputs',
    ],
    [
      'an input that there is not',
      [{ id: 'a', ...SET, when: 'inputs.b' }],
      'steps.0.when: step a: unknown input b; there are a',
    ],
    ['item outside of a map', [{ id: 'a', ...SET, when: 'item' }], 'steps.0.when: step a: unknown name item'],
    ['a step that there is not', [{ id: 'a', ...SET, when: 'steps.b.output' }], 'steps.0.when: step a: unknown step b'],
    [
      'a step that comes later',
      [
        { id: 'a', ...SET, values: { x: 'is {{ steps.b.output }}' } },
        { id: 'b', ...SET },
      ],
      'steps.0.values.x: step a: step b is not done before this one',
    ],
    [
      'a step beside it',
      [{ id: 'p', type: 'parallel', branches: [[{ id: 'a', ...SET }], [{ id: 'b', ...SET, when: 'steps.a.output' }]] }],
      'steps.0.branches.1.0.when: step b: step a is not done before this one',
    ],
    [
      'a step of the items, from outside',
      [
        { id: 'm', type: 'map', over: '[1]', steps: [{ id: 'i', ...SET }] },
        { id: 'b', ...SET, when: 'steps.i.output' },
      ],
      'steps.1.when: step b: step i is not done before this one',
    ],
    [
      'what a step does not have',
      [
        { id: 'a', ...SET },
        { id: 'b', ...SET, when: 'steps.a.score' },
      ],
      'steps.1.when: step b: write steps.a.output, .status or .error',
    ],
    [
      'a template without its end',
      [{ id: 'a', ...SET, values: { x: 'is {{ task' } }],
      'steps.0.values.x: step a: "{{" at 4 has no "}}"',
    ],
    ['a tool that there is not', [{ id: 'a', type: 'tool', tool: 'fly' }], 'steps.0.tool: step a: no tool fly here'],
    [
      'a tool that steers',
      [{ id: 'a', type: 'tool', tool: 'finish', arguments: { reason: 'x' } }],
      'steps.0.tool: step a: finish only steers a model',
    ],
    [
      'a tool whose calls are moves of an agent',
      [{ id: 'a', type: 'tool', tool: 'delegate', arguments: { task: 'x' } }],
      'steps.0.tool: step a: delegate only steers a model',
    ],
    [
      'a time that is none',
      [{ id: 'a', type: 'wait', until: 'tomorrow' }],
      'steps.0.until: step a: a time by RFC 3339',
    ],
    [
      'a session that is none',
      [{ id: 'a', type: 'wait', session: 'x' }],
      'steps.0.session: step a: the id of a session',
    ],
    [
      'an argument that there is not',
      [{ id: 'a', type: 'tool', tool: 'web_access', arguments: { url: 'x', speed: 1 } }],
      'steps.0.arguments.speed: step a: web_access has no such argument',
    ],
    [
      'an argument that is missing',
      [{ id: 'a', type: 'tool', tool: 'web_access' }],
      'steps.0.arguments.url: step a: web_access needs it',
    ],
    [
      'a skill that there is not',
      [{ id: 'a', type: 'agent', skill: 'no', prompt: 'x' }],
      'steps.0.skill: step a: no skill no here',
    ],
    [
      'an input that a skill does not have',
      [{ id: 'a', type: 'agent', skill: 'translate', inputs: { target: 'de', to: 'x' } }],
      'steps.0.inputs.to: step a: not an input of translate',
    ],
    [
      'an input that a skill needs',
      [{ id: 'a', type: 'agent', skill: 'translate', prompt: 'x' }],
      'steps.0.inputs.target: step a: the skill translate needs it',
    ],
    [
      'a team that there is not',
      [{ id: 'a', type: 'agent', prompt: 'x', team: 'nobody' }],
      'steps.0.team: step a: no team of that name; see GET /v1/teams',
    ],
    [
      'a role whose model there is not',
      [{ id: 'a', type: 'agent', prompt: 'x', team: { roles: [{ ...ROLE, model: 'huge' }] } }],
      'steps.0.team.roles.0.model: step a: a model that',
    ],
    ['nothing to be asked', [{ id: 'a', type: 'agent' }], 'steps.0.prompt: step a: what the step is asked'],
    [
      'two who do it',
      [{ id: 'a', type: 'agent', skill: 'translate', plan: true, prompt: 'x' }],
      'steps.0.plan: step a: not with skill',
    ],
    [
      'a model that there is not',
      [{ id: 'a', type: 'agent', prompt: 'x', model: 'huge' }],
      'steps.0.model: step a: a model that',
    ],
    [
      'a schema that is none',
      [{ id: 'a', type: 'agent', prompt: 'x', output: { $ref: '#/nowhere' } }],
      'steps.0.output: step a: a JSON Schema',
    ],
    ['a wait for nothing', [{ id: 'a', type: 'wait' }], 'steps.0.for_ms: step a: one of for_ms, until'],
    [
      'a wait for two things',
      [{ id: 'a', type: 'wait', for_ms: 1, signal: 'x' }],
      'steps.0.for_ms: step a: one of for_ms, until',
    ],
    [
      'a case that says neither',
      [{ id: 'a', type: 'switch', value: '1', cases: [{ steps: [{ id: 'b', ...SET }] }] }],
      'steps.0.cases.0.matches: step a: either matches or equals',
    ],
    [
      'a workflow that there is not',
      [{ id: 'a', type: 'workflow', workflow: 'no' }],
      'steps.0.workflow: step a: no workflow no here',
    ],
    ['itself', [{ id: 'a', type: 'workflow', workflow: 'mine' }], 'steps.0.workflow: step a: no cycle: mine → mine'],
    [
      'itself by another',
      [{ id: 'a', type: 'workflow', workflow: 'back' }],
      'steps.0.workflow: step a: no cycle: mine → back → mine',
    ],
    [
      'a workflow without what it needs',
      [{ id: 'a', type: 'workflow', workflow: 'needy' }],
      'steps.0.inputs.a: step a: the workflow needy needs it',
    ],
    [
      'too many at the same time',
      [{ id: 'a', type: 'map', over: '[1]', concurrency: 99, steps: [{ id: 'b', ...SET }] }],
      'steps.0.concurrency: step a: ',
    ],
    [
      'a rollback that cannot be read',
      [{ id: 'a', ...SET, rollback: [{ id: 'b', ...SET, when: 'x.y' }] }],
      'steps.0.rollback.0.when: step b: unknown name x',
    ],
  ])('refused with step and field: %s', async ([, steps, words], { expect }) => {
    const issues = await issuesOf(steps, { inputs: { type: 'object', properties: { a: {} } } })
    expect(issues.join('\n')).toContain(words)
  })

  test('refused where there are too many steps, or they stand too deep', async ({ expect }) => {
    const many = Array.from({ length: 301 }, (_, index) => ({ id: `s${index}`, ...SET }))
    expect((await issuesOf(many)).join()).toContain('steps')
    const deep = (left: number): object =>
      left === 0 ? { id: 'end', ...SET } : { id: `d${left}`, type: 'if', condition: 'true', then: [deep(left - 1)] }
    expect((await issuesOf([deep(14)])).join()).toContain('within each other at most 12 deep')
  })
})
