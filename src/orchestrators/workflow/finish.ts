import { resultText, toolFailureText } from '../../agent/texts.ts'
import { contentText } from '../../domain/content.ts'
import type { NewEvent, StepError } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { StepDefinition } from '../../domain/workflow.ts'
import { branchesOf } from '../../domain/state.ts'
import type { Tool } from '../../domain/tool.ts'
import { closedBranchEvents, mayBeDone } from '../../engine/closing.ts'
import { type BranchOutcome, type LogContext, type MoveContext, outcomeOf, type Step } from '../../engine/engine.ts'
import { failureText } from '../../engine/failures/failure-text.ts'
import type { Outcome } from '../../engine/job.ts'
import type { MoveOf } from '../../engine/move.ts'
import { resultKey } from '../../engine/open.ts'
import { languageFor, toolOf } from '../../engine/settings.ts'
import { fencedPart } from '../../lib/fence.ts'
import { parseJson } from '../../lib/json.ts'
import { cutText } from '../../lib/text.ts'
import { branchOf } from '../../log/branches.ts'
import { fitAnswer } from '../../skills/output-schema.ts'
import { means } from '../../skills/check-skill.ts'
import { fill } from './template.ts'
import {
  branchesIn,
  isFrameWithin,
  ROOT_FRAME,
  stepsOf,
  mapOf,
  pathOf,
  stepPlace,
  shapeAt,
  stateAt,
  type StepState,
  stepsWithin,
  type WorkflowState,
} from './state.ts'
import { isStepErrorCode, type Made, ROLLBACK_TEXTS, stepError } from './texts.ts'
import { answered, deliveredTo } from './wait.ts'
import {
  definitionOf,
  endAt,
  workflowFailure,
  flowOf,
  innerFailure,
  itemFailure,
  lastOutput,
  lookUpIn,
  specOf,
} from './values.ts'

/** Write what came of a step: nothing in it stays open. */
export const endStep: Step<MoveOf<'end-step'>> = {
  settle: (move, context) => waited(move, context) ?? finish(move, context),
}

export const ROLLBACK_STEPS = {
  'start-rollback': { settle: ({ step }): NewEvent[] => [{ type: 'rollback-start', step }] },
  'end-rollback': {
    settle: ({ step, ok }, context) => {
      const flow = flowOf(context)
      const { frame } = stepPlace(step)
      const open = (shapeAt(flow, step)?.rollback ?? []).flatMap(({ id }) => branchesIn(flow, pathOf(frame, id)))
      return {
        events: [...closed(open, context), { type: 'rollback-end', step, ok }],
        ...(open.length > 0 ? { ends: open } : {}),
      }
    },
  },
} satisfies {
  'start-rollback': Step<MoveOf<'start-rollback'>>
  'end-rollback': Step<MoveOf<'end-rollback'>>
}

/** The tool of this name; absent: there is none. */
export function toolNamed(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.client === undefined && !tool.control && !tool.isMove && means(name, tool))
}

/** What came from outside is written down before the step that waited for it ends. Null: it waited for nothing like that. */
function waited(move: MoveOf<'end-step'>, context: MoveContext): Promise<Outcome> | null {
  const flow = flowOf(context)
  const state = mapOf(move.step) ? null : stateAt(flow, move.step)
  if (!state?.answerSeq || move.status !== 'completed') return null
  if (shapeAt(flow, move.step)?.type !== 'wait') return null
  return deliveredTo(state, context).then((came) => {
    const outcome = finish(move, context)
    return came ? { ...outcome, events: [came, ...outcome.events] } : outcome
  })
}

