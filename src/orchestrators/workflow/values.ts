import { imagesIn, toldText } from '../../domain/content.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { StepDefinition, StepStatus } from '../../domain/workflow-step.ts'
import type { WorkflowDefinition, WorkflowSpec } from '../../domain/workflow.ts'
import type { LogContext, MoveContext } from '../../engine/engine.ts'
import { runTask, taskContent } from '../../engine/open.ts'
import { givenValues } from '../../engine/prompt/role.ts'
import { languageFor } from '../../engine/settings.ts'
import { type Path, valueAt } from '../../lib/expression.ts'
import { fencedBlock } from '../../lib/fence.ts'
import { toldIn } from '../../lib/in-language.ts'
import { stepsIn } from './order.ts'
import {
  innerOf,
  isGivenTask,
  stepsOf,
  mapOf,
  pathOf,
  stepPlace,
  ROOT_FRAME,
  shapeAt,
  stateAt,
  type StepShape,
  type StepState,
  taskOfPath,
  workflowIn,
  workflowOf,
  type WorkflowState,
} from './state.ts'
import { fillAsText, lookedAt, shownPlain } from './template.ts'

type Log = LogContext['journal']['log']

/** What the newest run of a log began with, read once. */
const SPECS = new WeakMap<Log, { seq: number; spec: WorkflowSpec }>()

/** The workflow that the run began with, or one of this name that was given a task. */
export function specOf(
  { journal: { log } }: LogContext,
  { seq: first, seqs }: Pick<WorkflowState, 'seq' | 'seqs'>,
  name = '',
): WorkflowSpec {
  const seq = seqs?.[name] ?? first
  const known = SPECS.get(log)
  if (known?.seq === seq) return known.spec
  const event = log.events(seq - 1, 1)[0]
  if (event?.type !== 'workflow-start') throw new Error('the log does not hold the workflow of its run')
  SPECS.set(log, { seq, spec: event.workflow })
  return event.workflow
}

/** The workflow of the newest run; throws where it goes by none. */
export function flowOf({ journal }: LogContext): WorkflowState {
  const { run } = journal.state
  const flow = run && workflowIn(run)
  if (!flow) throw new Error('the run goes by no workflow')
  return flow
}

/** A step as its author wrote it. */
export function definitionOf(context: LogContext, flow: WorkflowState, path: string): StepDefinition {
  const { frame, id } = stepPlace(path)
  const name = workflowOf(flow, frame)
  const workflow = specOf(context, flow, name).definitions[name]
  const found = workflow && stepsById(workflow).get(id)
  if (!found) throw new Error(`the workflow has no step ${path}`)
  return found
}

/** The steps of a definition by their ids, as long as it is in memory. */
const BY_ID = new WeakMap<WorkflowDefinition, ReadonlyMap<string, StepDefinition>>()

function stepsById(workflow: WorkflowDefinition): ReadonlyMap<string, StepDefinition> {
  const known = BY_ID.get(workflow)
  if (known) return known
  const found = new Map(stepsIn(workflow).map(({ step }) => [step.id, step]))
  BY_ID.set(workflow, found)
  return found
}

/** What expressions of a frame look at. Outputs are in the log; nothing of them is kept. */
export function lookUpIn(context: MoveContext, flow: WorkflowState, frame: string): (path: Path) => unknown {
  return ([root, ...path]) => {
    switch (root) {
      case 'inputs':
        return valueAt(inputsOf(context, flow, frame), path)
      case 'steps':
        return stepValue(context, flow, frame, path)
      case 'item':
      case 'index':
        return valueAt(itemIn(context, flow, frame)?.[root], path)
      case 'task':
        return valueAt(runTask(context, taskScope(flow, frame)), path)
      case 'error':
        return valueAt(workflowFailure(context, flow, taskScope(flow, frame) ?? ROOT_FRAME), path)
      default:
        return valueAt(givenValues(context, ''), [root ?? '', ...path])
    }
  }
}

/** The branch whose task the steps of a frame are; null: they are that of the run. */
const taskScope = (flow: WorkflowState, frame: string): string | null => (isGivenTask(flow) ? taskOfPath(frame) : null)

/** What an agent step is asked. Where its prompt names the task, it has what that brought along, too: files as they were read, and images. */
export function askedOfStep(prompt: string, context: MoveContext, flow: WorkflowState, frame: string) {
  const lookUp = lookUpIn(context, flow, frame)
  const shown = shownInPrompt(context)
  if (!lookedAt(prompt, '').paths.some(({ path: [root] }) => root === 'task'))
    return { text: fillAsText(prompt, lookUp, shown).trim(), images: [] }
  const said = taskContent(context, taskScope(flow, frame))
  const written = typeof said === 'string' ? said : said.filter(({ type }) => type !== 'image')
  const task = toldText(written, languageFor(context.engine, context.journal.record))
  const told = (path: Path) => (path[0] === 'task' ? valueAt(task, path.slice(1)) : lookUp(path))
  const text = fillAsText(prompt, told, shown).trim()
  return { text, images: imagesIn(said).slice(-LIMITS.parts.imagesPerCallMax) }
}

