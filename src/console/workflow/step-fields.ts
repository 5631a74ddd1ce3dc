import type { StepType } from '../../domain/workflow-step.ts'
import { isObject, memberOf } from '../../lib/json.ts'
import type { FieldBounds } from '../forms/field.ts'
import { textAt } from './definition.ts'

/** How a field of a step is typed in. `template`: a text with values in it; `word`: the same in one line. `expression`: a value, or whether
 *  something holds. `wait` and `worker` choose which of other fields there are. */
type FieldKind =
  | {
      kind: 'template' | 'word' | 'expression' | 'schema' | 'json' | 'steps' | 'cases' | 'branches' | 'permissions'
    }
  | {
      kind: 'tool' | 'model' | 'skill' | 'team' | 'workflow' | 'tools' | 'worker' | 'wait' | 'order' | 'time' | 'lines'
    }
  | { kind: 'values'; of: 'tool' | 'workflow' | null }
  | ({ kind: 'number'; whole: boolean; placeholder?: string } & FieldBounds)
  /** In ms. */
  | ({ kind: 'duration' } & FieldBounds)
  | { kind: 'choice'; options: readonly string[] }

/** A field of a step. `name`: its path in the step. */
export type StepField = FieldKind & {
  name: string
  /** It has to have a value; a list of steps then has at least one. */
  isNeeded?: (step: unknown) => boolean
  /** It is shown on demand. */
  isMore?: true
  isFor?: (step: unknown) => boolean
  /** Refusals of what stands at these paths are shown here, too. */
  covers?: readonly string[]
}

/** What the server takes at most, as `LIMITS` of the domain says; with those themselves the console would load all that there are. */
export const STEP_LIMITS = {
  retriesMax: 20,
  backoffMax: 10,
  concurrencyMax: 32,
  waitMsMax: 366 * 86_400_000,
  toolIterationsMax: 1_000,
} as const
const MAX = STEP_LIMITS

const always = () => true
const whole = { kind: 'number', whole: true, least: 1 } as const
const wait = { kind: 'duration', least: 0, most: MAX.waitMsMax } as const
const longWait = { ...wait, least: 1 } as const
const more = { isMore: true } as const

export const WAITS = ['approval', 'question', 'for_ms', 'until', 'webhook_key', 'session', 'signal'] as const
export type WaitKind = (typeof WAITS)[number]

export const waitOf = (step: unknown): WaitKind | '' => WAITS.find((one) => memberOf(step, one) !== undefined) ?? ''
const waitsFor = (kind: WaitKind) => (step: unknown) => waitOf(step) === kind
const waitsForOthers = (step: unknown) => !['', 'for_ms', 'until'].includes(waitOf(step))

export const WORKERS = ['', 'skill', 'team', 'plan'] as const
export type WorkerKind = (typeof WORKERS)[number]

/** Who does an agent step. */
export const workerKindOf = (step: unknown): WorkerKind =>
  WORKERS.find((one) => one !== '' && memberOf(step, one) !== undefined) ?? ''
const isDoneBy = (kind: WorkerKind) => (step: unknown) => workerKindOf(step) === kind

/** What every step may say, shown on demand. */
const COMMON: readonly StepField[] = [
  { name: 'when', kind: 'expression', ...more },
  { name: 'depends_on', kind: 'order', ...more },
  { name: 'retry.times', ...whole, most: MAX.retriesMax, ...more },
  { name: 'retry.delay_ms', ...wait, ...more },
  { name: 'retry.backoff', ...whole, whole: false, most: MAX.backoffMax, placeholder: '1', ...more },
  { name: 'timeout_ms', ...longWait, ...more },
  { name: 'output', kind: 'schema', ...more },
  { name: 'rollback', kind: 'steps', ...more },
]

const OWN: Record<StepType, readonly StepField[]> = {
  agent: [
    { name: 'prompt', kind: 'template', isNeeded: (step) => memberOf(step, 'inputs') === undefined },
    { name: 'worker', kind: 'worker', covers: ['skill', 'team', 'plan'] },
    { name: 'skill', kind: 'skill', isFor: isDoneBy('skill'), isNeeded: always },
    { name: 'team', kind: 'team', isFor: isDoneBy('team'), isNeeded: always },
    { name: 'model', kind: 'model' },
    { name: 'inputs', kind: 'values', of: null, isFor: isDoneBy('skill') },
    { name: 'tools', kind: 'tools' },
    { name: 'permissions', kind: 'permissions', ...more },
    { name: 'limits.max_tool_iterations', ...whole, most: MAX.toolIterationsMax, placeholder: '10', ...more },
    { name: 'limits.max_tokens', ...whole, most: 1_000_000, ...more },
  ],
  tool: [
    { name: 'tool', kind: 'tool', isNeeded: always },
    { name: 'arguments', kind: 'values', of: 'tool' },
  ],
  if: [
    { name: 'condition', kind: 'expression', isNeeded: always },
    { name: 'then', kind: 'steps', isNeeded: always },
    { name: 'else', kind: 'steps' },
  ],
  switch: [
    { name: 'value', kind: 'expression', isNeeded: always },
    { name: 'cases', kind: 'cases', isNeeded: always },
    { name: 'default', kind: 'steps' },
  ],
  map: [
    { name: 'over', kind: 'expression', isNeeded: always },
    { name: 'steps', kind: 'steps', isNeeded: always },
    { name: 'on_error', kind: 'choice', options: ['stop', 'skip', 'collect'], ...more },
    { name: 'concurrency', ...whole, most: MAX.concurrencyMax, placeholder: '1', ...more },
  ],
  parallel: [{ name: 'branches', kind: 'branches', isNeeded: always }],
  wait: [
    { name: 'wait', kind: 'wait', covers: WAITS },
    { name: 'approval', kind: 'template', isFor: waitsFor('approval'), isNeeded: always },
    { name: 'question.text', kind: 'template', isFor: waitsFor('question'), isNeeded: always },
    { name: 'question.options', kind: 'lines', isFor: waitsFor('question') },
    { name: 'question.form', kind: 'schema', isFor: waitsFor('question'), ...more },
    { name: 'for_ms', ...wait, isFor: waitsFor('for_ms'), isNeeded: always },
    { name: 'until', kind: 'time', isFor: waitsFor('until'), isNeeded: always },
    { name: 'webhook_key', kind: 'word', isFor: waitsFor('webhook_key'), isNeeded: always },
    { name: 'session', kind: 'word', isFor: waitsFor('session'), isNeeded: always },
    { name: 'signal', kind: 'word', isFor: waitsFor('signal'), isNeeded: always },
    { name: 'deadline_ms', ...longWait, isFor: waitsForOthers },
    { name: 'default', kind: 'json', isFor: waitsForOthers, ...more },
  ],
  workflow: [
    { name: 'workflow', kind: 'workflow', isNeeded: always },
    { name: 'inputs', kind: 'values', of: 'workflow' },
  ],
  set: [{ name: 'values', kind: 'values', of: null, isNeeded: always }],
}

export const TYPES = Object.keys(OWN) as StepType[]

/** Null: no type that there is. */
export function writtenType(step: unknown): StepType | null {
  const type = textAt(step, 'type')
  return TYPES.find((one) => one === type) ?? null
}

/** The fields that a step has as it stands. */
export function fieldsOf(step: unknown): readonly StepField[] {
  const type = writtenType(step)
  if (type === null || !isObject(step)) return []
  return [...OWN[type], ...COMMON].filter(({ isFor }) => isFor?.(step) ?? true)
}
