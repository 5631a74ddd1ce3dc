import { describe, test } from 'vitest'
import type { ModelFailure } from '../../../src/domain/model.ts'
import { MAIN, newScope, type OpenCall, type RunState, type ScopeState } from '../../../src/domain/state.ts'
import { NO_USAGE } from '../../../src/domain/usage.ts'
import { decideAgent } from '../../../src/orchestrators/agent.ts'
import type { Move, RunView } from '../../../src/orchestrators/move.ts'

const LIMITS: RunView['limits'] = {
  maxIterations: 8,
  maxIterationsTotal: 200,
  errorsInARowMax: 16,
  repeatsMax: 3,
  deadlineMs: null,
  attemptsMax: 3,
}

interface Case {
  run?: Partial<RunState>
  scope?: Partial<ScopeState>
  limits?: Partial<RunView['limits']>
  view?: Partial<RunView>
}

function decide({ run, scope, limits, view }: Case): Move[] {
  const state: RunState = {
    id: 'run_1',
    orchestrator: 'agent',
    phase: 'active',
    mode: 'request',
    status: 'in_progress',
    finishReason: null,
    firstSeq: 1,
    iterations: 0,
    batchIterations: 0,
    errorsInARow: 0,
    activeMs: 0,
    activeSince: 0,
    failure: null,
    overflowed: false,
    usage: NO_USAGE,
    held: { tokens: 0, cost: null },
    endSeq: 0,
    error: null,
    protocol: null,
    scopes: { [MAIN]: { ...newScope(), ...scope } },
    ...run,
  }
  return decideAgent({
    run: state,
    limits: { ...LIMITS, ...limits },
    activeMs: 0,
    inFlight: new Set(),
    permission: (call) => (call.tool === 'web_access' ? 'ask' : 'allow'),
    mustCompact: () => false,
    isIdempotent: (call) => call.tool !== 'pay',
    isQuestion: (call) => call.tool === 'ask',
    ...view,
  })
}

const openCall = (id: string, tool: string, more: Partial<OpenCall> = {}): OpenCall => ({
  id,
  tool,
  status: 'open',
  attempt: 0,
  problem: null,
  feedback: null,
  edited: null,
  expired: false,
  signature: `${tool}()`,
  ...more,
})

const LAST = {
  task: { messageId: 'm', role: 'user', kind: 'task' },
  prompt: { messageId: 'm', role: 'system', kind: 'prompt' },
  warning: { messageId: 'm', role: 'system', kind: 'warning' },
  reply: { messageId: 'm', role: 'assistant', kind: 'reply' },
  result: { messageId: 'm', role: 'tool', kind: 'tool_result' },
  summary: { messageId: 'm', role: 'system', kind: 'summary' },
} as const satisfies Record<string, ScopeState['last']>

const model = { messageId: 'm', alias: 'a', reserved: { tokens: 1, cost: null } }
const failure: ModelFailure = {
  code: 'model_unavailable',
  status: 500,
  detail: '',
  retryable: true,
  retryAfterMs: null,
  toolsRefused: false,
}
const noTool = { code: 'no_tool_called' } as const
const callModel = (attempt = 1) => ({ type: 'call-model', scope: null, key: 'model:', attempt })
const callTool = (callId: string, attempt = 1) => ({
  type: 'call-tool',
  scope: null,
  key: `tool:${callId}`,
  callId,
  attempt,
})
const ask = (callId: string) => ({ type: 'ask', scope: null, callId })
const refuse = (callId: string, refusal: object) => ({ type: 'refuse-call', scope: null, callId, refusal })
const failed = (finishReason: string, code = finishReason) => ({ type: 'end', status: 'failed', finishReason, code })
const completed = { type: 'end', status: 'completed', finishReason: 'completed', code: null }
const warn = (problem: object) => ({ type: 'warn', scope: null, problem })

/** What was: what is to be done. */
type Row = [claim: string, given: Case, moves: object[]]

const LOOP: Row[] = [
  ['a run that rests does nothing', { run: { phase: 'resting' }, scope: { last: LAST.task } }, []],
  ['a new task gets its prompt', { scope: { last: LAST.task } }, [{ type: 'prompt', scope: null }]],
  ['after the prompt the model is asked', { scope: { last: LAST.prompt } }, [callModel()]],
  ['after a result the model is asked', { scope: { last: LAST.result } }, [callModel()]],
  ['after a warning the model is asked', { scope: { last: LAST.warning } }, [callModel()]],
  ['a reply without a call is warned of', { scope: { last: LAST.reply, problem: noTool } }, [warn(noTool)]],
  ['a brought-along reply without a call is warned of', { scope: { last: LAST.reply } }, [warn(noTool)]],
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
  [
    'an approved call runs',
    { scope: { calls: [openCall('c', 'web_access', { status: 'approved' })] } },
    [callTool('c')],
  ],
  [
    'an approved call of a tool that is denied by now does not',
    { scope: { calls: [openCall('c', 'web_access', { status: 'approved' })] }, view: { permission: () => 'deny' } },
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
    { scope: { calls: [openCall('c', 'web_access', { status: 'started', attempt: 1 })] } },
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
  ['errors in a row end it as stuck', { run: { errorsInARow: 16 }, scope: { last: LAST.warning } }, [failed('stuck')]],
  ['one fewer does not', { run: { errorsInARow: 15 }, scope: { last: LAST.warning } }, [callModel()]],
  [
    'the 16th is told first',
    { run: { errorsInARow: 15 }, scope: { last: LAST.reply, problem: noTool } },
    [warn(noTool)],
  ],
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
    [failed('stuck', 'going_in_circles')],
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

for (const [title, rows] of Object.entries({
  'the loop': LOOP,
  'open calls': CALLS,
  'after a crash': CRASHES,
  bounds: BOUNDS,
  circles: CIRCLES,
})) {
  describe(`an agent decides: ${title}`, () => {
    test.for(rows)('%s', ([, given, moves], { expect }) => {
      expect(decide(given)).toEqual(moves)
    })
  })
}

test('deciding changes nothing: the same view gives the same moves', ({ expect }) => {
  for (const [, given] of [LOOP, CALLS, CRASHES, BOUNDS, CIRCLES].flat()) expect(decide(given)).toEqual(decide(given))
})
