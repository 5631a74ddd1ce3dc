import { resultText, toolFailureText } from '../../agent/texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { OpenCall } from '../../domain/state.ts'
import type { MoveContext, Step } from '../../engine/engine.ts'
import type { Outcome } from '../../engine/job.ts'
import type { MoveOf } from '../../engine/move.ts'
import { argumentsOf, openCallOf } from '../../engine/open.ts'
import { languageFor, toolOf } from '../../engine/settings.ts'
import { fence } from '../../lib/fence.ts'
import { fingerprint } from '../../lib/hash.ts'
import { newId } from '../../lib/id.ts'
import { textOf } from '../../lib/text.ts'
import { shortened } from '../plan/answer.ts'
import { isSettled, newPlan, planOf, type PlanState, type TaskState } from '../plan/state.ts'
import { changeTask } from '../plan/task.ts'
import { taskData } from '../plan/view.ts'
import { DELEGATION_TEXTS } from './texts.ts'
import { takerOf } from './taker.ts'

/** What a call is answered with: our words alone, or with those of whoever worked at tasks. */
interface Said {
  ok: boolean
  text: string
}

/** A task is given away: it begins as a branch of the run; later the call gets what it left. */
export const delegateStep: Step<MoveOf<'delegate'>> = {
  settle: async (move, context) => {
    const open = openCallOf(context, move.scope, move.callId)
    if (!open) return []
    const task = tasksOf(context).find(({ id }) => id === move.taskId)
    return task ? answered(open, await resultOf(open, task, context), context) : begun(open, context)
  },
}

async function begun(open: OpenCall, context: MoveContext): Promise<Outcome> {
  const { journal } = context
  const t = textsOf(context)
  const args = argumentsOf(context, null, open)
  const plan = knownPlan(context)
  const { tasksTotalMax } = LIMITS.plan
  if (plan.tasks.length >= tasksTotalMax) return refused(open, t.tooMany(tasksTotalMax), context)
  const taker = await takerOf(textOf(args['to']), context)
  if ('names' in taker) return refused(open, t.unknownWorker(textOf(args['to']), taker.names), context)
  const { worker, kept } = taker
  const round = plan.round + 1
  const description = textOf(args['task'])
  const task = {
    id: newId('tsk', journal.now()),
    round,
    name: nameOf(description),
    worker,
    description,
    call_id: open.id,
  }
  const nothing = { result: null, error: null, cost: null, started_time: null, ended_time: null }
  const before = plan.tasks.map((one) => shortened(taskData(one, context)))
  const tasks = [...before, { ...task, status: 'pending' as const, ...nothing }]
  const end = args['background'] === true ? endOf(open, { ok: true, text: t.begun(task.id) }, context) : []
  return {
    events: [startOf(open, args), { type: 'plan', scope: null, plan: { round, status: 'running', tasks } }, ...end],
    ...kept,
  }
}

/** A task is shown by its first line. */
function nameOf(description: string): string {
  return (description.split('\n', 1)[0] ?? '').slice(0, LIMITS.text.nameCharsMax / 2).toWellFormed()
}

async function resultOf(open: OpenCall, state: TaskState, context: MoveContext): Promise<Said> {
  const t = textsOf(context)
  const { status, result, error } = taskData(state, context)
  if (status === 'cancelled') return { ok: false, text: t.wasCancelled }
  if (status === 'completed') return { ok: true, text: await marked(open, result ?? '', context) }
  const why = [error, result].filter(Boolean).join('\n\n')
  return { ok: false, text: t.failed(await marked(open, why, context)) }
}

/** What a worker said, between markers where it may repeat what somebody outside wrote. */
async function marked({ id }: OpenCall, words: string, context: MoveContext): Promise<string> {
  const { state, record } = context.journal
  if (state.taint.length === 0 || words === '') return words
  const { untrusted, begin, end } = textsOf(context).words
  return `${untrusted}\n${await fence(words, begin, end, `${record.id}\n${id}`)}`
}

/** What a call is told whose task goes on if its run does. */
export function leftOpenText({ id: callId }: OpenCall, context: MoveContext): string | null {
  const task = tasksOf(context).find((one) => one.callId === callId)
  return task && !isSettled(task) ? textsOf(context).leftOpen(task.id) : null
}

