import { describe, test } from 'vitest'
import { newPlan, type PlanState, type TaskState } from '../../../src/orchestrators/plan/state.ts'
import { MAIN, newBranch, newState, type RunState, type BranchState } from '../../../src/domain/state.ts'
import { newRole, newTeam } from '../../../src/orchestrators/team/state.ts'
import { teamRole, type TeamSpec } from '../../../src/domain/team.ts'
import type { Move, RunView } from '../../../src/engine/move.ts'
import { decideTeam } from '../../../src/orchestrators/team/decide.ts'
import { failed, LAST, newRun, openCall, viewOf } from './view.ts'

/** The plans of roles at work, and the branches of their sub-tasks. */
interface Case {
  plans: Record<string, Partial<PlanState>>
  roles?: Record<string, Partial<BranchState>>
  tasks?: Record<string, Partial<BranchState>>
  run?: Partial<RunState>
  limits?: Partial<RunView['limits']>
  inFlight?: string[]
}

const roleOf = (name: string) =>
  teamRole.parse({
    name,
    profile: 'x',
    watch: ['UserRequirement'],
    actions: [{ name: 'Act', instruction: 'x' }],
    react_mode: 'plan_and_act',
  })

function decide({ plans, roles = {}, tasks = {}, run, limits, inFlight = [] }: Case): Move[] {
  const names = Object.keys(plans)
  const own = names.map((name): [string, BranchState] => {
    const plan = { ...newPlan(), round: 1, stage: 'planned' as const, answered: true, ...plans[name] }
    return [name, { ...newBranch(), plan, ...roles[name] }]
  })
  const parts = Object.entries(tasks).map(([id, scope]): [string, BranchState] => [id, { ...newBranch(), ...scope }])
  const scopes = { [MAIN]: newBranch(), ...Object.fromEntries([...own, ...parts]) }
  const state = {
    ...newTeam(),
    round: 1,
    roundsMax: 5,
    acting: names,
    roles: names.map((name) => ({ ...newRole(name), step: 'EXECUTING' as const, heard: [1], todo: 'Act' })),
  }
  const whole = newRun({ orchestrator: 'team', scopes, ...run })
  const team: TeamSpec = { name: null, roles: names.map(roleOf), n_round: 5, investment: null, skills: {} }
  const view = {
    state: { ...newState(0), run: whole, team: state },
    record: { config: {}, team },
    inFlight: new Set(inFlight),
    assignment: () => ({ finish: 'no_call', toolTurnsMax: null, toolCallsMax: null }) as const,
  }
  return decideTeam(viewOf(whole, limits, view))
}

const task = (id: string, status: TaskState['status']): TaskState => ({
  id,
  round: 1,
  name: 'Act',
  worker: 'Act',
  signature: id,
  dependsOn: [],
  status,
  seq: 1,
  costs: [],
  startedTime: status === 'pending' ? null : 1,
  endedTime: null,
})
const asks = (scope: string, purpose: string) => ({
  type: 'call-planner',
  purpose,
  scope,
  key: `model:${scope}`,
  attempt: 1,
})
const publish = (scope: string) => ({ type: 'publish', scope, key: `publish:${scope}` })
const ends = (scope: string, status: string, code: string | null = null) => ({ type: 'end-task', scope, status, code })
const WAITING = { last: LAST.reply, calls: [openCall('w', 'web_access', { status: 'asked' })] }

const ROWS: [claim: string, given: Case, moves: object[]][] = [
  ['is planned first', { plans: { P: { stage: 'new', answered: false } } }, [asks('P', 'plan')]],
  [
    'is planned beside others, as far as the request has calls left',
    { plans: { P: { stage: 'new' }, Q: { stage: 'new' } }, run: { batchIterations: 7 } },
    [asks('P', 'plan')],
  ],
  [
    'begins its sub-tasks, while another writes its answer',
    { plans: { P: { tasks: [task('a', 'pending')] }, Q: { tasks: [task('b', 'completed')], round: 2 } } },
    [{ type: 'start-task', scope: 'a' }, asks('Q', 'summary')],
  ],
  [
    'ends no round while all that is left of it waits for a human',
    { plans: { P: { tasks: [task('a', 'running')] } }, tasks: { a: WAITING } },
    [{ type: 'wait' }],
  ],
  ['publishes its answer', { plans: { P: { stage: 'summary', tasks: [task('a', 'completed')] } } }, [publish('P')]],
  [
    'publishes it also where its rounds were used up',
    { plans: { P: { stage: 'summary', tasks: [task('a', 'completed')] } }, limits: { maxPlanRounds: 1 } },
    [publish('P')],
  ],
  [
    'lets others finish when a call of a sub-task does not fit',
    {
      plans: { P: { tasks: [task('a', 'running'), task('b', 'running')] }, Q: { stage: 'summary' } },
      tasks: { a: { last: LAST.prompt, refused: { code: 'no_money' } }, b: { last: LAST.reply } },
    },
    [ends('b', 'completed'), publish('Q')],
  ],
  [
    'then ends the run by it',
    { plans: { P: { tasks: [task('a', 'running')] } }, tasks: { a: { refused: { code: 'no_money' } } } },
    [failed('no_money')],
  ],
  [
    'keeps what is done before the bound of all calls',
    {
      plans: { P: { tasks: [task('a', 'running')] }, Q: { tasks: [task('b', 'running')] }, R: { stage: 'summary' } },
      tasks: { a: { last: LAST.prompt }, b: { last: LAST.reply } },
      run: { iterations: 200 },
    },
    [ends('b', 'completed'), publish('R')],
  ],
]

describe('the turn of a role that plans', () => {
  test.for(ROWS)('%s', ([, given, moves], { expect }) => {
    expect(decide(given)).toEqual(moves)
  })
})
