import type { NewEvent, StepError } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import { orchestratorOfSkill } from '../../domain/skill.ts'
import type { Tool } from '../../domain/tool.ts'
import {
  type AgentStep,
  bodiesOf,
  type MapStep,
  type NestedStep,
  type StepDefinition,
  type SwitchStep,
  type ToolStep,
  type WaitStep,
} from '../../domain/workflow-step.ts'
import { workerOfStep } from '../../domain/workflow.ts'
import type { Step, StepContext } from '../../engine/engine.ts'
import type { Outcome } from '../../engine/job.ts'
import type { MoveOf } from '../../engine/move.ts'
import { languageFor } from '../../engine/settings.ts'
import { workerSkill } from '../../engine/worker/executor.ts'
import { evaluate, isTrue, parseExpression, type Path } from '../../lib/expression.ts'
import { newId } from '../../lib/id.ts'
import { memberOf } from '../../lib/json.ts'
import { means } from '../../skills/check-skill.ts'
import { fill, shownPlain } from './template.ts'
import { begunWait } from './wait.ts'
import { failedEvents } from './finish.ts'
import { filledIssues } from './inputs.ts'
import { checkedOutput } from './output.ts'
import { stepPlace, workflowOf, type WorkflowState } from './state.ts'
import { stepError, type StepErrorCode } from './texts.ts'
import { askedOfStep, definitionOf, flowOf, lookUpIn, specOf } from './values.ts'

/** Begin a step: what it is given is worked out of what is in the log by now. */
export const beginStep: Step<MoveOf<'begin-step'>> = { settle: begin }

type StartEvent = Extract<NewEvent, { type: 'step-start' }>

/** A step that is about to begin. */
interface Beginning {
  path: string
  attempt: number
  flow: WorkflowState
  lookUp: (path: Path) => unknown
  context: StepContext
}

function begin({ step: path, attempt }: MoveOf<'begin-step'>, context: StepContext): Outcome | Promise<Outcome> {
  const flow = flowOf(context)
  const definition = definitionOf(context, flow, path)
  const lookUp = lookUpIn(context, flow, stepPlace(path).frame)
  const beginning = { path, attempt, flow, lookUp, context }
  if (attempt === 1 && definition.when !== undefined && !isTrue(valueOf(definition.when, lookUp)))
    return { events: [{ type: 'step-end', step: path, status: 'skipped' }] }
  switch (definition.type) {
    case 'agent':
      return beginAgent(definition, beginning)
    case 'tool':
      return beginTool(definition, beginning)
    case 'wait':
      return beginWait(definition, beginning)
    case 'map':
      return beginMap(definition, beginning)
    case 'set':
      return beginSet(definition, fill(definition.values, lookUp), beginning)
    case 'if':
      return beginList(definition, isTrue(valueOf(definition.condition, lookUp)) ? 0 : 1, beginning)
    case 'switch':
      return beginList(definition, chosenCase(definition, valueOf(definition.value, lookUp)), beginning)
    case 'parallel':
      return { events: [started(definition, beginning)] }
    case 'workflow':
      return beginNested(definition, fill(definition.inputs, lookUp) as Record<string, unknown>, beginning)
  }
}

function valueOf(expression: string, lookUp: (path: Path) => unknown): unknown {
  const parsed = parseExpression(expression)
  return parsed.ok ? evaluate(parsed.expression, lookUp) : null
}

function started(definition: StepDefinition, { path, attempt, context }: Beginning, more: Partial<StartEvent> = {}) {
  const { id: _, type: kind, timeout_ms: timeout } = definition
  const due = timeout === undefined ? {} : { due_time: new Date(context.journal.now() + timeout).toISOString() }
  return { type: 'step-start', step: path, kind, attempt, ...due, ...more } satisfies NewEvent
}

