import type { InputIssue } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import {
  type AgentStep,
  bodiesOf,
  type StepDefinition,
  type ToolStep,
  type WaitStep,
} from '../../domain/workflow-step.ts'
import { workflowDefinition, type WorkflowDefinition } from '../../domain/workflow.ts'
import { type Path, parseExpression, pathsIn } from '../../lib/expression.ts'
import { isId } from '../../lib/id.ts'
import { isObject, memberOf } from '../../lib/json.ts'
import { issuesOf } from '../../lib/zod.ts'
import { isKnownTool } from '../../skills/check-skill.ts'
import { fitAnswer, schemaProblem } from '../../skills/output-schema.ts'
import { formProblem, isOfObject } from '../../tools/waiting/form.ts'
import { otherIssues, type WorkflowSurroundings } from './check-others.ts'
import { beforeEach, cycleIn, sameFrame, stepsIn } from './order.ts'
import { lookedAt } from './template.ts'

export type CheckedWorkflow = { ok: true; definition: WorkflowDefinition } | { ok: false; issues: InputIssue[] }

/** A workflow as it came, checked as a whole. Each issue has the field as its path, and names the step. */
export async function checkWorkflow(given: unknown, around: WorkflowSurroundings): Promise<CheckedWorkflow> {
  const { definitionCharsMax: max } = LIMITS.workflow
  if (JSON.stringify(given).length > max) return refused([{ path: '', message: `at most ${max} characters of JSON` }])
  const parsed = workflowDefinition().safeParse(given)
  if (!parsed.success) return refused(namedIn(given, issuesOf(parsed.error)))
  const definition: WorkflowDefinition = parsed.data
  const own = [...inputsIssues(definition), ...new Checker(definition, around).issues()]
  if (own.length > 0) return refused(namedIn(given, own))
  const others = await otherIssues(definition, around)
  return others.length > 0 ? refused(namedIn(given, others)) : { ok: true, definition }
}

function refused(issues: readonly InputIssue[]): CheckedWorkflow {
  return { ok: false, issues: issues.slice(0, LIMITS.http.issuesMax) }
}

/** What a template or an expression of a step may look at. */
interface Sight {
  roots: ReadonlySet<string>
  /** Ids of steps that are done before it, where they are done. */
  before: ReadonlySet<string>
  depth: number
}

const ROOTS = ['inputs', 'steps', 'task', 'user', 'language', 'time'] as const
const OF_STEP: readonly unknown[] = ['output', 'status', 'error']

/** What is wrong within one workflow, without a look at skills and other workflows. */
class Checker {
  readonly #definition: WorkflowDefinition
  readonly #around: WorkflowSurroundings
  readonly #ids = new Set<string>()
  readonly #found: InputIssue[] = []

  constructor(definition: WorkflowDefinition, around: WorkflowSurroundings) {
    this.#definition = definition
    this.#around = around
  }

  issues(): InputIssue[] {
    const { steps, output } = this.#definition
    const all = stepsIn(this.#definition)
    if (all.length > LIMITS.workflow.stepsMax) this.#wrong('steps', `at most ${LIMITS.workflow.stepsMax} steps in all`)
    for (const { step, path } of all) this.#isOwnId(step, path)
    const sight: Sight = { roots: new Set(ROOTS), before: new Set(), depth: 0 }
    this.#list(steps, 'steps', sight)
    this.#template(output, 'output', { ...sight, before: new Set(steps.flatMap(sameFrame)) })
    return this.#found
  }

  #isOwnId({ id }: StepDefinition, path: string): void {
    if (this.#ids.has(id)) this.#wrong(`${path}.id`, `an id that no other step has: ${id} is there already`)
    this.#ids.add(id)
  }

  /** Steps of one list, each with what goes before it. */
  #list(steps: readonly StepDefinition[], path: string, sight: Sight): void {
    if (sight.depth > LIMITS.workflow.stepDepthMax)
      return this.#wrong(path, `steps within each other at most ${LIMITS.workflow.stepDepthMax} deep`)
    const ids = new Set(steps.map(({ id }) => id))
    for (const [index, { depends_on: needs = [], id }] of steps.entries()) {
      for (const [at, name] of needs.entries()) {
        if (name === id) this.#wrong(`${path}.${index}.depends_on.${at}`, `another step: ${id} cannot wait for itself`)
        else if (!ids.has(name))
          this.#wrong(`${path}.${index}.depends_on.${at}`, `a step of the same list: there is no ${name}`)
      }
    }
    // Steps of one id would look as if they waited for themselves.
    const cycle = new Set(steps.map(({ id }) => id)).size === steps.length ? cycleIn(steps) : null
    if (cycle) {
      const at = steps.findIndex(({ id }) => id === cycle[0])
      this.#wrong(`${path}.${at}.depends_on`, `no cycle: ${[...cycle, cycle[0]].join(' → ')}`)
      return
    }
    const before = beforeEach(steps)
    for (const [index, step] of steps.entries()) {
      const own = before.get(step.id) ?? []
      this.#step(step, `${path}.${index}`, { ...sight, before: new Set([...sight.before, ...own]) })
    }
  }

