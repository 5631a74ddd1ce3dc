import { describe, test } from 'vitest'
import { newPlan, type PlanState, type TaskState } from '../../../src/orchestrators/plan/state.ts'
import { MAIN, newBranch, type RunState, type BranchState } from '../../../src/domain/state.ts'
import type { Move, RunView } from '../../../src/engine/move.ts'
import { WHOLE } from '../../../src/orchestrators/all.ts'
import { APPROVED, completed, failed, failure, LAST, newRun, openCall, viewOf } from './view.ts'

interface Case {
  plan?: Partial<PlanState>
  tasks?: TaskState[]
  /** The planner's own branch, and those of tasks by id. */
  main?: Partial<BranchState>
  scopes?: Record<string, Partial<BranchState>>
  run?: Partial<RunState>
  limits?: Partial<RunView['limits']>
  view?: Partial<RunView>
  inFlight?: string[]
}

function decide({ plan, tasks = [], main, scopes = {}, run, limits, view, inFlight = [] }: Case): Move[] {
  const known: PlanState = { ...newPlan(), round: 1, stage: 'planned', answered: true, tasks, ...plan }
  const own = Object.entries(scopes).map(([id, scope]) => [id, { ...newBranch(), ...scope }] as const)
  const state = newRun({
    orchestrator: 'plan',
    scopes: { [MAIN]: { ...newBranch(), plan: known, ...main }, ...Object.fromEntries(own) },
    ...run,
  })
  const assignment = () => ({ finish: 'no_call', toolTurnsMax: null, toolCallsMax: 2 }) as const
  const around = {
    inFlight: new Set(inFlight),
    assignment,
    isIdempotent: () => true,
    sequential: () => false,
    ...view,
  }
  return WHOLE.get('plan').decide(viewOf(state, limits, around))
}

const task = (id: string, more: Partial<TaskState> = {}): TaskState => ({
  id,
  round: 1,
  name: 'llm_tool',
  worker: 'llm_tool',
  signature: id,
  dependsOn: [],
  status: 'pending',
  seq: 1,
  costs: [],
  startedTime: more.status === undefined || more.status === 'pending' ? null : 1,
  endedTime: null,
  ...more,
})
const done = (id: string, more: Partial<TaskState> = {}) => task(id, { status: 'completed', ...more })
const running = (id: string, more: Partial<TaskState> = {}) => task(id, { status: 'running', ...more })

const cut = (attempt: number) => ({ messageId: 'm', alias: 'a', attempt, reserved: { tokens: 1, cost: null } })
const asks = (purpose: string, attempt = 1) => ({ type: 'call-planner', purpose, scope: null, key: 'model:', attempt })
const starts = (scope: string) => ({ type: 'start-task', scope })
const ends = (scope: string, status: string, code: string | null = null) => ({ type: 'end-task', scope, status, code })
const callModel = (scope: string, attempt = 1) => ({ type: 'call-model', scope, key: `model:${scope}`, attempt })
const callTool = (scope: string, callId: string, attempt = 1) => ({
  type: 'call-tool',
  scope,
  key: `tool:${callId}`,
  callId,
  attempt,
})

/** What was: what is to be done. */
type Row = [claim: string, given: Case, moves: object[]]

const ROUNDS: Row[] = [
  ['a run that rests does nothing', { run: { phase: 'resting' }, plan: { stage: 'new' } }, []],
  ['a new task is planned', { plan: { stage: 'new', round: 0 } }, [asks('plan')]],
  ['a planner under way is waited for', { plan: { stage: 'plan', answered: false }, inFlight: ['model:'] }, []],
  [
    'a planner that was cut is asked again',
    { plan: { stage: 'plan', answered: false }, main: { model: cut(1) } },
    [asks('plan', 2)],
  ],
  [
    'one that is cut again and again ends the run',
    { plan: { stage: 'summary', answered: false }, main: { model: cut(3) } },
    [failed('failed', 'attempts_exhausted')],
  ],
  ['an answer without a plan is asked for once more', { plan: { stage: 'plan' } }, [asks('repair')]],
  ['one that holds none again is the answer', { plan: { stage: 'repair', round: 0 } }, [completed]],
  [
    'in a later round it is an empty plan',
    { plan: { stage: 'repair', round: 1 } },
    [{ type: 'take-plan', scope: null }],
  ],
  ['an empty first plan is answered directly', {}, [asks('direct')]],
  ['a direct answer ends the run', { plan: { stage: 'direct' } }, [completed]],
  ['when all tasks are settled what is left is asked', { tasks: [done('a')] }, [asks('plan')]],
  ['an empty plan behind results is summarised', { plan: { round: 2 }, tasks: [done('a')] }, [asks('summary')]],
  [
    'a plan with nothing new is an empty one',
    { plan: { round: 2 }, tasks: [done('a'), task('b', { round: 2, status: 'skipped' })] },
    [asks('summary')],
  ],
  [
    'where every task was cancelled the model answers alone',
    { plan: { round: 2 }, tasks: [task('a', { status: 'cancelled' })] },
    [asks('direct')],
  ],
  ['a summary ends the run', { plan: { stage: 'summary', round: 2 }, tasks: [done('a')] }, [completed]],
  [
    'the last round is summarised',
    { plan: { round: 2 }, tasks: [done('a', { round: 2 })], limits: { maxPlanRounds: 2 } },
    [asks('summary')],
  ],
  [
    'and its run ends by its bound',
    { plan: { stage: 'summary', round: 2 }, tasks: [done('a', { round: 2 })], limits: { maxPlanRounds: 2 } },
    [failed('max_rounds', 'max_plan_rounds')],
  ],
  [
    'unless the planner had nothing left to do',
    { plan: { stage: 'summary', round: 2 }, tasks: [done('a')], limits: { maxPlanRounds: 2 } },
    [completed],
  ],
]