/** How tasks stand. A call that waits for them is only begun, and answered by this once they have ended. */
export const statusStep: Step<MoveOf<'task-status'>> = {
  settle: async ({ scope, callId }, context) => {
    const open = openCallOf(context, scope, callId)
    if (!open) return []
    const t = textsOf(context)
    const args = argumentsOf(context, null, open)
    const id = textOf(args['task_id'])
    const tasks = tasksOf(context).filter((task) => id === '' || task.id === id)
    if (tasks.length === 0) return refused(open, id === '' ? t.none : t.unknownTask(id), context)
    if (args['wait'] === true && open.status !== 'started' && !tasks.every(isSettled)) return [startOf(open, args)]
    const lines = tasks.map(async (task) => {
      const { status, worker, result, error } = taskData(task, context)
      const words = await marked(open, [result, error].filter(Boolean).join('\n\n'), context)
      return [t.line(task.id, worker, status), words].filter(Boolean).join('\n\n')
    })
    return answered(open, { ok: true, text: (await Promise.all(lines)).join('\n\n') }, context)
  },
}

/** A task is ended by whoever gave it away. */
export const cancelStep: Step<MoveOf<'cancel-task'>> = {
  settle: ({ scope, callId }, context) => {
    const open = openCallOf(context, scope, callId)
    if (!open) return []
    const t = textsOf(context)
    const id = textOf(argumentsOf(context, null, open)['task_id'])
    const task = tasksOf(context).find((one) => one.id === id)
    if (!task) return refused(open, t.unknownTask(id), context)
    if (isSettled(task)) return refused(open, t.isOver(id), context)
    const changed = changeTask(context, id, 'cancel', 'background')
    const events = changed?.ok ? changed.value : []
    const { events: said } = answered(open, { ok: true, text: t.cancelled(id) }, context)
    return { events: [...events, ...said], ends: [id] }
  },
}

/** What is open when the run has its answer is of no use any more. */
export const closeStep: Step<MoveOf<'close-tasks'>> = {
  settle: (_, context) =>
    tasksOf(context)
      .filter((task) => !isSettled(task))
      .flatMap(({ id }) => {
        const ended = changeTask(context, id, 'cancel', 'background')
        return ended?.ok ? ended.value : []
      }),
}

function refused(open: OpenCall, text: string, context: MoveContext): Outcome {
  return answered(open, { ok: false, text }, context)
}

/** The call's one result, and its start where it has none yet. */
function answered(open: OpenCall, said: Said, context: MoveContext): { events: NewEvent[] } {
  const start = open.status === 'started' ? [] : [startOf(open, argumentsOf(context, null, open))]
  return { events: [...start, ...endOf(open, said, context)] }
}

function startOf({ id, tool, attempt }: OpenCall, args: Record<string, unknown>): NewEvent {
  return { type: 'tool-start', scope: null, call_id: id, tool, arguments: args, attempt: attempt + 1 }
}

/** What others found is as little to be trusted as what they read. */
function endOf({ id, tool }: OpenCall, { ok, text }: Said, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const language = languageFor(engine, journal.record)
  const name = toolOf(engine, tool)?.names[language] ?? tool
  const content = ok ? resultText(name, text, language) : toolFailureText(name, text, language)
  const message = {
    role: 'tool',
    kind: 'tool_result',
    content,
    scope: null,
    tool_call_id: id,
    tool_name: tool,
  } as const
  return [
    { type: 'tool-end', scope: null, call_id: id, ok, ms: 0, digest: fingerprint(text) },
    journal.messageEvent(message, journal.state.taint.length > 0 ? { untrusted: true } : {}),
  ]
}

function knownPlan({ journal: { state } }: MoveContext): PlanState {
  return (state.run && planOf(state.run, null)) ?? newPlan()
}

function tasksOf(context: MoveContext): TaskState[] {
  return knownPlan(context).tasks
}

function textsOf({ journal, engine }: MoveContext) {
  return DELEGATION_TEXTS[languageFor(engine, journal.record)]
}