function finish(move: MoveOf<'end-step'>, context: MoveContext): Outcome {
  const { step: path, status } = move
  const flow = flowOf(context)
  const open = branchesIn(flow, path)
  const closing = closed(open, context)
  const ends = open.length > 0 ? { ends: open } : {}
  const outcome = (events: NewEvent[]): Outcome => ({ events: [...closing, ...events], ...ends })
  if (status === 'cancelled') return outcome([{ type: 'step-end', step: path, status }])
  if (mapOf(path)) return outcome([itemEnd(move, flow, context)])
  const state = stateAt(flow, path)
  const definition = definitionOf(context, flow, path)
  if (!state) return { events: [] }
  const made =
    status === 'completed' ? outputOf(move, { definition, state, flow }, context) : failedAs(move, flow, context)
  if (made === 'again') return outcome([againEvent(path, state, context)])
  const checked = made.ok ? checkedOutput(definition, made.output, context) : made
  if (checked.ok) return outcome([{ type: 'step-end', step: path, status: 'completed', output: checked.output }])
  const { error } = checked
  const mayRetry = isSafe(path, error, open, context)
  return outcome(failedEvents({ path, attempt: state.attempt, definition, error, mayRetry }, context))
}

interface FailedStep {
  path: string
  attempt: number
  definition: StepDefinition
  error: StepError
  mayRetry: boolean
}

/** A step that failed is tried again after its wait, as long as it has tries; else it has failed for good. */
export function failedEvents(
  { path, attempt, definition: { retry }, error: { code, message }, mayRetry }: FailedStep,
  { journal }: LogContext,
): NewEvent[] {
  const error = { code, message: cutText(message, LIMITS.workflow.errorCharsMax) }
  if (!mayRetry || !retry || attempt > retry.times) return [{ type: 'step-end', step: path, status: 'failed', error }]
  const ms = Math.min(retry.delay_ms * retry.backoff ** (attempt - 1), LIMITS.workflow.retryMsMax)
  return [{ type: 'step-retry', step: path, attempt, due_time: new Date(journal.now() + ms).toISOString(), error }]
}

/** Failures after which nothing is done once more: somebody said no, or something may have taken effect that was not undone. */
const FINAL: ReadonlySet<string | undefined> = new Set(['refused', 'interrupted', 'not_undone'])

/** Whether a step may be done once more: it did not fail for good, nor did anything in it, and no call that is cut with it may have taken effect.
 *  `open`: the branches that are cut. */
function isSafe(path: string, { code }: StepError, open: readonly string[], context: MoveContext): boolean {
  const { run } = context.journal.state
  const failures = stepsWithin(flowOf(context), path).flatMap(({ state: { status, endSeq } }) =>
    status === 'failed' && endSeq > 0 ? [endAt(context, endSeq)?.error?.code] : [],
  )
  if (!run || [code, ...failures].some((one) => FINAL.has(one))) return false
  const lines = open.flatMap((branch) => branchesOf(run, branch))
  return !lines.some((line) => branchOf(run, line).calls.some((call) => mayBeDone(context, line, call)))
}

/** The events that leave nothing open in branches, nor in what is a part of them. */
function closed(branches: readonly string[], { journal, engine }: MoveContext): NewEvent[] {
  const { run } = journal.state
  if (!run) return []
  const lines = branches.flatMap((branch) => [...branchesOf(run, branch).filter((line) => line !== branch), branch])
  return lines.flatMap((line) => [
    ...closedBranchEvents(journal, engine, line),
    ...engine.orchestrators.all.flatMap(({ closeBranch }) => closeBranch?.({ journal, engine }, line) ?? []),
  ])
}

function failedAs({ step: path, code, scope }: MoveOf<'end-step'>, flow: WorkflowState, context: MoveContext): Made {
  const { engine, journal } = context
  const language = languageFor(engine, journal.record)
  const { run } = journal.state
  if (code === 'tool_failed' || code === 'refused')
    return { ok: false, error: stepError(language, code, toolWords(scope, context)) }
  if (code === 'step_failed' || code === 'not_undone')
    return { ok: false, error: stepError(language, code, innerFailure(context, flow, path)) }
  if (code !== null && isStepErrorCode(code) && code !== 'output_invalid')
    return { ok: false, error: stepError(language, code) }
  const { violations } = outcomeOf(context, scope, code)
  const failure = run && scope !== null ? branchOf(run, scope).failure : null
  return {
    ok: false,
    error: { code: code ?? 'failed', message: violations ?? failure?.detail ?? failureText(language, code ?? '') },
  }
}

