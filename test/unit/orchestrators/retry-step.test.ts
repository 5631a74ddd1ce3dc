/* oxlint-disable unicorn/no-thenable -- `then` is a field of the format */
import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import type { NewSession } from '../../../src/domain/session-input.ts'
import type { CallOptions } from '../../../src/session/call.ts'
import { replay } from '../../../src/run/replay/replay.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { type NodeHome, nodeHome } from '../../support/node-home.ts'
import { errorOf, type Play, responseOf } from '../../support/play.ts'
import { claim as claimOf } from '../../support/session-claims/claim.ts'
import { exported } from '../../support/session-claims/documents.ts'
import { Deeds, deedTools, does, keepWorkflows } from '../../support/workflows.ts'

const ALLOWED = {
  language: 'en',
  llm: { protocol: 'native' as const },
  tools: { do_it: { permission: 'allow' as const }, look: { permission: 'allow' as const } },
}
const RUN: NewSession = { workflow: 'flow', task: 'go' }
const SAME = { unrecorded: 0, differences: [] }

describe.for(['memory', 'sqlite'] as const)('a step of a workflow that is retried, on %s', (place) => {
  let home: NodeHome
  let deeds = new Deeds()
  const tools = deedTools({ act: (name: string, signal: AbortSignal) => deeds.act(name, signal) } as Deeds)
  const claim = (name: string, setting: object, body: Parameters<typeof claimOf>[3]) =>
    claimOf(() => home, name, { config: ALLOWED, ...setting }, body)
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
  const retry = async (play: Play, step: string, options: CallOptions = { form: 'wait' }) =>
    responseOf(await play.api.retryStep(step, options))
  const refusal = (play: Play, step: string) => errorOf(play.api.retryStep(step, { form: 'wait' }))
  /** Every decision of the log is decided again. */
  const replayed = async (play: Play) => {
    const log = await exported(play)
    await engine.orchestrators.load()
    const { unrecorded, differences } = replay(log, { engine, config: (await play.session()).config })
    return { unrecorded, differences }
  }

  claim('goes on from there, and keeps what was done before', {}, async (play, expect) => {
    deeds.failures.set('b', 1)
    keepWorkflows(home, { steps: [does('a'), does('b'), does('c', 'c {{ steps.b.output }}')] })
    expect(await play.create(RUN)).toMatchObject({ status: 'failed' })
    expect(await retry(play, 'b')).toMatchObject({ status: 'completed', result: 'did c did b' })
    expect(deeds.done).toEqual(['a', 'b', 'b', 'c did b'])
    expect(await replayed(play)).toEqual(SAME)
  })

  claim('that is done is done anew with all that goes by it, and nothing else', {}, async (play, expect) => {
    keepWorkflows(home, {
      steps: [
        does('a'),
        does('other', 'other', { depends_on: [] }),
        {
          id: 'gate',
          type: 'if',
          condition: 'true',
          depends_on: ['a'],
          then: [does('first'), does('second', '2 {{ steps.first.output }}')],
        },
        does('last', 'last {{ steps.gate.output }} {{ steps.other.output }}', { depends_on: ['gate', 'other'] }),
      ],
    })
    expect(await play.create(RUN)).toMatchObject({ status: 'completed' })
    const before = deeds.done.length
    expect(before).toBe(5)
    expect(await retry(play, 'second')).toMatchObject({ status: 'completed' })
    expect(deeds.done.slice(before)).toEqual(['2 did first', 'last did 2 did first did other'])
    expect((await play.session()).workflow?.steps.map(({ status }) => status)).toEqual(Array(6).fill('completed'))
    expect(await replayed(play)).toEqual(SAME)
  })

  claim('within an item or a workflow opens what is around it', {}, async (play, expect) => {
    deeds.failures.set('two 2', 1)
    keepWorkflows(
      home,
      {
        steps: [
          {
            id: 'each',
            type: 'map',
            over: '[1, 2, 3]',
            steps: [
              does('one', 'one {{ item }}'),
              { id: 'in', type: 'workflow', workflow: 'inner', inputs: { n: '{{ item }}' } },
            ],
          },
          does('after'),
        ],
      },
      { name: 'inner', steps: [does('two', 'two {{ inputs.n }}')] },
    )
    expect(await play.create(RUN)).toMatchObject({ status: 'failed' })
    expect(await retry(play, 'each[1].in.two')).toMatchObject({ status: 'completed' })
    expect(deeds.done).toEqual(['one 1', 'two 1', 'one 2', 'two 2', 'two 2', 'one 3', 'two 3', 'after'])
    expect(await replayed(play)).toEqual(SAME)
  })

  claim('may be an item of a list that is done', {}, async (play, expect) => {
    deeds.failures.set('item 2', 1)
    keepWorkflows(home, {
      steps: [
        { id: 'each', type: 'map', over: '[1, 2]', on_error: 'collect', steps: [does('one', 'item {{ item }}')] },
        does('after', '{{ length(steps.each.output.errors) }} wrong'),
      ],
    })
    expect(await play.create(RUN)).toMatchObject({ status: 'completed', result: 'did 1 wrong' })
    expect(await retry(play, 'each[1]')).toMatchObject({ status: 'completed', result: 'did 0 wrong' })
    expect(deeds.done).toEqual(['item 1', 'item 2', '1 wrong', 'item 2', '0 wrong'])
    expect(await replayed(play)).toEqual(SAME)
  })

  claim('goes by the version that its run began with', {}, async (play, expect) => {
    deeds.failures.set('old', 1)
    keepWorkflows(home, { steps: [does('a', 'old')] })
    await play.create(RUN)
    keepWorkflows(home, { steps: [does('a', 'new')] })
    expect(await retry(play, 'a')).toMatchObject({ status: 'completed', result: 'did old' })
  })

  claim('is retried once under one key', {}, async (play, expect) => {
    deeds.failures.set('a', 1)
    keepWorkflows(home, { steps: [does('a')] })
    await play.create(RUN)
    const options = { form: 'wait', key: 'once', fingerprint: 'f' } as const
    const first = await retry(play, 'a', options)
    expect(await retry(play, 'a', options)).toEqual(first)
    expect(deeds.done).toEqual(['a', 'a'])
  })

  claim('does nothing twice though its process dies', {}, async (play, expect) => {
    deeds.failures.set('b', 1)
    keepWorkflows(home, { steps: [does('a'), does('b'), { ...does('c', 'hang'), tool: 'look' }, does('d')] })
    deeds.hanging.add('hang')
    await play.create(RUN)
    const begun = deeds.begun('hang')
    await play.api.retryStep('b', { form: 'background', key: 'once', fingerprint: 'f' })
    await begun
    home.kill(play.id)
    deeds.hanging.clear()
    await play.session()
    const { seq } = (await play.events()).findLast(({ type }) => type === 'step-redo') ?? { seq: 0 }
    expect(await play.event('run-end', seq)).toMatchObject({ status: 'completed' })
    await play.api.retryStep('b', { form: 'wait', key: 'once', fingerprint: 'f' })
    expect(deeds.done).toEqual(['a', 'b', 'b', 'hang', 'hang', 'd'])
    expect(await replayed(play)).toEqual(SAME)
  })

  claim('is undone once more where a later one fails', {}, async (play, expect) => {
    const undo = (name: string) => ({ rollback: [does(`undo_${name}`, `undo ${name}`)] })
    keepWorkflows(home, { steps: [does('a', 'a', undo('a')), does('b', 'b', undo('b')), does('c')] })
    expect(await play.create(RUN)).toMatchObject({ status: 'completed' })
    deeds.failures.set('c', 1)
    expect(await retry(play, 'b')).toMatchObject({ status: 'failed' })
    expect(deeds.done).toEqual(['a', 'b', 'c', 'b', 'c', 'undo b', 'undo a'])
    expect(await refusal(play, 'b')).toEqual({ code: 'nothing_to_continue', status: 'rolled_back', step: 'b' })
    expect(await replayed(play)).toEqual(SAME)
  })

  claim('is refused where it has not ended, is none, or the run goes on', {}, async (play, expect) => {
    deeds.failures.set('a', 1)
    keepWorkflows(home, {
      steps: [does('a'), does('b', 'b', { rollback: [does('undo')] }), { id: 'ask', type: 'wait', approval: 'Well?' }],
    })
    await play.create(RUN)
    expect(await refusal(play, 'b')).toEqual({ code: 'nothing_to_continue', status: 'pending', step: 'b' })
    for (const none of ['x', 'a[0]', 'a.b', '', '__proto__'])
      expect(await refusal(play, none)).toMatchObject({ code: 'not_found' })
    expect(await retry(play, 'a')).toMatchObject({ status: 'interrupted' })
    expect(await refusal(play, 'a')).toMatchObject({ code: 'run_in_progress' })
    expect(deeds.done).toEqual(['a', 'a', 'b'])
  })

  claim('is none in a session that goes by no workflow', { script: ['hello'] }, async (play, expect) => {
    await play.create({ task: 'hi' })
    expect(await refusal(play, 'a')).toMatchObject({ code: 'not_found' })
  })

  claim('begins anew where it was cut beside the one that failed', {}, async (play, expect) => {
    deeds.hanging.add('slow')
    deeds.failures.set('bad', 1)
    const slow = { ...does('slow'), tool: 'look' }
    keepWorkflows(home, {
      steps: [
        { id: 'both', type: 'parallel', branches: [[slow], [{ ...does('wait', 'wait'), tool: 'look' }, does('bad')]] },
      ],
    })
    expect(await play.create(RUN)).toMatchObject({ status: 'failed' })
    deeds.hanging.clear()
    const shown = (await play.session()).workflow?.steps.find(({ step }) => step === 'slow')
    expect(shown).toMatchObject({ status: 'cancelled' })
    expect(await retry(play, 'bad')).toMatchObject({ status: 'completed', result: '["did slow","did bad"]' })
    expect(deeds.done.toSorted()).toEqual(['bad', 'bad', 'slow', 'slow', 'wait'])
    expect(await replayed(play)).toEqual(SAME)
  })
})
