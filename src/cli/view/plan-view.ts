import type { StreamEvent } from '../../client/client.ts'
import { isUnseen } from '../../client/reply-filter.ts'
import type { PlanTask } from '../../domain/plan.ts'
import { roleOfBranch } from '../../domain/role.ts'
import type { TerminalTexts } from '../texts.ts'
import { excerpt, visible } from './text.ts'
import type { ViewPart } from './screen.ts'

export interface PlanLines {
  /** Parts to show for an event that is of a plan; null: it is to be shown as in any run. */
  push(event: StreamEvent): ViewPart[] | null
  /** What the task is called in what is shown; null: none was shown. */
  numberOf(taskId: string): number | null
  /** Whether a message is the answer of a run that plans. */
  isAnswer(messageId: string): boolean
}

/** What a person reads of a run that plans: the plan, and how each of its tasks begins and ends. What tasks say at the same time
 *  is left out; their results come with the answer. */
export function createPlanView(texts: TerminalTexts): PlanLines {
  const unseen = new Set<string>()
  const answers = new Set<string>()
  const numbers = new Map<string, number>()

  /** Of a task itself, and of the team that works at it. */
  const isWithin = (scope: string | null) => scope !== null && numbers.has(roleOfBranch(scope).owner ?? scope)

  const numberOf = ({ id }: Pick<PlanTask, 'id'>): number => {
    const number = numbers.get(id) ?? numbers.size + 1
    numbers.set(id, number)
    return number
  }

  function pushStart(event: StreamEvent & { type: 'model-start' }): ViewPart[] | null {
    const { purpose, message_id: id, scope } = event
    const isHidden = purpose !== undefined && (scope !== null || isUnseen(purpose))
    if (isHidden) unseen.add(id)
    else if (purpose !== undefined) answers.add(id)
    return isHidden || isWithin(scope) ? [{ type: 'status', text: texts.thinking(event.model) }] : null
  }

  function pushPlan({ scope: owner, plan: { round, tasks } }: StreamEvent & { type: 'plan' }): ViewPart[] {
    const ofRound = tasks.filter((task) => task.round === round && task.status !== 'skipped')
    for (const task of tasks) numberOf(task)
    if (ofRound.length === 0) return []
    const lines = ofRound.map((task) => `\n  ${numberOf(task)}. ${taskText(task, texts)}`)
    return [
      {
        type: 'line',
        style: 'call',
        text: `# ${owner === null ? '' : `${visible(owner)} · `}${texts.planned(round)}${lines.join('')}`,
      },
    ]
  }

  function pushEnd({ task }: StreamEvent & { type: 'task-end' }): ViewPart[] {
    const name = `[${numberOf(task)}] ${workerText(task)}`
    if (task.status === 'completed') return [{ type: 'line', style: 'good', text: `✓ ${name}` }]
    if (task.status === 'cancelled')
      return [{ type: 'line', style: 'dim', text: `· ${texts.told(name, texts.cancelledItem)}` }]
    return [{ type: 'line', style: 'bad', text: `✗ ${texts.told(name, excerpt(task.error ?? ''))}` }]
  }

  return {
    numberOf: (taskId) => numbers.get(taskId) ?? null,
    isAnswer: (messageId) => answers.has(messageId),
    push: (event) => {
      const isOfTask = isWithin(event.scope)
      switch (event.type) {
        case 'message-delta':
        case 'reasoning-delta':
        case 'answer-delta':
          return isOfTask || unseen.has(event.message_id) ? [] : null
        case 'message':
          return event.message.role === 'assistant' && (isOfTask || unseen.has(event.message.id)) ? [] : null
        case 'model-start':
          return pushStart(event)
        case 'plan':
          return pushPlan(event)
        case 'task-start':
        case 'task-retry':
          return [{ type: 'line', style: 'dim', text: `▶ [${numberOf(event.task)}] ${taskText(event.task, texts)}` }]
        case 'task-end':
          return pushEnd(event)
        case 'route':
          return [{ type: 'line', style: 'dim', text: `▶ ${visible(event.worker)}` }]
        default:
          return null
      }
    },
  }
}

/** A plan that waits for its approval, a task a line; null: these are not the arguments of one. */
export function planText(args: Record<string, unknown>, texts: Pick<TerminalTexts, 'told'>): string | null {
  const { plan } = args
  if (!Array.isArray(plan)) return null
  return plan
    .map((task: unknown, index) => {
      const { name, description } = Object(task) as Record<string, unknown>
      return `\n  ${index + 1}. ${texts.told(visible(String(name)), visible(String(description)))}`
    })
    .join('')
}

function taskText(task: PlanTask, texts: TerminalTexts): string {
  return texts.told(workerText(task), excerpt(task.description))
}

/** Who does it: of a role's plan with the role. */
function workerText({ owner, worker }: PlanTask): string {
  return owner === undefined ? visible(worker) : `${visible(owner)} · ${visible(worker)}`
}