interface Finished {
  definition: StepDefinition
  state: StepState
  flow: WorkflowState
}

/** What a step gave. `again`: what was said to it is of no use, and it asks once more. */
function outputOf(
  { step: path, scope }: MoveOf<'end-step'>,
  { definition, state, flow }: Finished,
  context: MoveContext,
): Made | 'again' {
  const { frame } = stepPlace(path)
  switch (definition.type) {
    case 'agent':
      return agentOutput(definition.output !== undefined, scope, context)
    case 'tool':
      return toolOutput(scope, context)
    case 'wait':
      return definition.for_ms !== undefined || definition.until !== undefined
        ? { ok: true, output: null }
        : answered(definition, state, context)
    case 'if':
    case 'switch': {
      const list = shapeAt(flow, path)?.bodies?.[state.body ?? -1]
      return { ok: true, output: lastOutput(context, flow, frame, list?.at(-1)?.id) }
    }
    case 'parallel': {
      const lists = shapeAt(flow, path)?.bodies ?? []
      return { ok: true, output: lists.map((list) => lastOutput(context, flow, frame, list.at(-1)?.id)) }
    }
    case 'map':
      return { ok: true, output: itemOutputs(definition.on_error, state, context) }
    case 'workflow':
      return { ok: true, output: workflowOutput(context, flow, path) }
    case 'set':
      return { ok: true, output: null }
  }
}

function agentOutput(isJson: boolean, scope: string | null, context: MoveContext): Made {
  const { result, violations } = outcomeOf(context, scope, null)
  if (violations !== null) return { ok: false, error: { code: 'output_invalid', message: violations } }
  const text = result?.trim() ?? ''
  return { ok: true, output: isJson ? (parseJson(text) ?? text) : text }
}

/** What a workflow gives: what its template says, else the output of its last step. `frame`: of its steps. */
export function workflowOutput(context: MoveContext, flow: WorkflowState, frame: string): unknown {
  const name = frame === '' ? flow.name : (shapeAt(flow, frame)?.workflow ?? '')
  const template = specOf(context, flow, name).definitions[name]?.output
  if (template !== undefined) return fill(template, lookUpIn(context, flow, frame))
  return lastOutput(context, flow, frame, stepsOf(flow, frame).at(-1)?.id)
}

/** What the items of a map gave, in their order. With `skip` those that failed are left out; with `collect` they are told apart. */
function itemOutputs(onError: 'stop' | 'skip' | 'collect', { items }: StepState, context: LogContext): unknown {
  const ends = (items?.ends ?? []).map((seq) => endAt(context, seq))
  const done = ends.filter((end) => end?.status === 'completed')
  if (onError !== 'collect') return done.map((end) => end?.output ?? null)
  return {
    results: ends.map((end) => (end?.status === 'completed' ? (end.output ?? null) : null)),
    errors: ends.flatMap((end, index) =>
      end?.status === 'failed' ? [{ index, error: end.error?.message ?? end.status }] : [],
    ),
  }
}

function itemEnd({ step: path, status }: MoveOf<'end-step'>, flow: WorkflowState, context: MoveContext): NewEvent {
  if (status === 'completed') {
    const output = lastOutput(context, flow, path, stepsOf(flow, path).at(-1)?.id)
    return { type: 'step-end', step: path, status, output }
  }
  const language = languageFor(context.engine, context.journal.record)
  const error = stepError(language, 'step_failed', itemFailure(context, flow, path))
  return { type: 'step-end', step: path, status: 'failed', error }
}

/** The last result in the branch of a call. */
function resultIn(scope: string | null, { journal: { log } }: LogContext) {
  return log.messages({ scope, limit: 1, newestFirst: true }).find(({ role }) => role === 'tool')
}

/** Why a call failed, or was not made, without the words that are for a model. */
function toolWords(scope: string | null, context: MoveContext): string {
  const message = resultIn(scope, context)
  return message ? withoutHeading(message.tool_name, contentText(message.content, null), context) : ''
}

/** What a call gave: as its tool says, or else JSON as what it stands for and all else as text. Of what is marked as from outside it is what stands between the marks; the
 *  session remembers that it is. */