  #step(step: StepDefinition, path: string, sight: Sight): void {
    if (step.when !== undefined) this.#expression(step.when, `${path}.when`, sight)
    this.#found.push(...schemaIssues(step.output, `${path}.output`))
    const inner = { ...sight, depth: sight.depth + 1 }
    const behind = new Set([...sight.before, ...sameFrame(step)])
    if (step.rollback)
      this.#list(step.rollback, `${path}.rollback`, {
        ...inner,
        before: behind,
        roots: new Set([...sight.roots, 'error']),
      })
    switch (step.type) {
      case 'agent':
        return this.#agent(step, path, sight)
      case 'tool':
        return this.#tool(step, path, sight)
      case 'if':
        this.#expression(step.condition, `${path}.condition`, sight)
        break
      case 'switch':
        this.#expression(step.value, `${path}.value`, sight)
        break
      case 'map':
        this.#expression(step.over, `${path}.over`, sight)
        break
      case 'wait':
        for (const field of ['until', 'approval', 'webhook_key', 'session', 'signal'] as const)
          this.#template(step[field], `${path}.${field}`, sight)
        if (step.timeout_ms !== undefined && (step.for_ms !== undefined || step.until !== undefined))
          this.#wrong(`${path}.timeout_ms`, 'nothing: it waits for a time')
        this.#template(step.question?.text, `${path}.question.text`, sight)
        this.#found.push(...formIssues(step, path), ...targetIssues(step, path))
        return
      case 'workflow':
        return this.#template(step.inputs, `${path}.inputs`, sight)
      case 'set':
        return this.#template(step.values, `${path}.values`, sight)
    }
    const roots = step.type === 'map' ? new Set([...sight.roots, 'item', 'index']) : sight.roots
    for (const { field, steps } of bodiesOf(step)) this.#list(steps, `${path}.${field}`, { ...inner, roots })
  }

  #agent(step: AgentStep, path: string, sight: Sight): void {
    const who = (['skill', 'team', 'plan'] as const).filter((name) => step[name] !== undefined)
    if (who.length > 1) this.#wrong(`${path}.${who[1]}`, `not with ${who[0]}: a step has one of skill, team and plan`)
    if (step.prompt === '' && step.inputs === undefined) this.#wrong(`${path}.prompt`, 'what the step is asked')
    if (step.inputs !== undefined && step.skill === undefined) this.#wrong(`${path}.inputs`, 'only with a skill')
    if (step.model !== undefined && !this.#around.hasModel(step.model))
      this.#wrong(`${path}.model`, 'a model that GET /v1/models lists')
    const tools = [
      ...(step.tools ?? []).map((name, at) => ({ name, at: `tools.${at}` })),
      ...Object.keys(step.permissions ?? {}).map((name) => ({ name, at: `permissions.${name}` })),
    ]
    for (const { name, at } of tools)
      if (!isKnownTool(name, this.#around)) this.#wrong(`${path}.${at}`, `no tool ${name} here; see GET /v1/tools`)
    if (step.team && step.output) this.#wrong(`${path}.output`, 'none with a team: many write its answer')
    if (step.plan && step.output) this.#wrong(`${path}.output`, 'none with a plan: its answer is text')
    this.#template(step.prompt, `${path}.prompt`, sight)
    this.#template(step.inputs, `${path}.inputs`, sight)
  }

  #tool(step: ToolStep, path: string, sight: Sight): void {
    this.#template(step.arguments, `${path}.arguments`, sight)
    const tool = this.#around.tools.find((one) => one.id === step.tool || Object.values(one.names).includes(step.tool))
    if (!tool && (!isKnownTool(step.tool, this.#around) || step.tool.endsWith('*')))
      return this.#wrong(`${path}.tool`, `no tool ${step.tool} here; see GET /v1/tools`)
    if (!tool) return
    if (tool.control || tool.isMove || tool.client !== undefined)
      return this.#wrong(`${path}.tool`, `${step.tool} only steers a model: a step cannot call it`)
    const { properties, required } = tool.inputSchema()
    const names = isObject(properties) ? Object.keys(properties) : null
    for (const name of Object.keys(step.arguments))
      if (names && !names.includes(name))
        this.#wrong(`${path}.arguments.${name}`, `${tool.id} has no such argument; it has ${names.join(', ')}`)
    for (const name of Array.isArray(required) ? required.map(String) : [])
      if (!Object.hasOwn(step.arguments, name)) this.#wrong(`${path}.arguments.${name}`, `${tool.id} needs it`)
  }

  #expression(text: string, path: string, sight: Sight): void {
    const parsed = parseExpression(text)
    if (!parsed.ok) return this.#wrong(path, parsed.error)
    for (const one of pathsIn(parsed.expression)) this.#reference(one, path, sight)
  }

  #template(value: unknown, path: string, sight: Sight): void {
    if (value === undefined) return
    const { paths, issues } = lookedAt(value, path)
    this.#found.push(...issues)
    for (const one of paths) this.#reference(one.path, one.at, sight)
  }

  /** A path leads to something that there is by then. */
  #reference([root, name, member]: Path, path: string, { roots, before }: Sight): void {
    if (!roots.has(String(root))) return this.#wrong(path, `unknown name ${root}; there are ${[...roots].join(', ')}`)
    const { properties } = this.#definition.inputs ?? {}
    if (root === 'inputs' && name !== undefined && isObject(properties) && !Object.hasOwn(properties, name))
      return this.#wrong(path, `unknown input ${name}; there are ${Object.keys(properties).join(', ')}`)
    if (root !== 'steps') return
    if (typeof name !== 'string' || !this.#ids.has(name)) return this.#wrong(path, `unknown step ${name ?? ''}`)
    if (!before.has(name)) return this.#wrong(path, `step ${name} is not done before this one`)
    if (!OF_STEP.includes(member)) this.#wrong(path, `write steps.${name}.output, .status or .error`)
  }

  #wrong(path: string, message: string): void {
    this.#found.push({ path, message })
  }
}

