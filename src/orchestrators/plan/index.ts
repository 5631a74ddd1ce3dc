import type { LogContext, Orchestrator } from '../../engine/engine.ts'
import type { SessionConfig } from '../../domain/config.ts'
import { LIMITS } from '../../domain/limits.ts'
import { LLM_WORKER, type PlanData, SELF_WORKER } from '../../domain/plan.ts'
import type { RunState } from '../../domain/state.ts'
import { plannerStep } from './call.ts'
import { changeTask, closePlans, endTaskStep, startTaskStep } from './task.ts'
import { decidePlan, planWithin } from './decide.ts'
import { PROMPT_MISFIT } from '../decide.ts'
import { planOutcome, planData, planWaits, taskData } from './view.ts'
import { planIssues } from './parse.ts'
import { isPlanItem, planReducer } from './reduce.ts'
import { askPlanStep, takePlanStep } from './answer.ts'
import { planOf, taskIn, tasksIn, workedMs } from './state.ts'

type Limits = NonNullable<SessionConfig['limits']>

/** A planner splits the task, workers do its parts, one answer comes of them. */
export const plan: Orchestrator = {
  name: 'plan',
  description: {
    'zh-CN': '先把任务分成子任务，由技能和 MCP 服务等分头去做，再写出一个答复。',
    en: 'A planner splits the task, workers do its parts, and one answer is written of what they found.',
  },
  limits: { deadline_ms: LIMITS.plan.deadlineMs },
  hasWorkers: () => true,
  decide: decidePlan,
  movesIn: planWithin,
  reduce: planReducer,
  steps: {
    'call-planner': plannerStep,
    'take-plan': takePlanStep,
    'ask-plan': askPlanStep,
    'start-task': startTaskStep,
    'end-task': endTaskStep,
  },
  outcome: planOutcome,
  view: (context) => planPart(context, null),
  viewIn: planPart,
  waits: planWaits,
  executor: ({ state: { run } }, branch, executorOf) => {
    const owned = run && taskIn(run, branch)
    if (!owned) return null
    const { worker } = owned.task
    const owner = { ...executorOf(owned.owner), action: null, isPart: true }
    const isAction = worker !== LLM_WORKER && owner.member?.actions.some(({ name }) => name === worker)
    if (worker === SELF_WORKER) return owner
    return isAction ? { ...owner, worker: null, action: worker } : { ...owner, worker }
  },
  taskText: (context, branch) => {
    const { run } = context.journal.state
    const owned = run && taskIn(run, branch)
    return owned ? taskData(owned.task, context).description : null
  },
  changeTask,
  approvals: {
    isOwn: isPlanItem,
    issues: (args) => planIssues(args, 'arguments'),
    remember: (config) => ({ ...config, plan: { ...config.plan, review: false } }),
  },
  /** What others of a plan have under way holds more than it will take: their ends are waited for. */
  mayFitLater: (run, branch, code) =>
    (code === 'budget_exhausted' || code === 'no_money') && (planOf(run, branch) ?? taskIn(run, branch)) !== null,
  endsAlone: (run, branch, code) => code === PROMPT_MISFIT && taskIn(run, branch) !== null,
  close: closePlans,
  lateTime: lateTaskTime,
}

/** When the next of the sub-tasks at work will have taken longer than it may. */
function lateTaskTime(run: RunState, { task_timeout_ms: all }: Limits, now: number): number | null {
  const { activeMs, activeSince } = run
  if (activeSince === null) return null
  const times = tasksIn(run).flatMap(({ task }) => {
    const { status, held, timeoutMs = all } = task
    const worked = workedMs(task, activeMs + now - activeSince)
    return status !== 'running' || held || worked === null || timeoutMs === undefined ? [] : [now + timeoutMs - worked]
  })
  const later = times.filter((time) => time > now)
  return later.length === 0 ? null : Math.min(...later)
}

function planPart(context: LogContext, owner: string | null): { plan?: PlanData } {
  const data = planData(context, owner)
  return data ? { plan: data } : {}
}