const TASKS: Row[] = [
  [
    'tasks that need nothing begin together, no more than may',
    { tasks: [task('a'), task('b'), task('c'), task('d')] },
    [starts('a'), starts('b'), starts('c')],
  ],
  [
    'one that needs another begins behind it',
    { tasks: [running('a'), task('b', { dependsOn: ['a'] })], inFlight: ['model:a'] },
    [],
  ],
  [
    'whichever way that ended',
    { tasks: [task('a', { status: 'failed' }), task('b', { dependsOn: ['a'] })] },
    [starts('b')],
  ],
  [
    'a task gets its prompt',
    { tasks: [running('a')], scopes: { a: { last: LAST.task } } },
    [{ type: 'prompt', scope: 'a' }],
  ],
  ['and then its model', { tasks: [running('a')], scopes: { a: { last: LAST.prompt } } }, [callModel('a')]],
  [
    'it does not summarise the history of the session',
    { tasks: [running('a')], scopes: { a: { last: LAST.prompt } }, view: { mustCompact: () => true } },
    [callModel('a')],
  ],
  ['a reply is its output', { tasks: [running('a')], scopes: { a: { last: LAST.reply } } }, [ends('a', 'completed')]],
  [
    'so is what it finishes with',
    { tasks: [running('a')], scopes: { a: { last: LAST.result, finishedBy: 'c' } } },
    [ends('a', 'completed')],
  ],
  [
    'a failing model fails the task alone',
    { tasks: [running('a'), running('b')], scopes: { a: { failure }, b: { last: LAST.prompt } } },
    [ends('a', 'failed', 'model_unavailable'), callModel('b')],
  ],
  [
    'so does one that is stuck',
    { tasks: [running('a')], scopes: { a: { last: LAST.reply, errorsInARow: 16 } } },
    [ends('a', 'failed', 'stuck')],
  ],
  [
    'so does one that goes in circles after it was told',
    { tasks: [running('a')], scopes: { a: { last: LAST.result, trail: ['x', 'x', 'x'], toldOfCircles: true } } },
    [ends('a', 'failed', 'loop')],
  ],
  [
    'a move that is cut too often ends the run',
    { tasks: [running('a')], scopes: { a: { last: LAST.prompt, model: cut(3) } } },
    [failed('failed', 'attempts_exhausted')],
  ],
  [
    'a task that ends does nothing else',
    {
      tasks: [running('a')],
      scopes: { a: { calls: [openCall('x', 'web_access'), openCall('y', 'pay', { status: 'started', attempt: 3 })] } },
    },
    [failed('failed', 'attempts_exhausted')],
  ],
  [
    'of calls over the bound of a task none is made, but to finish',
    {
      tasks: [running('a')],
      scopes: { a: { calls: [openCall('x', 'read'), openCall('y', 'read'), openCall('z', 'finish')], toolCalls: 1 } },
    },
    [
      callTool('a', 'x'),
      { type: 'reject-call', scope: 'a', callId: 'y', refusal: { code: 'over_limit' } },
      callTool('a', 'z'),
    ],
  ],
]