/** Inputs have names. */
function inputsIssues({ inputs }: WorkflowDefinition): InputIssue[] {
  if (inputs === undefined || isOfObject(inputs)) return schemaIssues(inputs, 'inputs')
  return [{ path: 'inputs', message: 'a JSON Schema of an object' }]
}

function schemaIssues(schema: Record<string, unknown> | undefined, path: string): InputIssue[] {
  const problem = schema && schemaProblem(schema)
  return problem ? [{ path, message: problem }] : []
}

/** A form is one that people can be shown, and what is taken without an answer fits it. */
function formIssues({ question, default: otherwise }: WaitStep, path: string): InputIssue[] {
  const { form } = question ?? {}
  if (!form) return []
  const problem = isOfObject(form) ? (formProblem(form) ?? schemaProblem(form)) : 'a JSON Schema of an object'
  if (problem !== null) return [{ path: `${path}.question.form`, message: problem }]
  const fitted = otherwise === undefined ? null : fitAnswer(JSON.stringify(otherwise), form)
  return !fitted || fitted.ok
    ? []
    : [{ path: `${path}.default`, message: `what fits the form: ${fitted.errors.join('; ')}` }]
}

/** A time or a session that no template has to fill in is one. */
function targetIssues({ until, session }: WaitStep, path: string): InputIssue[] {
  const isFixed = (text: string | undefined): text is string => text !== undefined && !text.includes('{{')
  return [
    ...(isFixed(until) && Number.isNaN(Date.parse(until))
      ? [{ path: `${path}.until`, message: 'a time by RFC 3339, such as 2026-11-24T08:00:00+08:00' }]
      : []),
    ...(isFixed(session) && !isId('ses', session.trim())
      ? [{ path: `${path}.session`, message: 'the id of a session: ses_…' }]
      : []),
  ]
}

/** The issues with the id of the step that each is about. */
function namedIn(given: unknown, issues: readonly InputIssue[]): InputIssue[] {
  return issues.map(({ path, message }) => {
    let at: unknown = given
    let id: string | null = null
    for (const part of path.split('.')) {
      at = memberOf(at, part)
      const named = isObject(at) ? at['id'] : null
      if (typeof named === 'string') id = named
    }
    return { path, message: id === null ? message : `step ${id}: ${message}` }
  })
}
