import type { MoveContext, Orchestrator, StepContext } from '../../engine/engine.ts'
import type { Move, RunView, MoveOf } from '../../engine/move.ts'
import { decideAgent } from '../agent/index.ts'
import { nextCall } from '../decide.ts'
import { afterThoughts } from '../../agent/thinking.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelRequest } from '../../domain/model.ts'
import { LLM_WORKER, type PlanWorker } from '../../domain/plan.ts'
import type { Job, Outcome } from '../../engine/job.ts'
import { workerOf } from '../../engine/worker/worker.ts'
import { jsonObjectsIn } from '../../lib/json.ts'
import { fitted, planBrief } from '../plan/brief.ts'
import { knownParts, type PlanBrief, workerLine } from '../plan/requests.ts'
import { keptSkills, workersOf } from '../plan/workers.ts'

declare module '../../engine/move.ts' {
  interface Moves {
    /** Ask which worker does the whole run. */
    'call-router': { scope: string | null; key: string; attempt: number }
  }
}

/** One call picks one worker, who does the whole run as an agent. */
export const router: Orchestrator = {
  name: 'route',
  description: {
    'zh-CN': '先选出最合适的执行者，由它完成整个任务。',
    en: 'One call picks the worker that fits, and it does the whole task.',
  },
  hasPrompt: true,
  fitsSchema: true,
  hasWorkers: () => true,
  decide: decideRoute,
  reduce: {
    on: {
      route: ({ run }, { worker }) => {
        if (run) run.worker = worker
      },
    },
  },
  steps: { 'call-router': { prepare: prepareRouter } },
}

/** One call picks the one worker; with its tools the agent's loop does the rest. */
function decideRoute(view: RunView): Move[] {
  const { run, limits, activeMs } = view
  const isPicked = run.worker !== null || run.phase !== 'active' || run.failure !== null
  const isLate = limits.deadlineMs !== null && activeMs >= limits.deadlineMs
  return isPicked || isLate ? decideAgent(view) : nextCall(null, view, (call) => ({ type: 'call-router', ...call }))
}

/** A call without tools that picks the worker of the whole run. */
function prepareRouter({ scope, attempt }: MoveOf<'call-router'>, context: StepContext): Job {
  const worker = workerOf(context, scope)
  return context.modelCall(
    {
      scope,
      attempt,
      purpose: 'route',
      isHeard: false,
      request: (spec) =>
        fitted(spec, (share) => {
          const brief = planBrief(context, spec, worker, { purpose: 'route', share })
          return routeRequest(brief, workersOf(context, scope, false))
        }),
      settle:
        (reply, { ended }) =>
        () => {
          const { events, ...kept } = picked(afterThoughts(reply.content), context)
          return { ...kept, events: [...ended(), ...events] }
        },
    },
    worker.choice,
  )
}

/** The worker that an answer names, as JSON or in plain words; the model alone, where it names none that there is. */
function picked(text: string, context: MoveContext): Outcome {
  const workers = workersOf(context, null, false)
  const named = jsonObjectsIn(text).flatMap((json) =>
    typeof json === 'object' && json !== null && 'worker' in json ? [String(json.worker)] : [],
  )
  const wanted = named.at(-1) ?? text.trim()
  const known = workers.find(({ name }) => name === wanted)
  const unknown: NewEvent = {
    type: 'error',
    code: 'unknown_worker',
    detail: `There is no worker "${wanted.slice(0, 100)}"; ${LLM_WORKER} does the task.`,
  }
  const worker = known?.name ?? LLM_WORKER
  return { events: [...(known ? [] : [unknown]), { type: 'route', worker }], ...keptSkills([{ worker }], context) }
}

const TEXTS = {
  'zh-CN': {
    system:
      '您负责分派任务：从下面的工作代理中选出最适合完成用户任务的一个。只输出 JSON：{"worker": "名称"}，名称必须与列表中的完全一致。\n\n# 工作代理\n\n',
  },
  en: {
    system:
      'You dispatch tasks: of the workers below, pick the one that fits the user\'s task best. Answer with JSON only: {"worker": "name"}, the name exactly as in the list.\n\n# Workers\n\n',
  },
} as const

/** Ask which one worker is to do a task. */
function routeRequest(brief: PlanBrief, workers: readonly PlanWorker[]): ModelRequest {
  const texts = TEXTS[brief.language]
  const list = workers.map((worker) => workerLine(worker, brief.language))
  return {
    messages: [
      { role: 'system', content: texts.system + list.join('\n') },
      { role: 'user', content: knownParts(brief).join('\n\n') },
    ],
  }
}