const WAITING = { last: LAST.reply, calls: [openCall('w', 'web_access', { status: 'asked' })] }
const LATE = ends('a', 'failed', 'task_timeout')
const BOUNDS: Row[] = [
  [
    'of tasks whose turn it is those of the highest priority begin first, others in their order',
    {
      tasks: [task('a'), task('b', { priority: 5 }), task('c', { priority: -1 }), task('d')],
      limits: { maxParallelTasks: 3 },
    },
    [starts('b'), starts('a'), starts('d')],
  ],
  [
    'a task that took longer than all may has failed, though its model is still asked',
    {
      tasks: [running('a', { activeMsBefore: 100 }), running('b', { activeMsBefore: 101 })],
      scopes: { b: { last: LAST.prompt } },
      limits: { taskTimeoutMs: 900 },
      view: { activeMs: 1_000 },
      inFlight: ['model:a', 'model:b'],
    },
    [LATE],
  ],
  [
    'its own time-out goes before that of all',
    {
      tasks: [
        running('a', { activeMsBefore: 0, timeoutMs: 10 }),
        running('b', { activeMsBefore: 0, timeoutMs: 5_000 }),
      ],
      limits: { taskTimeoutMs: 900 },
      view: { activeMs: 1_000 },
      inFlight: ['model:a', 'model:b'],
    },
    [LATE],
  ],
  [
    'one that waits for a human is not late',
    {
      tasks: [running('a', { activeMsBefore: 0 })],
      scopes: { a: WAITING },
      limits: { taskTimeoutMs: 1 },
      view: { activeMs: 9 },
    },
    [{ type: 'wait' }],
  ],
  [
    'a task that waits for a human takes no place',
    {
      tasks: [running('a'), running('b'), task('c')],
      scopes: { a: WAITING, b: WAITING },
      limits: { maxParallelTasks: 1 },
    },
    [starts('c')],
  ],
  [
    'when all that is left waits, so does the run',
    { tasks: [running('a'), task('b', { dependsOn: ['a'] })], scopes: { a: WAITING } },
    [{ type: 'wait' }],
  ],
  [
    'while others are under way it does not',
    { tasks: [running('a'), running('b')], scopes: { a: WAITING, b: { last: LAST.prompt } }, inFlight: ['model:b'] },
    [],
  ],
  [
    'one that was decided waits for its place behind what is under way',
    {
      tasks: [running('a'), running('b')],
      scopes: { a: { calls: [openCall('w', 'web_access', APPROVED)] }, b: { last: LAST.prompt } },
      limits: { maxParallelTasks: 1 },
      inFlight: ['model:b'],
    },
    [],
  ],
  [
    'no more calls are begun than the request has left',
    {
      tasks: [running('a'), running('b')],
      scopes: { a: { last: LAST.prompt }, b: { last: LAST.prompt } },
      run: { batchIterations: 7 },
    },
    [callModel('a')],
  ],
  [
    'then it rests',
    { tasks: [running('a')], scopes: { a: { last: LAST.prompt } }, run: { batchIterations: 8 } },
    [{ type: 'rest' }],
  ],
  [
    'in the background it goes on',
    { tasks: [running('a')], scopes: { a: { last: LAST.prompt } }, run: { batchIterations: 8, mode: 'background' } },
    [callModel('a')],
  ],
  [
    'no more calls are begun than the run has left',
    {
      tasks: [running('a'), running('b')],
      scopes: { a: { last: LAST.prompt }, b: { last: LAST.prompt } },
      limits: { maxIterationsTotal: 1 },
    },
    [callModel('a')],
  ],
  [
    'at the end of the iterations what is under way comes to its end',
    {
      tasks: [running('a'), running('b')],
      scopes: { a: { last: LAST.prompt }, b: { last: LAST.prompt } },
      run: { iterations: 200 },
      inFlight: ['model:b'],
    },
    [],
  ],
  [
    'tasks that are done are ended first',
    {
      tasks: [running('a'), running('b')],
      scopes: { a: { last: LAST.prompt }, b: { last: LAST.reply } },
      run: { iterations: 200 },
    },
    [ends('b', 'completed')],
  ],
  [
    'then the run is',
    { tasks: [running('a')], scopes: { a: { last: LAST.prompt } }, run: { iterations: 200 } },
    [failed('iteration_limit')],
  ],
  [
    'at the deadline nothing is waited for',
    { tasks: [running('a')], inFlight: ['model:a'], limits: { deadlineMs: 5 }, view: { activeMs: 5 } },
    [failed('deadline')],
  ],
  ['a planner that failed ends the run', { run: { failure } }, [failed('failed', 'model_unavailable')]],
]

const review = { view: { record: { config: { plan: { review: true } } } } }
const REVIEW: Row[] = [
  ['a plan that is reviewed waits', { ...review, tasks: [task('a')] }, [{ type: 'ask-plan', scope: null }]],
  ['an empty one does not', { ...review }, [asks('direct')]],
  [
    'nor one whose tasks were all cancelled',
    { ...review, tasks: [task('a', { status: 'cancelled' })] },
    [asks('plan')],
  ],
  ['until it is decided', { ...review, plan: { stage: 'review' }, tasks: [task('a')] }, [{ type: 'wait' }]],
  ['approved, it is done', { ...review, plan: { decisionSeq: 9 }, tasks: [task('a')] }, [starts('a')]],
  [
    'edited, it is taken',
    { ...review, plan: { stage: 'edited', decisionSeq: 9 } },
    [{ type: 'take-plan', scope: null }],
  ],
  ['refused, it is planned again', { ...review, plan: { stage: 'refused', decisionSeq: 9 } }, [asks('plan')]],
  [
    'but not when the rounds are used up',
    {
      ...review,
      plan: { stage: 'refused', decisionSeq: 9, round: 2 },
      tasks: [done('a'), task('b', { round: 2, status: 'cancelled' })],
      limits: { maxPlanRounds: 2 },
    },
    [asks('summary')],
  ],
  [
    'a plan that is at work is not looked at any more',
    { ...review, tasks: [running('a'), task('b')], inFlight: ['model:a'] },
    [starts('b')],
  ],
]

describe.each([
  ['rounds', ROUNDS],
  ['tasks', TASKS],
  ['bounds', BOUNDS],
  ['review', REVIEW],
] as const)('a plan: %s', (_, rows) => {
  test.for(rows)('%s', ([, given, moves], { expect }) => {
    expect(decide(given)).toEqual(moves)
  })
})
