import { describe, test } from 'vitest'
import type { Problem } from '../../../src/domain/event.ts'
import type { RunView } from '../../../src/engine/move.ts'
import {
  APPROVED,
  ASSIGNMENT,
  decide,
  openCall,
  LAST,
  model,
  failure,
  noTool,
  callModel,
  callTool,
  ask,
  refuse,
  failed,
  completed,
  warn,
  type Row,
} from './view.ts'

const LOOP: Row[] = [
  ['a run that rests does nothing', { run: { phase: 'resting' }, scope: { last: LAST.task } }, []],
  ['a new task gets its prompt', { scope: { last: LAST.task } }, [{ type: 'prompt', scope: null }]],
  ['after the prompt the model is asked', { scope: { last: LAST.prompt } }, [callModel()]],
  ['after a result the model is asked', { scope: { last: LAST.result } }, [callModel()]],
  ['after a warning the model is asked', { scope: { last: LAST.warning } }, [callModel()]],
  ['a reply without a call is warned of', { scope: { last: LAST.reply, problem: noTool } }, [warn(noTool)]],
  ['a brought-along reply without a call is warned of', { scope: { last: LAST.reply } }, [warn(noTool)]],
  ['a reply that is the output ends the run', { scope: { last: LAST.reply, isOutput: true } }, [completed]],
  [
    'so does one of a log of before, where the work ends by any',
    { scope: { last: LAST.reply }, view: { assignment: () => ({ ...ASSIGNMENT, finish: 'no_call' }) } },
    [completed],
  ],
  [
    'calls that were not run are told of',
    { scope: { last: LAST.result, droppedCalls: 2 } },
    [{ type: 'note-dropped', scope: null, count: 2 }],
  ],
  [
    'a model call under way is waited for',
    { scope: { last: LAST.prompt, model: { ...model, attempt: 1 } }, view: { inFlight: new Set(['model:']) } },
    [],
  ],
  ['finish ends the run', { scope: { last: LAST.result, finishedBy: 'call_1' } }, [completed]],
  [
    'finish ends the run once the other calls have results',
    { scope: { calls: [openCall('c2', 'rethink')], finishedBy: 'c1' } },
    [callTool('c2')],
  ],
  [
    'a long history is summarised first',
    { scope: { last: LAST.result }, view: { mustCompact: () => true } },
    [{ type: 'compact', scope: null, key: 'model:', attempt: 1 }],
  ],
  [
    'a summary is not summarised again',
    { scope: { last: LAST.summary }, view: { mustCompact: () => true } },
    [callModel()],
  ],
]

const CALLS: Row[] = [
  ['an authorised call runs', { scope: { calls: [openCall('c', 'rethink')] } }, [callTool('c')]],
  ['one that needs approval asks', { scope: { calls: [openCall('c', 'web_access')] } }, [ask('c')]],
  ['a question asks', { scope: { calls: [openCall('c', 'ask')] } }, [ask('c')]],
  [
    'what was asked waits',
    { scope: { calls: [openCall('c', 'web_access', { status: 'asked' })] } },
    [{ type: 'wait' }],
  ],
  ['an approved call runs', { scope: { calls: [openCall('c', 'web_access', APPROVED)] } }, [callTool('c')]],
  ...(['approved', 'answered', 'started'] as const).map((status): Row => [
    `a call that is ${status} by nobody's word asks`,
    { scope: { calls: [openCall('c', 'web_access', { status, attempt: 1 })] } },
    [ask('c')],
  ]),
  [
    'an approved call of a tool that is denied by now does not',
    { scope: { calls: [openCall('c', 'web_access', APPROVED)] }, view: { permission: () => 'deny' } },
    [refuse('c', { code: 'denied' })],
  ],
  [
    'a refused call gets that as its result',
    { scope: { calls: [openCall('c', 'web_access', { status: 'refused' })] } },
    [refuse('c', { code: 'refused' })],
  ],
  [
    'an expired one too',
    { scope: { calls: [openCall('c', 'web_access', { status: 'refused', expired: true })] } },
    [refuse('c', { code: 'expired' })],
  ],
  [
    'an answered question gets its answer',
    { scope: { calls: [openCall('c', 'ask', { status: 'answered' })] } },
    [{ type: 'answer-call', scope: null, callId: 'c' }],
  ],
  [
    'a bad call gets its problem, whatever its permission',
    { scope: { calls: [openCall('c', 'web_access', { problem: noTool })] } },
    [refuse('c', { code: 'problem', problem: noTool })],
  ],
  [
    'a denied one is refused',
    { scope: { calls: [openCall('c', 'rethink')] }, view: { permission: () => 'deny' } },
    [refuse('c', { code: 'denied' })],
  ],
  [
    'several go their own ways at the same time',
    {
      scope: {
        calls: [
          openCall('a', 'web_access'),
          openCall('b', 'rethink'),
          openCall('c', 'web_access', { status: 'refused' }),
        ],
      },
    },
    [ask('a'), callTool('b'), refuse('c', { code: 'refused' })],
  ],
  [
    'the run does not rest while one is under way',
    {
      scope: {
        calls: [
          openCall('a', 'web_access', { status: 'asked' }),
          openCall('b', 'rethink', { status: 'started', attempt: 1 }),
        ],
      },
      view: { inFlight: new Set(['tool:b']) },
    },
    [],
  ],
]

