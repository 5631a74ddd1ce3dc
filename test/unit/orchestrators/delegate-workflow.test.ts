import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { said, tasksOf } from '../../support/planned.ts'
import type { Play } from '../../support/play.ts'
import { claim as claimOf } from '../../support/session-claims/claim.ts'
import { exported, imported, sessionIn } from '../../support/session-claims/documents.ts'
import { native } from '../../support/words.ts'
import { Deeds, deedTools, does, keepWorkflows } from '../../support/workflows.ts'

const CONFIG: SessionConfig = {
  language: 'en',
  llm: { protocol: 'native' },
  limits: { max_iterations: 30 },
  tools: { delegate: { enabled: true }, do_it: { permission: 'allow' } },
}
const FINISH = native('finish', { reason: 'all done' })
const to = (task: string, more: object = {}) => native('delegate', { task, to: 'workflow/flow', ...more })
const INPUTS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

describe.for(['memory', 'sqlite'] as const)('a task that is given to a workflow on %s', (place) => {
  let home: NodeHome
  let deeds = new Deeds()
  beforeAll(async () => {
    home = await nodeHome(
      place,
      deedTools({ act: (name: string, signal: AbortSignal) => deeds.act(name, signal) } as Deeds),
    )
  })
  afterAll(() => home.close())
  beforeEach(() => {
    home.workflows.clear()
    deeds = new Deeds()
  })
  const claim = (
    name: string,
    script: Parameters<typeof claimOf>[2]['script'] & object,
    body: Parameters<typeof claimOf>[3],
  ) => claimOf(() => home, name, { config: CONFIG, script }, body)
  const resultsOf = async (play: Play) =>
    (await play.messages()).flatMap(({ tool_name: tool, content }) =>
      tool === 'delegate' ? [contentText(content, null)] : [],
    )

  claim(
    'is done step by step in a branch, and what it gives is the result of the call',
    [to('Oslo'), said('Describe Oslo', 'It is cold.'), FINISH],
    async (play, expect) => {
      keepWorkflows(home, {
        inputs: INPUTS,
        steps: [
          { id: 'say', type: 'agent', prompt: 'Describe {{ inputs.city }}' },
          does('act', '{{ steps.say.output }}'),
          { id: 'each', type: 'map', over: '["a", "b"]', steps: [does('one', '{{ item }}')] },
          { id: 'in', type: 'workflow', workflow: 'inner', inputs: { x: '{{ inputs.city }}' } },
        ],
        output: { said: '{{ steps.say.output }}', inner: '{{ steps.in.output }}' },
      })
      keepWorkflows(home, { name: 'inner', steps: [{ id: 'set', type: 'set', values: { x: '{{ inputs.x }}' } }] })
      await play.create()
      expect(await play.send('Travel')).toMatchObject({ status: 'completed', result: 'all done' })
      expect(await tasksOf(play)).toMatchObject([{ worker: 'workflow/flow', status: 'completed' }])
      expect((await resultsOf(play)).join()).toContain('{"said":"It is cold.","inner":{"x":"Oslo"}}')
      expect(deeds.done).toEqual(['It is cold.', 'a', 'b'])
      expect((await play.session()).workflow).toBeUndefined()
    },
  )

  claim(
    'that there is not is refused with the names of those that there are',
    [to('Oslo'), FINISH],
    async (play, expect) => {
      keepWorkflows(home, { name: 'harbour', steps: [does('act')] })
      await play.create()
      await play.send('Travel')
      expect((await resultsOf(play)).join()).toMatch(/no worker "workflow\/flow"[^]*workflow\/harbour/)
    },
  )

  claim(
    'waits for a human and for a time as any other, and goes on after a crash',
    [to('{"city": "Oslo"}'), FINISH],
    async (play, expect) => {
      keepWorkflows(home, {
        inputs: INPUTS,
        steps: [
          { id: 'nap', type: 'wait', for_ms: 3_600_000 },
          { id: 'agree', type: 'wait', approval: 'Go to {{ inputs.city }}?' },
          does('go', '{{ inputs.city }}'),
        ],
      })
      await play.create()
      expect(await play.send('Travel')).toMatchObject({ status: 'interrupted', pending: [] })
      home.kill(play.id)
      await play.session()
      home.advance(3_600_000)
      await play.event('pending')
      expect(await play.pending()).toMatchObject({ type: 'approval', arguments: { approval: 'Go to Oslo?' } })
      home.kill(play.id)
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed' })
      expect(deeds.done).toEqual(['Oslo'])
    },
  )

  claim('that fails is undone, and the agent is told why', [to('Oslo'), to('Rome'), FINISH], async (play, expect) => {
    keepWorkflows(home, {
      inputs: INPUTS,
      steps: [
        does('book', 'book {{ inputs.city }}', { rollback: [does('undo', 'undo {{ inputs.city }}')] }),
        does('pay', 'pay {{ inputs.city }}'),
      ],
    })
    deeds.failures.set('pay Oslo', 1)
    await play.create()
    expect(await play.send('Travel')).toMatchObject({ status: 'completed' })
    expect(deeds.done).toEqual(['book Oslo', 'pay Oslo', 'undo Oslo', 'book Rome', 'pay Rome'])
    expect((await tasksOf(play)).map(({ status }) => status)).toEqual(['failed', 'completed'])
    expect((await resultsOf(play))[0]).toContain('pay Oslo does not work')
  })

  claim(
    'is not begun where there is none of the name, or what it is given does not fit',
    [native('delegate', { task: 'x', to: 'workflow/none' }), to('{"town": 1}'), FINISH],
    async (play, expect) => {
      keepWorkflows(home, { inputs: { ...INPUTS, additionalProperties: false }, steps: [does('a')] })
      await play.create()
      expect(await play.send('Travel')).toMatchObject({ status: 'completed' })
      const [unknown, unfit] = await resultsOf(play)
      expect(unknown).toContain('workflow/none')
      expect(unfit).toContain('inputs.city')
      expect(deeds.done).toEqual([])
    },
  )

  claim(
    'is cancelled with all that it has open, and others go on',
    [
      to('Oslo', { background: true }),
      to('Rome', { background: true }),
      { ...native('cancel_task', { task_id: 'FIRST' }), when: { last_contains: 'is under way' } },
      FINISH,
    ],
    async (play, expect) => {
      keepWorkflows(home, {
        inputs: INPUTS,
        steps: [{ id: 'agree', type: 'wait', approval: 'Go to {{ inputs.city }}?' }],
      })
      await play.create()
      await play.send('Travel')
      const ends = (await play.events()).filter(({ type }) => type === 'task-end')
      expect(ends).toMatchObject([{ task: { status: 'cancelled' } }, { task: { status: 'cancelled' } }])
      expect((await play.session()).pending).toEqual([])
    },
  )

  const duo = (first: string, second: string) => ({
    roles: [
      {
        name: first,
        profile: 'P',
        watch: ['UserRequirement'],
        actions: [{ name: 'A', instruction: `${first} begins` }],
      },
      { name: second, profile: 'Q', watch: ['A'], actions: [{ name: 'B', instruction: `${second} ends` }] },
    ],
  })
  const teamStep = (id: string, team: object) => ({ id, type: 'agent', team, prompt: id })

  claim(
    'has teams that work beside each other and beside one of the agent, in a copy too',
    [
      said('Travel', to('both', { background: true })),
      said('Travel', native('delegate', { task: 'more', to: 'team/software', background: true })),
      said('Travel', native('task_status', { wait: true })),
      said('Travel', FINISH),
      ...['Ann', 'Cid'].map((name) => said(`${name} begins`, `of ${name}`)),
      ...['Bob', 'Dot'].map((name) => said(`${name} ends`, `by ${name}`)),
      ...['Alice', 'Bob, the Architect', 'Charlie'].map((name) => said(`You are ${name}`, 'software')),
    ],
    async (play, expect) => {
      const branches = [[teamStep('a', duo('Ann', 'Bob'))], [teamStep('b', duo('Cid', 'Dot'))]]
      keepWorkflows(home, { steps: [{ id: 'at_once', type: 'parallel', branches }] })
      await play.create()
      expect(await play.send('Travel')).toMatchObject({ status: 'completed', result: 'all done' })
      expect(await tasksOf(play)).toMatchObject([
        { worker: 'workflow/flow', status: 'completed', result: '["by Bob","by Dot"]' },
        { worker: 'team/software', status: 'completed', result: 'software' },
      ])
      const document = await exported(play)
      expect(await sessionIn(await imported(play, document).made)).toMatchObject({ status: 'completed' })
    },
  )

  claim(
    'is done by the team of its own version: that of the run, and in a later run the newest',
    [
      to('x'),
      said('Ann begins', 'of Ann'),
      said('Bob ends', 'by Bob'),
      to('y'),
      said('Ann begins', 'of Ann'),
      said('Bob ends', 'by Bob'),
      FINISH,
      to('z'),
      said('Cid begins', 'of Cid'),
      said('Dot ends', 'by Dot'),
      FINISH,
    ],
    async (play, expect) => {
      keepWorkflows(home, { steps: [teamStep('a', duo('Ann', 'Bob')), { id: 'q', type: 'wait', approval: 'ok?' }] })
      await play.create()
      await play.send('Travel')
      keepWorkflows(home, { steps: [teamStep('a', duo('Cid', 'Dot'))] })
      await play.decide({ decision: 'approve' })
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed' })
      expect(await play.send('Again')).toMatchObject({ status: 'completed' })
      const roles = (await play.messages()).flatMap(({ role, scope }) =>
        role === 'assistant' && scope ? [scope.split('/')[1]] : [],
      )
      expect(roles).toEqual(['Ann', 'Bob', 'Ann', 'Bob', 'Cid', 'Dot'])
    },
  )
})