/** A step that failed before it could do anything. */
function refused(
  code: StepErrorCode,
  detail: string,
  definition: StepDefinition,
  beginning: Beginning,
  mayRetry = false,
): Outcome {
  const { path, attempt, context } = beginning
  const error: StepError = stepError(languageFor(context.engine, context.journal.record), code, detail)
  return {
    events: [started(definition, beginning), ...failedEvents({ path, attempt, definition, error, mayRetry }, context)],
  }
}

/** Why a step is not given this; null: it is not too long. */
function withinSize(input: unknown, definition: StepDefinition, beginning: Beginning): Outcome | null {
  const { inputCharsMax: max } = LIMITS.workflow
  const { length } = JSON.stringify(input ?? null)
  return length > max ? refused('input_too_long', `${length} > ${max}`, definition, beginning) : null
}

function beginSet(definition: StepDefinition, output: unknown, beginning: Beginning): Outcome {
  const { path, attempt, context } = beginning
  const checked = checkedOutput(definition, output, context)
  if (!checked.ok)
    return {
      events: [
        started(definition, beginning),
        ...failedEvents({ path, attempt, definition, error: checked.error, mayRetry: false }, context),
      ],
    }
  return {
    events: [
      started(definition, beginning),
      { type: 'step-end', step: path, status: 'completed', output: checked.output },
    ],
  }
}

/** The list of a step that is to be done; where there is none of that number, the step is done. */
function beginList(definition: StepDefinition, body: number, beginning: Beginning): Outcome {
  const has = bodiesOf(definition)[body] !== undefined
  const start = started(definition, beginning, { body: has ? body : -1 })
  if (has) return { events: [start] }
  return { events: [start, { type: 'step-end', step: beginning.path, status: 'completed', output: null }] }
}

/** Behind all cases stands the default. */
function chosenCase({ cases }: SwitchStep, value: unknown): number {
  const found = cases.findIndex(({ matches, equals }) => {
    const [by, wanted] = matches === undefined ? (['==', equals] as const) : (['matches', matches] as const)
    const constant = (one: unknown) => ({ kind: 'value', value: one }) as const
    return evaluate({ kind: 'compare', by, left: constant(value), right: constant(wanted) }, () => null) === true
  })
  return found < 0 ? cases.length : found
}

/** So much of an expression is told. */
const SHOWN_CHARS = 100

function beginMap(definition: MapStep, beginning: Beginning): Outcome {
  const items = valueOf(definition.over, beginning.lookUp)
  const { itemsMax } = LIMITS.workflow
  if (!Array.isArray(items)) return refused('not_a_list', definition.over.slice(0, SHOWN_CHARS), definition, beginning)
  if (items.length > itemsMax) return refused('too_many_items', `${items.length} > ${itemsMax}`, definition, beginning)
  return (
    withinSize(items, definition, beginning) ?? {
      events: [started(definition, beginning, { input: items, total: items.length })],
    }
  )
}

/** Another workflow, with inputs that fit it. */
function beginNested(definition: NestedStep, input: Record<string, unknown>, beginning: Beginning): Outcome {
  const { flow, context, path } = beginning
  const { definitions } = specOf(context, flow, workflowOf(flow, stepPlace(path).frame))
  const nested = definitions[definition.workflow]
  const issues = nested ? filledIssues(nested, input) : []
  const words = issues.map(({ path: at, message }) => `${at}: ${message}`).join('; ')
  if (words !== '') return refused('bad_inputs', words, definition, beginning)
  return withinSize(input, definition, beginning) ?? { events: [started(definition, beginning, { input })] }
}

