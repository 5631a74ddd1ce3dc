import type { NewEvent, StepError } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { StepDefinition } from '../../domain/workflow-step.ts'
import { branchesOf } from '../../domain/state.ts'
import { closedBranchEvents, mayBeDone } from '../../engine/closing.ts'
import type { LogContext, MoveContext, Step } from '../../engine/engine.ts'
import { outcomeOf } from '../../engine/orchestrator-of.ts'
import { failureText, modelFailureText } from '../../engine/failures/failure-text.ts'
import type { Outcome } from '../../engine/job.ts'
import type { MoveOf } from '../../engine/move.ts'
import { languageFor } from '../../engine/settings.ts'
import { cutText } from '../../lib/text.ts'
import { branchOf, causeIn } from '../../log/branches.ts'
import {
  branchesIn,
  mapOf,
  pathOf,
  stepPlace,
  shapeAt,
  stateAt,
  type StepState,
  stepsWithin,
  type WorkflowState,
} from './state.ts'
import { isStepErrorCode, type Made, stepError } from './texts.ts'
import { deliveredTo } from './wait.ts'
import { definitionOf, endAt, flowOf, innerFailure } from './values.ts'
import { outputOf, itemEnd, toolWords, checkedOutput } from './output.ts'

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
  const { failure = null, refused } = run && scope !== null ? causeIn(run, scope, code) : {}
  const ofModel = failure && modelFailureText(language, failure)
  return {
    ok: false,
    error: {
      code: code ?? 'failed',
      message: violations ?? ofModel ?? refused?.detail ?? failureText(language, code ?? ''),
    },
  }
}

function againEvent(path: string, { attempt }: StepState, { journal, engine }: MoveContext): NewEvent {
  const error = stepError(languageFor(engine, journal.record), 'output_invalid')
  return { type: 'step-retry', step: path, attempt, due_time: new Date(journal.now()).toISOString(), error }
}