/** How values stand in a prompt: what may be from outside, and what is long, is marked as such. */
function shownInPrompt({ journal: { state } }: LogContext): (value: unknown) => string {
  return (value) => {
    const text = shownPlain(value)
    const isPlain = state.taint.length === 0 && !text.includes('\n') && text.length <= PLAIN_CHARS_MAX
    return text === '' || isPlain ? text : `\n${fencedBlock(text)}\n`
  }
}

const PLAIN_CHARS_MAX = 500

/** The inputs of the workflow whose steps are in a frame. */
function inputsOf(context: LogContext, flow: WorkflowState, frame: string): unknown {
  const item = mapOf(frame)
  if (item) return inputsOf(context, flow, stepPlace(item.map).frame)
  if (frame === ROOT_FRAME) return specOf(context, flow).inputs
  return givenTo(context, stateAt(flow, frame))
}

function stepValue(context: LogContext, flow: WorkflowState, frame: string, [id, member, ...path]: Path): unknown {
  const state = typeof id === 'string' ? stepSeen(flow, frame, id) : null
  if (!state) return undefined
  if (member === 'status') return state.status
  const end = state.endSeq === 0 ? null : endAt(context, state.endSeq)
  if (member === 'output') return valueAt(end?.output, path)
  return member === 'error' ? valueAt(end?.error?.message, path) : undefined
}

/** A step of the frame, or of one around it in the same workflow. */
function stepSeen(flow: WorkflowState, frame: string, id: string): StepState | null {
  const own = flow.frames[frame]?.steps
  if (own && Object.hasOwn(own, id)) return own[id] ?? null
  const item = mapOf(frame)
  return item ? stepSeen(flow, stepPlace(item.map).frame, id) : null
}

function itemIn(context: LogContext, flow: WorkflowState, frame: string): { item: unknown; index: number } | null {
  const found = mapOf(frame)
  if (!found) return null
  const items = givenTo(context, stateAt(flow, found.map))
  return { item: Array.isArray(items) ? items[found.index] : null, index: found.index }
}

/** What a step was given. */
export function givenTo({ journal: { log } }: LogContext, state: StepState | null): unknown {
  const event = state && state.startSeq > 0 ? log.events(state.startSeq - 1, 1)[0] : undefined
  return event?.type === 'step-start' ? event.input : undefined
}

/** The end of a step, or of an item. */
export function endAt(
  { journal: { log } }: LogContext,
  seq: number,
): Extract<SessionEvent, { type: 'step-end' }> | null {
  const event = log.events(seq - 1, 1)[0]
  return event?.type === 'step-end' ? event : null
}

/** What the last step of a list gave; null: it gave nothing. */
export function lastOutput(context: LogContext, flow: WorkflowState, frame: string, id: string | undefined): unknown {
  const state = id === undefined ? null : stepSeen(flow, frame, id)
  return state && state.endSeq > 0 ? (endAt(context, state.endSeq)?.output ?? null) : null
}

/** Why the workflow failed, in the words of the step that did. */
export function workflowFailure(context: LogContext, flow: WorkflowState, frame = ROOT_FRAME): string | null {
  return failureIn(context, flow, stepsOf(flow, frame), frame)
}

/** Why a list failed: of its steps the first that did, with its path. */
function failureIn(context: LogContext, flow: WorkflowState, list: readonly StepShape[], frame: string): string | null {
  const of = (status: StepStatus) => list.find(({ id }) => stateAt(flow, pathOf(frame, id))?.status === status)
  const failed = of('failed')
  const again = failed ? undefined : of('retrying')
  if (again) return innerFailure(context, flow, pathOf(frame, again.id)) || null
  const path = failed && pathOf(frame, failed.id)
  const end = path === undefined ? null : endAt(context, stateAt(flow, path)?.endSeq ?? 0)
  if (!end?.error) return null
  return end.error.code === 'step_failed' ? end.error.message : toldOf(path ?? '', end.error.message)
}

/** A failure with the path of its step: the words are in the language of the session, and so is the sign between. */
const toldOf = (path: string, words: string) => toldIn(/^\p{Script=Han}/u.test(words) ? 'zh-CN' : 'en', path, words)

/** The same of what stands in a step: of its lists, of the workflow within it, or of its items. */
export function innerFailure(context: LogContext, flow: WorkflowState, path: string): string {
  const shape = shapeAt(flow, path)
  const state = stateAt(flow, path)
  const [index] = state?.items?.failed ?? []
  if (index !== undefined) return endAt(context, state?.items?.ends[index] ?? 0)?.error?.message ?? ''
  const { frame } = stepPlace(path)
  const inner = shape?.type === 'workflow' ? failureIn(context, flow, stepsOf(flow, path), path) : null
  return inner ?? failureIn(context, flow, shape ? innerOf(shape) : [], frame) ?? ''
}

/** Why an item failed. */
export function itemFailure(context: LogContext, flow: WorkflowState, path: string): string {
  return failureIn(context, flow, stepsOf(flow, path), path) ?? ''
}
