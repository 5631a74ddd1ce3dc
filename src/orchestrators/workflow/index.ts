import { PROMPT_MISFIT } from '../decide.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SkillValue } from '../../domain/skill.ts'
import type { NewEvent } from '../../domain/event.ts'
import { stepApproval } from '../../domain/pending.ts'
import type { LogContext, Orchestrator } from '../../engine/engine.ts'
import type { BegunTask, Closing } from '../../engine/work.ts'
import type { Journal } from '../../log/journal.ts'
import { isObject } from '../../lib/json.ts'
import { shownPlain } from './template.ts'
import { beginStep } from './begin.ts'
import { decideWorkflow, workflowWithin } from './decide.ts'
import { closeTask, taskWaits, workflowTakesTask } from './task.ts'
import { endStep, ROLLBACK_STEPS } from './finish.ts'
import { runOutput } from './output.ts'
import { withSkill, workflowCast, workflowSkillIssues } from './given.ts'
import { inputsOfRun, taskIssues } from './inputs.ts'
import { workflowReducer } from './reduce.ts'
import { retryStep } from './retry.ts'
import { stateAt, timedIn, workflowIn } from './state.ts'
import { givenTo } from './values.ts'
import { workflowData, workflowProgress } from './view.ts'

/** Steps that somebody declared, in their order. */
export const workflow: Orchestrator = {
  name: 'workflow',
  description: {
    'zh-CN': '按事先声明的步骤执行，可以有条件、并行、重试和回滚。',
    en: 'Declared steps are run in their order, with conditions, branches, retries and roll-back.',
  },
  limits: { max_iterations_total: LIMITS.workflow.iterationsTotal },
  isImplied: (cast) => cast.workflow !== undefined,
  cast: (engine, tenant, input, skill) => workflowCast(engine, tenant, withSkill(input, skill)),
  issues: ({ inputs }, cast, isChosen) => {
    if (inputs !== undefined && cast.workflow === undefined)
      return [{ path: 'inputs', message: 'nothing: only a workflow has inputs' }]
    if (isChosen === (cast.workflow !== undefined)) return []
    const message = isChosen ? 'another one: a workflow is named' : 'workflow, or not given: a workflow is its own'
    return [{ path: isChosen ? 'workflow' : 'orchestrator', message }]
  },
  hearsNothing: 'queue or interrupt: the steps of a workflow are declared, and none of them would hear the message',
  hasWorkers: ({ workers = {} }) => Object.values(workers).some(({ orchestrator }) => orchestrator === 'plan'),
  decide: decideWorkflow,
  reduce: workflowReducer,
  steps: { 'begin-step': beginStep, 'end-step': endStep, ...ROLLBACK_STEPS },
  movesIn: workflowWithin,
  takeTask: workflowTakesTask,
  outcome: (context, branch, code) => ({ ...runOutput(context, branch ?? '', code), endedBy: null }),
  view: (context) => {
    const data = workflowData(context)
    return data ? { workflow: data } : {}
  },
  progress: workflowProgress,
  executor: ({ state: { run } }, branch) => {
    const step = run?.scopes[branch]?.step
    if (!step) return null
    return { worker: step.worker, team: null, crew: null, member: null, action: null, isPart: true }
  },
  inputs: inputsOfStep,
  due: ({ run }) => {
    const flow = run && workflowIn(run)
    const times = flow && run.endSeq === 0 ? timedIn(flow).map(({ due }) => due) : []
    return times.length === 0 ? null : Math.min(...times)
  },
  dueEvents: ({ run }, now) => {
    const flow = run && workflowIn(run)
    const timed = flow && run.endSeq === 0 ? timedIn(flow).filter(({ due }) => due <= now) : []
    return timed.map(({ path }) => ({ type: 'step-due', step: path }))
  },
  retryStep,
  notCarriedOn: ({ journal: { state } }) => {
    const flow = state.run && workflowIn(state.run)
    return flow?.stage === 'undoing' && flow.undo.length === 0 ? 'rolled_back' : null
  },
  approvals: {
    isOwn: (item) => stepApproval(item) !== null,
    issues: () => [{ path: 'arguments', message: 'nothing: this is agreed to or not' }],
    remember: (config) => config,
  },
  /** What other steps have under way holds more than it will take: their ends are waited for. */
  mayFitLater: (run, branch, code) =>
    (code === 'budget_exhausted' || code === 'no_money') && branch !== null && run.scopes[branch]?.step !== undefined,
  endsAlone: (run, branch, code) => code === PROMPT_MISFIT && run.scopes[branch]?.step !== undefined,
  taskIssues,
  skillIssues: workflowSkillIssues,
  begin: (journal, said) => ({ bounds: {}, events: startOf(journal, said) }),
  close: closeSteps,
  closeBranch: closeTask,
  waits: taskWaits,
}

/** What the run goes by, as the session was made with it, and what it is given. */
function startOf({ record }: Journal, { content, inputs }: BegunTask): NewEvent[] {
  if (!record.workflow) return []
  const { byTask: _, ...spec } = record.workflow
  const own = inputsOfRun(record.workflow, { words: content, inputs })
  // What a skill was given as files has its place in the workspace by now.
  const given =
    inputs === undefined && record.skill?.definition.workflow !== undefined ? { ...own, ...record.skill.inputs } : own
  return [{ type: 'workflow-start', workflow: { ...spec, inputs: given }, required: true }]
}

/** Inputs that an agent step gives its skill. */
function inputsOfStep(context: LogContext, branch: string): Record<string, SkillValue> | null {
  const { run } = context.journal.state
  const flow = run && workflowIn(run)
  const path = run?.scopes[branch]?.step?.path
  const given = flow && path !== undefined ? givenTo(context, stateAt(flow, path)) : null
  if (!isObject(given)) return null
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'number' || typeof value === 'boolean' ? value : shownPlain(value),
    ]),
  )
}

/** Steps of a run that is cancelled are over, too. */
function closeSteps({ journal: { state } }: LogContext, why: Closing): NewEvent[] {
  const { run } = state
  const flow = run && workflowIn(run)
  if (!flow || why !== 'cancelled') return []
  return Object.entries(flow.frames).flatMap(([frame, { steps }]) =>
    Object.entries(steps).flatMap(([id, { status }]): NewEvent[] =>
      status === 'running' || status === 'retrying'
        ? [{ type: 'step-end', step: frame === '' ? id : `${frame}.${id}`, status: 'cancelled' }]
        : [],
    ),
  )
}
