import { resultText, toolFailureText } from '../../agent/texts.ts'
import { contentText } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { StepDefinition } from '../../domain/workflow-step.ts'
import type { LogContext, MoveContext } from '../../engine/engine.ts'
import type { BranchOutcome } from '../../engine/work.ts'
import { outcomeOf } from '../../engine/orchestrator-of.ts'
import type { MoveOf } from '../../engine/move.ts'
import { resultKey } from '../../engine/open.ts'
import { languageFor, toolOf } from '../../engine/settings.ts'
import { fencedPart } from '../../lib/fence.ts'
import { parseJson } from '../../lib/json.ts'
import { cutText } from '../../lib/text.ts'
import { fitAnswer } from '../../skills/output-schema.ts'
import { fill } from './template.ts'
import { isFrameWithin, ROOT_FRAME, stepsOf, stepPlace, shapeAt, type StepState, type WorkflowState } from './state.ts'
import { type Made, ROLLBACK_TEXTS, stepError } from './texts.ts'
import { answered } from './wait.ts'
import { endAt, workflowFailure, flowOf, itemFailure, lastOutput, lookUpIn, specOf } from './values.ts'

/** What steps, items and runs give. */

interface Finished {
  definition: StepDefinition
  state: StepState
  flow: WorkflowState
}

/** What a step gave. `again`: what was said to it is of no use, and it asks once more. */
export function outputOf(
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
function workflowOutput(context: MoveContext, flow: WorkflowState, frame: string): unknown {
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

export function itemEnd(
  { step: path, status }: MoveOf<'end-step'>,
  flow: WorkflowState,
  context: MoveContext,
): NewEvent {
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
export function toolWords(scope: string | null, context: MoveContext): string {
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
