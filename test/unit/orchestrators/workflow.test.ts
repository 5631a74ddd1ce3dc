/* oxlint-disable eslint/max-lines, unicorn/no-thenable -- one claim a kind of step; `then` is a field of the format */
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { NewSession } from '../../../src/domain/session-input.ts'
import { skillDefinition } from '../../../src/domain/skill.ts'
import { newState, type SessionState } from '../../../src/domain/state.ts'
import { stepError } from '../../../src/orchestrators/workflow/texts.ts'
import type { WorkflowState } from '../../../src/orchestrators/workflow/state.ts'
import { replay } from '../../../src/run/replay/replay.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { errorOf, type Play } from '../../support/play.ts'
import { calls } from '../../support/scripted-model.ts'
import { claim as claimOf } from '../../support/session-claims/claim.ts'
import { exported } from '../../support/session-claims/documents.ts'
import { Deeds, deedTools, does, endsOf, keepWorkflows } from '../../support/workflows.ts'

const ALLOWED = {
  language: 'en',
  llm: { protocol: 'native' as const },
  tools: { do_it: { permission: 'allow' as const }, look: { permission: 'allow' as const } },
}
const RUN: NewSession = { workflow: 'flow', task: 'go' }
const set = (id: string, values: object, more: object = {}) => ({ id, type: 'set', values, ...more })
const ended = (flow: WorkflowState | undefined, id: string) => flow?.frames['']?.steps[id]

/** From the first event of a type to the first of another. */
async function msBetween(play: Play, from: string, to: string): Promise<number> {
  const events = await play.events()
  const timeOf = (type: string) => Date.parse(events.find((event) => event.type === type)?.time ?? '')
  return timeOf(to) - timeOf(from)
}