function toolOutput(scope: string | null, context: MoveContext): Made {
  const message = resultIn(scope, context)
  if (!message) return { ok: true, output: null }
  const whole = message.truncated ? context.journal.log.text(resultKey(message.tool_call_id ?? '')) : null
  const text = whole ?? withoutHeading(message.tool_name, contentText(message.content, null), context)
  const { engine, journal } = context
  const known = toolOf(engine, message.tool_name ?? '')?.resultValue?.(text)
  if (known?.ok) return { ok: true, output: known.value }
  if (known)
    return { ok: false, error: stepError(languageFor(engine, journal.record), 'bad_status', `${known.status}`) }
  const part = fencedPart(text)
  const said = part ? text.slice(part.inside.start, part.inside.end) : text
  return { ok: true, output: /^\s*[[{]/.test(said) ? (parseJson(said) ?? said) : said }
}

function withoutHeading(name: string | undefined, text: string, { engine }: MoveContext): string {
  const tool = name === undefined ? undefined : toolOf(engine, name)
  for (const language of ['zh-CN', 'en'] as const) {
    const shown = tool?.names[language] ?? name ?? ''
    for (const heading of [resultText(shown, '', language), toolFailureText(shown, '', language)])
      if (text.startsWith(heading)) return text.slice(heading.length)
    if (text === resultText(shown, null, language)) return ''
  }
  return text
}

function againEvent(path: string, { attempt }: StepState, { journal, engine }: MoveContext): NewEvent {
  const error = stepError(languageFor(engine, journal.record), 'output_invalid')
  return { type: 'step-retry', step: path, attempt, due_time: new Date(journal.now()).toISOString(), error }
}

/** An output that is not too long and fits the schema of its step. A text that is too long is cut. */
export function checkedOutput(definition: StepDefinition, output: unknown, { engine, journal }: MoveContext): Made {
  const language = languageFor(engine, journal.record)
  const { outputCharsMax, mapOutputCharsMax } = LIMITS.workflow
  const max = definition.type === 'map' ? mapOutputCharsMax : outputCharsMax
  const json = JSON.stringify(output ?? null)
  if (json.length > max && typeof output === 'string') return { ok: true, output: cutText(output, max) }
  if (json.length > max) return { ok: false, error: stepError(language, 'output_too_long', `${json.length} > ${max}`) }
  const fitted = definition.output && definition.type !== 'agent' ? fitAnswer(json, definition.output) : null
  if (fitted && !fitted.ok) return { ok: false, error: stepError(language, 'output_invalid', fitted.errors.join('; ')) }
  return { ok: true, output: output ?? null }
}

/** What a run leaves, or a task that a workflow was given: its output, or why it failed. `frame`: of its steps. */
export function runOutput(
  context: MoveContext,
  frame: string,
  code: string | null,
): Pick<BranchOutcome, 'result' | 'violations' | 'hint'> {
  const { run } = context.journal.state
  const flow = run ? flowOf(context) : null
  if (!flow) return { result: null, violations: null }
  if (code !== null)
    return { result: null, ...(code === 'step_failed' ? undoneFailure(context, flow, frame) : NO_WORDS) }
  const output = workflowOutput(context, flow, frame)
  if (output === null || output === undefined) return { result: null, violations: null }
  return { result: typeof output === 'string' ? output : JSON.stringify(output), violations: null }
}

const NO_WORDS = { violations: null }

/** Why it failed, with what could not be undone, and what can be done where something was undone. */
function undoneFailure(context: MoveContext, flow: WorkflowState, frame: string) {
  const failure = workflowFailure(context, flow, frame)
  const t = ROLLBACK_TEXTS[languageFor(context.engine, context.journal.record)]
  const left = (flow.notUndone ?? []).filter((path) => frame === ROOT_FRAME || isFrameWithin(path, frame))
  const violations = [failure, ...(left.length > 0 ? [t.notUndone(left)] : [])].filter(Boolean).join(' ') || null
  return { violations, ...(flow.stage === 'undoing' ? { hint: t.hint } : {}) }
}