const CRASHES: Row[] = [
  ['a cut model call is made again', { scope: { last: LAST.prompt, model: { ...model, attempt: 1 } } }, [callModel(2)]],
  [
    'also at the bound of the request, as it is part of its iteration',
    { run: { batchIterations: 8, iterations: 200 }, scope: { last: LAST.prompt, model: { ...model, attempt: 2 } } },
    [callModel(3)],
  ],
  [
    'but three times at most',
    { scope: { last: LAST.prompt, model: { ...model, attempt: 3 } } },
    [failed('failed', 'attempts_exhausted')],
  ],
  [
    'a cut call of an idempotent tool is made again',
    { scope: { calls: [openCall('c', 'web_access', { ...APPROVED, status: 'started', attempt: 1 })] } },
    [callTool('c', 2)],
  ],
  [
    'but three times at most, too',
    { scope: { calls: [openCall('c', 'web_access', { status: 'started', attempt: 3 })] } },
    [failed('failed', 'attempts_exhausted')],
  ],
  [
    'any other is reported as interrupted, never run twice',
    { scope: { calls: [openCall('c', 'pay', { status: 'started', attempt: 1 })] } },
    [refuse('c', { code: 'interrupted' })],
  ],
]

const BOUNDS: Row[] = [
  ['the bound of a request rests', { run: { batchIterations: 8 }, scope: { last: LAST.result } }, [{ type: 'rest' }]],
  [
    'the background knows no such bound',
    { run: { batchIterations: 8, mode: 'background' }, scope: { last: LAST.result } },
    [callModel()],
  ],
  [
    'the bound does not keep calls from running',
    { run: { batchIterations: 8 }, scope: { calls: [openCall('c', 'rethink')] } },
    [callTool('c')],
  ],
  [
    'nor the answer from ending the run',
    { run: { batchIterations: 8, iterations: 200 }, scope: { last: LAST.result, finishedBy: 'c' } },
    [completed],
  ],
  [
    'the total ends the run',
    { run: { iterations: 200, mode: 'background' }, scope: { last: LAST.result } },
    [failed('iteration_limit')],
  ],
  [
    'before the bound of the request',
    { run: { iterations: 200, batchIterations: 8 }, scope: { last: LAST.result } },
    [failed('iteration_limit')],
  ],
  ['errors in a row end it as stuck', { scope: { errorsInARow: 16, last: LAST.warning } }, [failed('stuck')]],
  ['one fewer does not', { scope: { errorsInARow: 15, last: LAST.warning } }, [callModel()]],
  ['the 16th is told first', { scope: { errorsInARow: 15, last: LAST.reply, problem: noTool } }, [warn(noTool)]],
  [
    'the deadline ends it',
    { limits: { deadlineMs: 100 }, view: { activeMs: 100 }, scope: { last: LAST.result } },
    [failed('deadline')],
  ],
  [
    'also with calls open',
    { limits: { deadlineMs: 100 }, view: { activeMs: 101 }, scope: { calls: [openCall('c', 'rethink')] } },
    [failed('deadline')],
  ],
  [
    'not a moment earlier',
    { limits: { deadlineMs: 100 }, view: { activeMs: 99 }, scope: { last: LAST.result } },
    [callModel()],
  ],
  [
    'a failed model call ends it with its code',
    { run: { failure }, scope: { last: LAST.prompt } },
    [failed('failed', 'model_unavailable')],
  ],
]

const CIRCLES: Row[] = [
  [
    'the same turn three times is told',
    { scope: { last: LAST.result, trail: ['a', 'a', 'a'] } },
    [warn({ code: 'going_in_circles' })],
  ],
  [
    'and ends the run if it goes on',
    { scope: { last: LAST.result, trail: ['a', 'a', 'a', 'a'], toldOfCircles: true } },
    [failed('stuck', 'loop')],
  ],
  [
    'a cycle of turns counts as well',
    { scope: { last: LAST.result, trail: ['x', 'a', 'b', 'a', 'b', 'a', 'b'] } },
    [warn({ code: 'going_in_circles' })],
  ],
  [
    'one that was broken does not',
    { scope: { last: LAST.result, trail: ['a', 'b', 'a', 'b', 'c', 'a', 'b'] } },
    [callModel()],
  ],
  ['twice is no circle', { scope: { last: LAST.result, trail: ['a', 'a'] } }, [callModel()]],
  [
    '0 turns it off',
    { limits: { repeatsMax: 0 }, scope: { last: LAST.result, trail: Array<string>(50).fill('a') } },
    [callModel()],
  ],
]

