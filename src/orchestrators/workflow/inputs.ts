import type { InputIssue } from '../../domain/errors.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { WorkflowDefinition, WorkflowSpec } from '../../domain/workflow.ts'
import { isObject, memberOf, parseJson } from '../../lib/json.ts'
import { fitAnswer, issuesAt } from '../../skills/output-schema.ts'

/** What begins a run: its words, and the inputs that came with them. */
export interface SaidTask {
  words: string
  inputs?: Record<string, unknown> | undefined
}

type Declared = Pick<WorkflowDefinition, 'inputs'>

/** Inputs of words alone: words that are a JSON object are the inputs; of a workflow that needs one text they are that text. */
export function inputsOfWords({ inputs: schema }: Declared, words: string): Record<string, unknown> {
  if (!schema) return {}
  const said = parseJson(words.trim())
  if (isObject(said)) return said
  const required = schema['required']
  const [only, ...others] = Array.isArray(required) ? required.map(String) : []
  const isText = only !== undefined && memberOf(memberOf(schema['properties'], only), 'type') === 'string'
  return isText && others.length === 0 ? { [only]: words } : {}
}

/** Inputs of the run that a message begins: its own, else those that the session was made with, else what its words are. */
export function inputsOfRun({ name, definitions, inputs, byTask }: WorkflowSpec, said: SaidTask) {
  if (said.inputs) return said.inputs
  const definition = definitions[name]
  return byTask && definition ? inputsOfWords(definition, said.words) : inputs
}

/** What is wrong with the inputs of a run; each issue names the input. */
export function inputIssues({ inputs: schema }: Declared, inputs: Record<string, unknown>): InputIssue[] {
  const { inputCharsMax: max } = LIMITS.workflow
  if (JSON.stringify(inputs).length > max) return [{ path: 'inputs', message: `at most ${max} characters of JSON` }]
  const fitted = schema ? fitAnswer(JSON.stringify(inputs), schema) : null
  return !fitted || fitted.ok ? [] : issuesAt('inputs', fitted.errors)
}

/** The same of inputs that a step gives: an expression that stands for nothing gives null, which may stand for an input that is not given. */
export function filledIssues(declared: Declared, inputs: Record<string, unknown>): InputIssue[] {
  const issues = inputIssues(declared, inputs)
  if (issues.length === 0) return []
  const given = Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== null))
  return inputIssues(declared, given).length === 0 ? [] : issues
}

/** What is wrong with a message that is to begin a run of a session. */
export function taskIssues({ workflow }: Pick<SessionRecord, 'workflow'>, said: SaidTask): InputIssue[] {
  const definition = workflow?.definitions[workflow.name]
  return definition ? inputIssues(definition, inputsOfRun(workflow, said)) : []
}

/** What is wrong with inputs whose values are templates, filled in later; null: the words of a task are the inputs. */
export function templateIssues({ inputs: schema }: Declared, inputs: Record<string, unknown> | null): InputIssue[] {
  if (!schema) return []
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const given = Object.keys(inputs ?? inputsOfWords({ inputs: schema }, 'words'))
  const known = isObject(schema['properties']) ? Object.keys(schema['properties']) : []
  const missing = required.filter((name) => !given.includes(name))
  const unknown = schema['additionalProperties'] === false ? given.filter((name) => !known.includes(name)) : []
  return [
    ...missing.map((name) => ({ path: `inputs.${name}`, message: 'the workflow needs it' })),
    ...unknown.map((name) => ({ path: `inputs.${name}`, message: `no such input; there are ${known.join(', ')}` })),
  ]
}