/** A branch of its own, with what it is asked as its task. */
function beginAgent(definition: AgentStep, beginning: Beginning): Outcome | Promise<Outcome> {
  const { path, flow, lookUp, context } = beginning
  const { journal, engine } = context
  const worker = workerOfStep(workflowOf(flow, stepPlace(path).frame), definition.id)
  const input = definition.inputs === undefined ? {} : { input: fill(definition.inputs, lookUp) }
  const { text, images } = askedOfStep(definition.prompt, context, flow, stepPlace(path).frame)
  const tooLong = withinSize([input, text], definition, beginning)
  if (tooLong) return tooLong
  const scope = newId('stp', journal.now())
  const start = { ...started(definition, beginning, { ...input, worker }), scope }
  const task = text === '' ? JSON.stringify(input.input ?? {}) : text
  const content = images.length === 0 ? task : [{ type: 'text' as const, text: task }, ...images]
  const said = journal.messageEvent({ role: 'user', kind: 'task', content, scope })
  const skill = workerSkill(engine, journal.record, worker)
  const { takeTask } = (skill && engine.orchestrators.find(orchestratorOfSkill(skill))) ?? {}
  if (!skill || !takeTask) return { events: [start, said] }
  const given = { branch: scope, worker, skill, owner: null, content: task, workers: [worker] }
  return takeTask(given, context).then((taken): Outcome => {
    if (!taken.ok) return refused('given_up', taken.error, definition, beginning)
    if (taken.value === null) return { events: [start, said] }
    const { bounds, events, ...kept } = taken.value
    return { ...kept, events: [{ ...start, ...bounds }, said, ...events] }
  })
}

/** A call as a model would have written it: it asks where nobody allowed it, and is made once. */
function beginTool(definition: ToolStep, beginning: Beginning): Outcome | Promise<Outcome> {
  const { lookUp, context } = beginning
  const { journal, engine } = context
  const tool = toolNamed(engine.tools, definition.tool)
  if (!tool) return refused('unknown_tool', definition.tool, definition, beginning, true)
  const given = fill(definition.arguments, lookUp) as Record<string, unknown>
  const asGiven = tool.parse(given)
  const parsed = asGiven.ok ? asGiven : tool.parse(textsFor(tool, given))
  if (!parsed.ok) {
    const words = parsed.errors.map(({ path, expected }) => `${path}: ${expected}`).join('; ')
    return refused('bad_arguments', words, definition, beginning)
  }
  const tooLong = withinSize(parsed.value, definition, beginning)
  if (tooLong) return tooLong
  const scope = newId('stp', journal.now())
  const call = { id: newId('call', journal.now()), name: tool.id, arguments: parsed.value }
  const begun = (unseen: readonly string[]): Outcome => {
    const start = started(definition, beginning, {
      input: parsed.value,
      ...(unseen.length > 0 ? { unseen: true } : {}),
    })
    return {
      events: [
        { ...start, scope },
        journal.messageEvent({ role: 'assistant', kind: 'reply', content: '', tool_calls: [call], scope }),
      ],
    }
  }
  const unseen = context.unseenCalls([call])
  return unseen ? unseen.then(begun) : begun([])
}

/** Arguments whose tool takes a text have what a template came to as text: data as its JSON. */
function textsFor(tool: Tool, given: Record<string, unknown>): Record<string, unknown> {
  const properties = memberOf(tool.inputSchema(), 'properties')
  const takesText = (name: string) => memberOf(memberOf(properties, name), 'type') === 'string'
  const isData = (value: unknown) => value !== null && value !== undefined
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, isData(value) && takesText(name) ? shownPlain(value) : value]),
  )
}

/** The tool of this name; absent: there is none. */
function toolNamed(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.client === undefined && !tool.control && !tool.isMove && means(name, tool))
}

async function beginWait(definition: WaitStep, beginning: Beginning): Promise<Outcome> {
  const begun = await begunWait(definition, beginning)
  if (begun.is === 'refused') return refused(begun.code, begun.detail, definition, beginning)
  if (begun.is === 'until') return { events: [started(definition, beginning, { due_time: begun.until.toISOString() })] }
  const scope = newId('stp', beginning.context.journal.now())
  return { events: [{ ...started(definition, beginning), scope }, ...begun.events(scope)] }
}