const bad: Problem = { code: 'bad_output', errors: ['#/n: x'] }
const byReply: Partial<RunView> = { assignment: () => ({ ...ASSIGNMENT, finish: 'no_call' }) }
const bounded: Partial<RunView> = { assignment: () => ({ ...ASSIGNMENT, toolTurnsMax: 2 }) }

/** What may be the output of a branch, and what becomes of one that does not fit. */
const OUTPUTS: Row[] = [
  [
    'a reply without a call is the output of work that ends so',
    { scope: { last: LAST.reply }, view: byReply },
    [completed],
  ],
  [
    'but not while its calls are open',
    { scope: { last: LAST.reply, calls: [openCall('a', 'rethink')] }, view: byReply },
    [callTool('a')],
  ],
  [
    'tools that are left: a reply without a call is warned of',
    { scope: { last: LAST.reply, toolTurns: 1 }, view: bounded },
    [warn(noTool)],
  ],
  [
    'tools that are used up: the model is called once more',
    { scope: { last: LAST.result, toolTurns: 2 }, view: bounded },
    [callModel()],
  ],
  ['and that reply is the output', { scope: { last: LAST.reply, toolTurns: 2 }, view: bounded }, [completed]],
  [
    'an output that does not fit is told',
    { scope: { last: LAST.reply, problem: bad, misfits: 2 }, view: byReply },
    [warn(bad)],
  ],
  [
    'after the third the run has failed',
    { scope: { last: LAST.reply, problem: bad, misfits: 3 }, view: byReply },
    [failed('failed', 'output_invalid')],
  ],
  [
    'but not before the call that brought it has its result',
    { scope: { last: LAST.reply, calls: [openCall('a', 'finish', { problem: bad })], misfits: 3 } },
    [refuse('a', { code: 'problem', problem: bad })],
  ],
]

for (const [title, rows] of Object.entries({
  'the loop': LOOP,
  'open calls': CALLS,
  'after a crash': CRASHES,
  bounds: BOUNDS,
  circles: CIRCLES,
  outputs: OUTPUTS,
})) {
  describe(`an agent decides: ${title}`, () => {
    test.for(rows)('%s', ([, given, moves], { expect }) => {
      expect(decide(given)).toEqual(moves)
    })
  })
}

test('deciding changes nothing: the same view gives the same moves', ({ expect }) => {
  for (const [, given] of [LOOP, CALLS, CRASHES, BOUNDS, CIRCLES, OUTPUTS].flat())
    expect(decide(given)).toEqual(decide(given))
})

describe('calls that take turns', () => {
  const edits = [openCall('one', 'edit_file'), openCall('free', 'rethink'), openCall('two', 'read_file')]
  const started = (id: string) => edits.map((call) => (call.id === id ? { ...call, status: 'started' as const } : call))

  test('are made one after the other, in the order written, beside the others', ({ expect }) => {
    expect(decide({ scope: { last: LAST.reply, calls: edits } })).toEqual([callTool('one'), callTool('free')])
    const inFlight = new Set(['tool:one', 'tool:free'])
    expect(decide({ scope: { last: LAST.reply, calls: edits }, view: { inFlight } })).toEqual([])
    expect(decide({ scope: { last: LAST.reply, calls: edits.slice(1) }, view: { inFlight: new Set() } })).toEqual([
      callTool('free'),
      callTool('two'),
    ])
  })

  test('go on after a crash with the one that was cut', ({ expect }) => {
    const calls = started('one').map((call) => (call.id === 'one' ? { ...call, attempt: 1 } : call))
    expect(decide({ scope: { last: LAST.reply, calls } })).toEqual([callTool('one', 2), callTool('free')])
  })

  test('do not wait for one that waits for a human', ({ expect }) => {
    const calls = edits.map((call) => (call.id === 'one' ? { ...call, status: 'asked' as const } : call))
    expect(decide({ scope: { last: LAST.reply, calls } })).toEqual([callTool('free'), callTool('two')])
  })
})

describe('a task whose prompt says what has to be asked for', () => {
  const scope = { last: LAST.task }
  const asked = { type: 'prompt', scope: null, key: 'prompt:' } as const

  test('asks once', ({ expect }) => {
    expect(decide({ scope, view: { promptTakesTime: () => true } })).toEqual([asked])
    for (const promptTakesTime of [true, false])
      expect(
        decide({ scope, view: { promptTakesTime: () => promptTakesTime, inFlight: new Set([asked.key]) } }),
      ).toEqual([])
  })
})