/** How often others had a turn since. */
function countTurns() {
  const counted = { turns: 0, stop: () => clearImmediate(next) }
  const count = () => {
    counted.turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  return counted
}

describe.for(['memory', 'sqlite'] as const)('a workflow on %s', (place) => {
  let home: NodeHome
  let deeds = new Deeds()
  const tools = deedTools({
    act: (name: string, signal: AbortSignal) => deeds.act(name, signal),
  } as Deeds)
  const claim: typeof claimOf = (at, name, setting, body) => claimOf(at, name, { config: ALLOWED, ...setting }, body)
  const { engine } = createEngine(
    {},
    {
      publicFetch: () => Promise.reject(new Error('a replay reaches nothing')),
      privateFetch: null,
      models: { secret: () => undefined, workersAi: false },
      workersAi: null,
      runtime: '',
      tools,
    },
  )
  beforeAll(async () => {
    home = await nodeHome(place, tools)
  })
  afterAll(() => home.close())
  beforeEach(() => {
    home.workflows.clear()
    deeds = new Deeds()
  })
  /** Every decision of the log is decided again. */
  const isReplayed = async (play: Play) => {
    const log = await exported(play)
    await engine.orchestrators.load()
    const { config } = await play.session()
    const { unrecorded, differences } = replay(log, { engine, config })
    return { unrecorded, differences }
  }
  const SAME = { unrecorded: 0, differences: [] }

  claim(
    () => home,
    'refuses a message that is to steer it, which no step would hear, and takes one that waits for its end',
    { script: [{ content: 'Bonjour', hold_after: 0 }, 'Again'] },
    async (play, expect) => {
      keepWorkflows(home, { steps: [{ id: 'say', type: 'agent', prompt: 'Say {{ task }}' }] })
      await play.create({ workflow: 'flow' })
      const going = play.send('go')
      await play.asked(1)
      const said = (whenBusy: 'steer' | 'queue') =>
        play.api.addMessage({ content: 'in French' }, { form: 'background', whenBusy })
      expect(await errorOf(said('steer'))).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'when_busy', message: expect.stringContaining('queue') }],
      })
      expect((await said('queue')).ok).toBe(true)
      await play.model.release()
      expect(await going).toMatchObject({ result: expect.stringContaining('Bonjour') })
      await expect.poll(async () => (await play.session()).result).toContain('Again')
    },
  )

  claim(
    () => home,
    'gives what each step gave to those behind it, and the last output is the result',
    { script: ['Bonjour', 'Good.'] },
    async (play, expect) => {
      keepWorkflows(home, {
        inputs: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
        steps: [
          set('about', { words: 'Say {{ task }} in {{ inputs.to }}', list: ['{{ length(inputs.to) }}'] }),
          { id: 'say', type: 'agent', prompt: '{{ steps.about.output.words }}!' },
          does('act', '{{ steps.say.output }}'),
          { id: 'check', type: 'agent', prompt: 'Is "{{ steps.say.output }}" right? {{ steps.act.status }}' },
        ],
        output: {
          said: '{{ steps.say.output }}',
          verdict: 'It is: {{ steps.check.output }}',
          n: '{{ steps.about.output.list[0] }}',
        },
      })
      const session = await play.create({ ...RUN, inputs: { to: 'French' } })
      expect(session).toMatchObject({ status: 'completed', orchestrator: 'workflow', error: null })
      expect(JSON.parse(session.result ?? '')).toEqual({ said: 'Bonjour', verdict: 'It is: Good.', n: 6 })
      const asked = await play.asked()
      expect(asked.map(({ body }) => body.messages.at(-1)?.content)).toEqual([
        'Say go in French!',
        'Is "Bonjour" right? completed',
      ])
      expect(deeds.done).toEqual(['Bonjour'])
      expect(session.workflow?.steps.map(({ step, status }) => `${step} ${status}`)).toEqual([
        'about completed',
        'say completed',
        'act completed',
        'check completed',
      ])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'does the list that its condition or value chooses, and skips what does not hold',
    {},
    async (play, expect) => {
      keepWorkflows(home, {
        steps: [
          set('a', { label: 'bug: crash', n: 3 }),
          { id: 'big', type: 'if', condition: 'steps.a.output.n > 2', then: [does('yes')], else: [does('no')] },
          { id: 'small', type: 'if', condition: 'steps.a.output.n < 2', then: [does('never')] },
          {
            id: 'kind',
            type: 'switch',
            value: 'steps.a.output.label',
            cases: [
              { matches: ['feature*', 'BUG*'], steps: [does('bug')] },
              { equals: 'bug: crash', steps: [does('same')] },
            ],
            default: [does('other')],
          },
          does('skipped', 'skipped', { when: 'steps.no.status == "completed"' }),
          does('last'),
        ],
      })
      const session = await play.create(RUN)
      expect(session).toMatchObject({ status: 'completed', result: 'did last' })
      expect(deeds.done).toEqual(['yes', 'bug', 'last'])
      expect(await endsOf(play)).toEqual([
        'a completed',
        'yes completed',
        'big completed',
        'small completed',
        'bug completed',
        'kind completed',
        'skipped skipped',
        'last completed',
      ])
      const passed = session.workflow?.steps.flatMap(({ step, status }) => (status === 'skipped' ? [step] : []))
      expect(passed).toEqual(['no', 'never', 'same', 'other', 'skipped'])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'goes through a list, in order and in parts, and branches beside each other',
    {
      script: [
        { when: { last_contains: 'Left' }, content: 'L' },
        { when: { last_contains: 'Right' }, content: 'R' },
      ],
    },
    async (play, expect) => {
      keepWorkflows(home, {
        steps: [
          {
            id: 'each',
            type: 'map',
            over: '["a", "b", "c"]',
            concurrency: 2,
            steps: [does('one', '{{ item }}{{ index }}'), set('made', { of: '{{ steps.one.output }}' })],
          },
          {
            id: 'both',
            type: 'parallel',
            branches: [
              [{ id: 'l', type: 'agent', prompt: 'Left' }],
              [{ id: 'r', type: 'agent', prompt: 'Right' }, set('x', { r: '{{ steps.r.output }}' })],
            ],
          },
        ],
        output: ['{{ steps.each.output }}', '{{ steps.both.output }}'],
      })
      const session = await play.create(RUN)
      expect(JSON.parse(session.result ?? '')).toEqual([
        [{ of: 'did a0' }, { of: 'did b1' }, { of: 'did c2' }],
        ['L', { r: 'R' }],
      ])
      expect(deeds.done.toSorted()).toEqual(['a0', 'b1', 'c2'])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'stops, skips or collects what fails in a list',
    {},
    async (play, expect) => {
      const map = (id: string, on_error: string) => ({
        id,
        type: 'map',
        over: '["a", "b", "c"]',
        on_error,
        steps: [does(`do_${id}`, `${id}-{{ item }}`)],
      })
      for (const name of ['skip-b', 'collect-a', 'stop-b']) deeds.failures.set(name, 9)
      keepWorkflows(home, { steps: [map('skip', 'skip'), map('collect', 'collect'), map('stop', 'stop')] })
      const session = await play.create(RUN)
      expect(session).toMatchObject({ status: 'failed', error: { code: 'step_failed' } })
      expect(session.error?.detail).toContain('stop-b does not work')
      const outputs = (await play.events()).flatMap((event) =>
        event.type === 'step-end' && (event.step === 'skip' || event.step === 'collect') ? [event.output] : [],
      )
      expect(outputs).toEqual([
        ['did skip-a', 'did skip-c'],
        {
          results: [null, 'did collect-b', 'did collect-c'],
          errors: [{ index: 0, error: 'collect[0].do_collect: collect-a does not work' }],
        },
      ])
      expect(deeds.done).not.toContain('stop-c')
      expect(session.workflow?.steps.find(({ step }) => step === 'stop')).toMatchObject({
        step: 'stop',
        status: 'failed',
        items: { total: 3, done: 2, failed: 1 },
      })
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'fails a step alone whose prompt does not fit the window of its model',
    { config: { ...ALLOWED, model: 'window-8k' }, script: ['Fine.'] },
    async (play, expect) => {
      const prompt = 'Be exact. '.repeat(4_000)
      await home.putSkill(skillDefinition.parse({ name: 'long', version: '1', description: 'Long', prompt }))
      const write = { id: 'write', type: 'agent', skill: 'long', prompt: 'Write {{ item }}' }
      keepWorkflows(home, {
        steps: [
          { id: 'each', type: 'map', over: '["a"]', on_error: 'collect', steps: [write] },
          { id: 'say', type: 'agent', prompt: 'Say that {{ steps.each.output.errors[0].error }}' },
        ],
      })
      expect(await play.create(RUN)).toMatchObject({ status: 'completed', result: expect.stringContaining('Fine.') })
      const [asked] = await play.asked()
      expect(asked?.body.messages.at(-1)?.content).toMatch(/each\[0\]\.write: .*8000/)
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'tells why the model of a role failed whose team works at a step',
    { script: [{ status: 401, body: '{"error": {"message": "no such key here"}}' }] },
    async (play, expect) => {
      keepWorkflows(home, { steps: [{ id: 'made', type: 'agent', team: 'software', prompt: 'Make it.' }] })
      const session = await play.create(RUN)
      expect(session).toMatchObject({ status: 'failed', error: { code: 'step_failed' } })
      expect(session.error?.detail).toContain('no such key here')
    },
  )

  claim(
    () => home,
    'runs another workflow within a step, with inputs of its own',
    {},
    async (play, expect) => {
      keepWorkflows(
        home,
        {
          steps: [
            { id: 'sub', type: 'workflow', workflow: 'inner', inputs: { who: '{{ task }}' } },
            {
              id: 'each',
              type: 'map',
              over: '[1, 2]',
              steps: [{ id: 'in', type: 'workflow', workflow: 'inner', inputs: { who: 'n{{ item }}' } }],
            },
          ],
          output: ['{{ steps.sub.output }}', '{{ steps.each.output }}'],
        },
        { name: 'inner', steps: [does('act', '{{ inputs.who }}')], output: 'done: {{ steps.act.output }}' },
      )
      const session = await play.create(RUN)
      expect(JSON.parse(session.result ?? '')).toEqual(['done: did go', ['done: did n1', 'done: did n2']])
      expect((await endsOf(play)).slice(0, 2)).toEqual(['sub.act completed', 'sub completed'])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'gives another workflow no inputs that do not fit it; one that stands for nothing may be left out',
    {},
    async (play, expect) => {
      const inner = (id: string, inputs: object) => ({ id, type: 'workflow', workflow: 'inner', inputs })
      keepWorkflows(
        home,
        { steps: [inner('good', { who: 'a', times: '{{ inputs.none }}' }), inner('bad', { who: 'b', times: 'x' })] },
        {
          name: 'inner',
          inputs: {
            type: 'object',
            properties: { who: { type: 'string' }, times: { type: 'integer' } },
            required: ['who'],
          },
          steps: [does('act', '{{ inputs.who }}')],
        },
      )
      const session = await play.create(RUN)
      expect(session).toMatchObject({ status: 'failed', error: { code: 'step_failed' } })
      expect(session.error?.detail).toMatch(/^bad: The inputs do not fit the workflow: inputs\.times/)
      expect(deeds.done).toEqual(['a'])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'tries again what failed, after its wait, and gives up in the end',
    {},
    async (play, expect) => {
      deeds.failures.set('twice', 2)
      deeds.failures.set('always', 9)
      const retry = { times: 2, delay_ms: 60_000, backoff: 2 }
      keepWorkflows(home, {
        steps: [does('twice', 'twice', { retry }), does('always', 'always', { retry: { times: 1 } })],
      })
      const first = await play.create(RUN)
      expect(first).toMatchObject({ status: 'interrupted', finish_reason: 'waiting_feedback', pending: [] })
      expect(deeds.done).toEqual(['twice'])
      expect(await errorOf(play.api.addMessage({ content: 'hello' }, { form: 'wait' }))).toMatchObject({
        code: 'run_in_progress',
      })
      home.advance(60_000)
      const pauses = async () => (await play.events()).filter(({ type }) => type === 'run-pause').length
      await play.event('run-pause', (await play.events()).findLast(({ type }) => type === 'step-due')?.seq ?? 0)
      expect(deeds.done).toEqual(['twice', 'twice'])
      expect(await pauses()).toBe(2)
      home.advance(120_000)
      expect(await play.event('run-end')).toMatchObject({ status: 'failed', error: { code: 'step_failed' } })
      expect(deeds.done).toEqual(['twice', 'twice', 'twice', 'always', 'always'])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'ends a step whose time is over, and what it has under way',
    { script: [{ hang: true }] },
    async (play, expect) => {
      keepWorkflows(home, { steps: [{ id: 'slow', type: 'agent', prompt: 'Take your time', timeout_ms: 10_000 }] })
      await play.create(RUN, { form: 'background' })
      await play.asked(1)
      home.advance(10_000)
      expect(await play.event('run-end')).toMatchObject({ status: 'failed' })
      expect((await play.session()).error?.detail).toContain('slow: timeout_ms')
    },
  )

  claim(
    () => home,
    'ends a step at its time, and does not leave that to the alarm that guards the run',
    {},
    async (play, expect) => {
      deeds.hanging.add('hang')
      keepWorkflows(home, { steps: [does('a', 'hang', { timeout_ms: 50 })] })
      expect(await play.create(RUN)).toMatchObject({ status: 'failed' })
      expect(await msBetween(play, 'step-start', 'run-end')).toBeLessThan(LIMITS.run.guardMs)
      expect((await play.session()).error?.detail).toContain('a: timeout_ms')
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'is told of a time that is over, and of one in which nobody answered, while other steps go on',
    {},
    async (play, expect) => {
      deeds.hanging.add('hang')
      const timer = [{ id: 'pause', type: 'wait', for_ms: 50 }, does('after_pause')]
      const question = { id: 'ask', type: 'wait', approval: 'Go on?', deadline_ms: 50, default: { approved: false } }
      const branches = [[does('a', 'hang', { timeout_ms: 500 })], timer, [question, does('after_ask')]]
      keepWorkflows(home, { steps: [{ id: 'both', type: 'parallel', branches }] })
      expect(await play.create(RUN)).toMatchObject({ status: 'failed' })
      expect(deeds.done.toSorted()).toEqual(['after_ask', 'after_pause', 'hang'])
      expect(await msBetween(play, 'step-start', 'run-end')).toBeLessThan(LIMITS.run.guardMs)
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'tries no step again that cut a call which may have taken effect',
    {},
    async (play, expect) => {
      deeds.hanging.add('hang')
      deeds.failures.set('bad', 9)
      const branches = [[does('l', 'hang')], [does('r', 'bad', { depends_on: [] })]]
      const both = { id: 'both', type: 'parallel', branches, retry: { times: 3 } }
      keepWorkflows(home, { steps: [both] })
      expect(await play.create(RUN)).toMatchObject({ status: 'failed' })
      expect(deeds.done.toSorted()).toEqual(['bad', 'hang'])
    },
  )

  claim(
    () => home,
    'tries no step again in which somebody said no',
    { config: { ...ALLOWED, tools: {} } },
    async (play, expect) => {
      const gate = { id: 'gate', type: 'if', condition: 'true', then: [does('a')], retry: { times: 3 } }
      keepWorkflows(home, { steps: [gate] })
      expect(await play.create(RUN)).toMatchObject({ status: 'interrupted' })
      expect(await play.decide({ decision: 'reject' })).toMatchObject({ status: 'failed' })
      expect(deeds.done).toEqual([])
    },
  )

  claim(
    () => home,
    'does not count to the time of a step how long somebody is asked in it',
    { config: { ...ALLOWED, tools: {} } },
    async (play, expect) => {
      deeds.hanging.add('slow')
      const gate = { id: 'gate', type: 'if', condition: 'true', then: [does('a')], timeout_ms: 10_000 }
      keepWorkflows(home, { steps: [gate, does('b', 'slow', { timeout_ms: 10_000 })] })
      expect(await play.create(RUN)).toMatchObject({ status: 'interrupted' })
      home.advance(60_000)
      home.kill(play.id)
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'interrupted' })
      expect(deeds.done).toEqual(['a'])
      home.advance(60_000)
      const begun = deeds.begun('slow')
      const [asked] = (await play.session()).pending
      await play.api.decide(asked?.id ?? '', { decision: 'approve' }, { form: 'background' })
      await begun
      home.advance(10_000)
      expect(await play.event('run-end')).toMatchObject({ status: 'failed' })
      expect((await play.session()).error?.detail).toContain('b: timeout_ms')
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'undoes what was done, the last first, when a step fails for good',
    {},
    async (play, expect) => {
      deeds.failures.set('c', 1)
      deeds.failures.set('undo b', 1)
      const undo = (name: string) => ({ rollback: [does(`undo_${name}`, `undo ${name}`)] })
      keepWorkflows(home, {
        steps: [
          does('a', 'a', undo('a')),
          { id: 'gate', type: 'if', condition: 'true', then: [does('b', 'b', undo('b'))] },
          does('plain'),
          does('c', 'c', undo('c')),
          does('never'),
        ],
      })
      const session = await play.create(RUN)
      expect(session).toMatchObject({
        status: 'failed',
        error: { code: 'step_failed' },
        workflow: { stage: 'rolled_back' },
      })
      expect(session.error?.detail).toMatch(/Not undone: b\.$/)
      expect(session.error?.hint).toContain('send a message')
      const undone = session.workflow?.steps.flatMap(({ step, rollback }) => (rollback ? [`${step} ${rollback}`] : []))
      expect(undone).toEqual(['a done', 'b failed'])
      const undoing = session.workflow?.steps.flatMap(({ step, undoes, parent, status }) =>
        undoes === undefined ? [] : [[step, undoes, parent, status]],
      )
      expect(undoing).toEqual([
        ['undo_a', 'a', 'a', 'completed'],
        ['undo_b', 'b', 'b', 'failed'],
      ])
      expect(session.error?.detail).toContain('c: c does not work')
      expect(deeds.done).toEqual(['a', 'b', 'plain', 'c', 'undo b', 'undo a'])
      const ends = (await play.events()).flatMap((event) =>
        event.type === 'rollback-end' ? [[event.step, event.ok]] : [],
      )
      expect(ends).toEqual([
        ['b', false],
        ['a', true],
      ])
      expect(await errorOf(play.api.continue({}, { form: 'wait' }))).toMatchObject({
        code: 'nothing_to_continue',
        status: 'rolled_back',
      })
      expect(deeds.done).toHaveLength(6)
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'undoes what was done within a step before that is tried again',
    {},
    async (play, expect) => {
      deeds.failures.set('b', 1)
      const undo = (name: string) => ({ rollback: [does(`undo_${name}`, `undo ${name}: {{ error }}`)] })
      const each = { id: 'each', type: 'map', over: '[1]', steps: [does('in', 'in', undo('in'))] }
      const gate = { type: 'if', condition: 'true', then: [does('a', 'a', undo('a')), each, does('b')] }
      keepWorkflows(home, {
        steps: [does('first', 'first', undo('first')), { id: 'gate', ...gate, retry: { times: 1 } }],
      })
      expect(await play.create(RUN)).toMatchObject({ status: 'completed' })
      const undone = ['undo in: b: b does not work', 'undo a: b: b does not work']
      expect(deeds.done).toEqual(['first', 'a', 'in', 'b', ...undone, 'a', 'in', 'b'])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'does not try a step again of which something could not be undone, nor one around it',
    {},
    async (play, expect) => {
      deeds.failures.set('b', 1)
      deeds.failures.set('undo a', 1)
      const undo = (name: string) => ({ rollback: [does(`undo_${name}`, `undo ${name}`)] })
      const gate = { type: 'if', condition: 'true', then: [does('a', 'a', undo('a')), does('b')], retry: { times: 2 } }
      const around = { type: 'if', condition: 'true', then: [{ id: 'gate', ...gate }], retry: { times: 2 } }
      keepWorkflows(home, { steps: [does('first', 'first', undo('first')), { id: 'around', ...around }] })
      const session = await play.create(RUN)
      expect(session).toMatchObject({ status: 'failed', workflow: { stage: 'rolled_back' } })
      expect(session.error?.detail).toMatch(/b does not work.*was not tried again.*Not undone: a\.$/)
      expect(deeds.done).toEqual(['first', 'a', 'b', 'undo a', 'undo first'])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'that failed goes on with the step that did, when it is carried on',
    {},
    async (play, expect) => {
      deeds.failures.set('b', 1)
      deeds.failures.set('item 2', 1)
      keepWorkflows(home, {
        steps: [
          does('a'),
          { id: 'gate', type: 'if', condition: 'true', then: [does('in'), does('b')] },
          { id: 'each', type: 'map', over: '[1, 2, 3]', steps: [does('one', 'item {{ item }}')] },
        ],
      })
      expect(await play.create(RUN)).toMatchObject({ status: 'failed' })
      expect(deeds.done).toEqual(['a', 'in', 'b'])
      expect(await play.carryOn()).toMatchObject({ status: 'failed' })
      expect(deeds.done).toEqual(['a', 'in', 'b', 'b', 'item 1', 'item 2'])
      expect(await play.carryOn()).toMatchObject({ status: 'completed' })
      expect(deeds.done).toEqual(['a', 'in', 'b', 'b', 'item 1', 'item 2', 'item 2', 'item 3'])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'waits for a time, an approval, an answer and a signal',
    {},
    async (play, expect) => {
      keepWorkflows(home, {
        steps: [
          { id: 'nap', type: 'wait', for_ms: 3_600_000 },
          { id: 'agree', type: 'wait', approval: 'Send {{ task }}?' },
          {
            id: 'form',
            type: 'wait',
            question: {
              text: 'How many?',
              form: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
            },
          },
          { id: 'paid', type: 'wait', signal: 'order-{{ steps.form.output.n }}' },
        ],
        output: '{{ steps.form.output.n }} {{ steps.paid.output.by }} {{ steps.agree.output.approved }}',
      })
      expect(await play.create(RUN)).toMatchObject({ status: 'interrupted', pending: [] })
      home.advance(3_600_000)
      await play.event('pending')
      expect(await play.pending()).toMatchObject({
        type: 'approval',
        tool: 'workflow',
        arguments: { step: 'agree', approval: 'Send go?' },
      })
      expect(
        await errorOf(
          play.api.decide(
            (await play.pending()).id,
            { decision: 'approve', arguments: { step: 'x' } },
            { form: 'wait' },
          ),
        ),
      ).toMatchObject({ code: 'invalid_input' })
      await play.decide({ decision: 'approve' })
      expect((await play.pending()).question).toContain('How many?')
      const unfit = play.api.decide((await play.pending()).id, { decision: 'answer', answer: 'many' }, { form: 'wait' })
      expect(await errorOf(unfit)).toMatchObject({ issues: [{ path: 'answer' }] })
      await play.send('many')
      expect((await play.pending()).question).toContain('How many?')
      await play.decide({ decision: 'answer', answer: '{"n": 4}' })
      expect(await play.pending()).toMatchObject({ type: 'tool_call', arguments: { signal: 'order-4' } })
      await play.decide({ result: { by: 'card' } })
      expect(await play.session()).toMatchObject({ status: 'completed', result: '4 card true' })
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'fails where a human says no, and tries that never again',
    {},
    async (play, expect) => {
      keepWorkflows(home, {
        steps: [
          does('a', 'a', { rollback: [does('undo', 'undo')] }),
          { id: 'agree', type: 'wait', approval: 'Go on?', retry: { times: 3 } },
        ],
      })
      await play.create(RUN)
      expect(await play.decide({ decision: 'reject', feedback: 'Too early' })).toMatchObject({ status: 'failed' })
      expect((await play.session()).error?.detail).toContain('agree: Too early')
      expect(deeds.done).toEqual(['a', 'undo'])
    },
  )

  claim(
    () => home,
    'asks before a call that nobody allowed, and makes it once',
    {},
    async (play, expect) => {
      keepWorkflows(home, { steps: [does('pay', 'pay 5')] })
      expect(await play.create({ ...RUN, config: { tools: {} } })).toMatchObject({ status: 'interrupted' })
      expect(deeds.done).toEqual([])
      expect(await play.pending()).toMatchObject({ type: 'approval', tool: 'do_it', arguments: { name: 'pay 5' } })
      expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed', result: 'did pay 5' })
      expect(deeds.done).toEqual(['pay 5'])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'holds an answer to its schema, and asks again',
    { script: ['no JSON', '{"score": 8}'] },
    async (play, expect) => {
      const output = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] }
      keepWorkflows(home, {
        steps: [
          { id: 'rate', type: 'agent', prompt: 'Rate it', output },
          set('good', { is: '{{ steps.rate.output.score > 7 }}' }),
        ],
      })
      expect(await play.create(RUN)).toMatchObject({ status: 'completed', result: '{"is":true}' })
    },
  )

  claim(
    () => home,
    'has a skill do a step with its inputs, a plan, and an agent with tools',
    {
      script: [
        { when: { contains: 'Klingon' }, content: 'nuqneH' },
        { when: { last_contains: 'Use it' }, ...calls('look', { name: 'looked' }) },
        { when: { last_contains: 'did looked' }, content: 'I looked' },
        { when: { contains: '"plan"' }, content: '{"plan": []}' },
        'planned',
      ],
    },
    async (play, expect) => {
      keepWorkflows(home, {
        steps: [
          { id: 'say', type: 'agent', skill: 'translate', inputs: { target_language: 'Klingon', text: 'Hello' } },
          { id: 'use', type: 'agent', prompt: 'Use it', tools: ['look'] },
          { id: 'plan', type: 'agent', prompt: 'A big thing', plan: true },
        ],
        output: ['{{ steps.say.output }}', '{{ steps.use.output }}', '{{ steps.plan.output }}'],
      })
      const session = await play.create(RUN)
      expect(session.error).toBeNull()
      expect(JSON.parse(session.result ?? '')).toEqual(['nuqneH', 'I looked', 'planned'])
      expect(deeds.done).toEqual(['looked'])
      expect(await isReplayed(play)).toEqual(SAME)
    },
  )

  claim(
    () => home,
    'goes on with steps that call no model when its request has made all its calls',
    { script: ['one', 'two'] },
    async (play, expect) => {
      const limits = { max_iterations: 1 }
      keepWorkflows(home, {
        steps: [
          { id: 'a', type: 'agent', prompt: 'A' },
          set('b', { is: '{{ steps.a.output }}' }),
          does('c', '{{ steps.b.output.is }}'),
          { id: 'd', type: 'agent', prompt: 'D' },
        ],
      })
      expect(await play.create({ ...RUN, config: { limits } })).toMatchObject({ status: 'in_progress' })
      expect(deeds.done).toEqual(['one'])
      expect(await play.carryOn()).toMatchObject({ status: 'completed', result: 'two' })
    },
  )

  claim(
    () => home,
    'does what takes no time in pieces, between which others have a turn',
    { script: [] },
    async (play, expect) => {
      const items = Array.from({ length: 1_000 }, (_, index) => index)
      const one = set('one', { is: '{{ item }}' })
      keepWorkflows(home, { steps: [{ id: 'each', type: 'map', over: 'inputs.items', steps: [one] }] })
      const others = countTurns()
      const { status, last_seq: seq } = await play.create({ ...RUN, inputs: { items } })
      others.stop()
      expect(status).toBe('completed')
      expect(others.turns).toBeGreaterThanOrEqual(Math.floor(seq / (LIMITS.run.eventsTogetherMax + 2)))
    },
  )

  claim(
    () => home,
    'has a state that an event leaves as it is where it changes nothing, so that no event costs more the more steps there are',
    { script: ['One', 'Two'] },
    async (play, expect) => {
      const say = (id: string) => ({ id, type: 'agent', prompt: 'Say {{ task }}' })
      keepWorkflows(home, { steps: [say('a'), say('b'), set('c', { is: 1 })] })
      await play.create(RUN)
      const { events } = await exported(play)
      await engine.orchestrators.load()
      const flowOf = ({ run }: SessionState) => run?.scopes['']?.workflow
      const changed: string[] = []
      let state = newState(0)
      for (const event of events) {
        const before = structuredClone(state)
        const after = engine.orchestrators.reduce(state, [event])
        expect(state).toEqual(before)
        const [had, has] = [flowOf(state), flowOf(after)]
        if (has !== had) changed.push(event.type)
        expect(!had || has?.shapes === had.shapes).toBe(true)
        expect(event.type !== 'step-start' || event.step === 'a' || ended(has, 'a') === ended(had, 'a')).toBe(true)
        state = after
      }
      const ofStep = ['step-start', 'tool-start', 'tool-end', 'step-end']
      expect(new Set(changed)).toEqual(new Set(['workflow-start', ...ofStep.filter((type) => changed.includes(type))]))
    },
  )

  describe('whose process dies', () => {
    const STEPS: Record<
      string,
      {
        step: object
        ends: string
        done: string[]
      }
    > = {
      'a tool that may be called again': {
        step: { ...does('x', 'hang'), tool: 'look' },
        ends: 'completed',
        done: ['hang', 'hang', 'after'],
      },
      'a tool that may not': {
        step: does('x', 'hang', { retry: { times: 3 } }),
        ends: 'failed',
        done: ['hang'],
      },
      'a list': {
        step: { id: 'x', type: 'map', over: '[1]', steps: [{ ...does('in', 'hang'), tool: 'look' }] },
        ends: 'completed',
        done: ['hang', 'hang', 'after'],
      },
      'a condition': {
        step: {
          id: 'x',
          type: 'if',
          condition: 'true',
          then: [does('first'), { ...does('in', 'hang'), tool: 'look' }],
        },
        ends: 'completed',
        done: ['first', 'hang', 'hang', 'after'],
      },
      'a choice': {
        step: {
          id: 'x',
          type: 'switch',
          value: '1',
          cases: [{ equals: 1, steps: [{ ...does('in', 'hang'), tool: 'look' }] }],
        },
        ends: 'completed',
        done: ['hang', 'hang', 'after'],
      },
      branches: {
        step: {
          id: 'x',
          type: 'parallel',
          branches: [[set('l', {})], [{ ...does('in', 'hang'), tool: 'look' }]],
        },
        ends: 'completed',
        done: ['hang', 'hang', 'after'],
      },
      'a workflow within it': {
        step: { id: 'x', type: 'workflow', workflow: 'inner' },
        ends: 'completed',
        done: ['hang', 'hang', 'after'],
      },
      'a call that may not be made again, in a step that may be tried again': {
        step: { id: 'x', type: 'if', condition: 'true', retry: { times: 3 }, then: [does('in', 'hang')] },
        ends: 'failed',
        done: ['hang'],
      },
      'a step that is undone': {
        step: {
          id: 'x',
          type: 'if',
          condition: 'true',
          then: [does('a', 'a', { rollback: [{ ...does('in', 'hang'), tool: 'look' }] }), does('bad')],
        },
        ends: 'failed',
        done: ['a', 'bad', 'hang', 'hang'],
      },
    }
    for (const [name, { step, ends, done }] of Object.entries(STEPS)) {
      claim(
        () => home,
        `at ${name}, does nothing twice that must not be`,
        {},
        async (play, expect) => {
          deeds.hanging.add('hang')
          deeds.failures.set('bad', 9)
          keepWorkflows(
            home,
            { steps: [does('before', 'before'), step, does('after')] },
            { name: 'inner', steps: [{ ...does('in', 'hang'), tool: 'look' }] },
          )
          const begun = deeds.begun('hang')
          await play.create(RUN, { form: 'background' })
          await begun
          home.kill(play.id)
          deeds.hanging.clear()
          await play.session()
          expect(await play.event('run-end')).toMatchObject({ status: ends })
          expect(deeds.done).toEqual(['before', ...done])
          expect(await isReplayed(play)).toEqual(SAME)
        },
      )
    }

    claim(
      () => home,
      'at an agent, asks its model again',
      { script: ['one', { hang: true }, 'two'] },
      async (play, expect) => {
        keepWorkflows(home, {
          steps: [
            { id: 'a', type: 'agent', prompt: 'A' },
            { id: 'b', type: 'agent', prompt: 'B {{ steps.a.output }}' },
          ],
        })
        await play.create(RUN, { form: 'background' })
        await play.asked(2)
        home.kill(play.id)
        await play.session()
        expect(await play.event('run-end')).toMatchObject({ status: 'completed', result: 'two' })
        expect((await play.asked()).map(({ body }) => body.messages.at(-1)?.content)).toEqual(['A', 'B one', 'B one'])
      },
    )

    claim(
      () => home,
      'while it waits, goes on when its time comes or somebody agrees',
      {},
      async (play, expect) => {
        keepWorkflows(home, {
          steps: [
            { id: 'nap', type: 'wait', for_ms: 60_000 },
            { id: 'agree', type: 'wait', approval: 'Go on?' },
            does('after'),
          ],
        })
        await play.create(RUN)
        home.kill(play.id)
        await play.session()
        home.advance(60_000)
        await play.event('pending')
        home.kill(play.id)
        expect(await play.decide({ decision: 'approve' })).toMatchObject({ status: 'completed' })
        expect(deeds.done).toEqual(['after'])
      },
    )
  })

  claim(
    () => home,
    'that is cancelled has nothing open',
    { script: [{ hang: true }] },
    async (play, expect) => {
      keepWorkflows(home, {
        steps: [does('a', 'a', { rollback: [does('undo', 'undo')] }), { id: 'slow', type: 'agent', prompt: 'Wait' }],
      })
      await play.create(RUN, { form: 'background' })
      await play.asked(1)
      expect(await play.cancel()).toMatchObject({ status: 'cancelled', result: null })
      expect((await play.session()).workflow?.steps.map(({ status }) => status)).toEqual(['completed', 'cancelled'])
      expect(deeds.done).toEqual(['a'])
    },
  )

  claim(
    () => home,
    'goes by the version that its session was made with, each time',
    {},
    async (play, expect) => {
      keepWorkflows(home, { steps: [does('old', 'old {{ task }}')] })
      await play.create(RUN)
      keepWorkflows(home, { steps: [does('new', 'new {{ task }}')] })
      expect((await play.send('again')).status).toBe('completed')
      expect(deeds.done).toEqual(['old go', 'old again'])
    },
  )

  claim(
    () => home,
    'refuses inputs that do not fit, and names the field',
    {},
    async (play, expect) => {
      keepWorkflows(home, {
        inputs: {
          type: 'object',
          properties: { n: { type: 'integer' }, name: { type: 'string' } },
          required: ['n'],
        },
        steps: [does('a', '{{ inputs.name }}')],
      })
      const make = (input: NewSession) => errorOf(play.api.create(play.id, 'default', input, { form: 'wait' }))
      expect(await make({ workflow: 'flow', task: 'x', inputs: { n: 'one' } })).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'inputs.n' }],
      })
      expect(await make({ workflow: 'no', task: 'x' })).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'workflow' }],
      })
      expect(await make({ orchestrator: 'workflow', task: 'x' })).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'workflow' }],
      })
      expect(await make({ inputs: {}, task: 'x' })).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'inputs' }],
      })
      expect(await play.create({ ...RUN, inputs: { n: 1 } })).toMatchObject({
        status: 'failed',
        error: { code: 'step_failed' },
      })
      expect((await play.session()).error?.detail).toContain('a: The arguments do not fit the tool: name')
    },
  )
})

test('what a validator says of a step is told in words of the session', ({ expect }) => {
  const said =
    'n: Instance type "string" is invalid. Expected "integer"; #: Instance does not have required property "b".'
  expect(stepError('zh-CN', 'output_invalid', said).message).toBe(
    '输出不符合 output 中的 JSON Schema：n: 应为整数，而不是文本; 缺少 b',
  )
  expect(stepError('en', 'bad_arguments', said).message).toBe(
    'The arguments do not fit the tool: n: it has to be a whole number, but is text; b is missing',
  )
})
