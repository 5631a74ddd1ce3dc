import { useSignal } from '@preact/signals'
import { isObject } from '../../lib/json.ts'
import { TimeField } from '../forms/inputs.tsx'
import { joinedPath, stepsAt, textAt, writtenAt } from './definition.ts'
import { useEditing } from './editing.ts'
import { WAITS, type WaitKind, WORKERS, type WorkerKind, waitOf, workerKindOf } from './step-fields.ts'
import { workflowTexts } from './texts.ts'
import type { TypedIn } from './value-text.tsx'

interface Props extends TypedIn {
  /** Of the step. */
  path: string
  step: unknown
}

const stepWith = (step: unknown, without: readonly string[], more: object) =>
  Object.fromEntries([
    ...Object.entries(isObject(step) ? step : {}).filter(([name]) => !without.includes(name)),
    ...Object.entries(more),
  ])

/** Who does an agent step: others have no fields in common. */
export function WorkerChoice({ path, step, ...field }: Props) {
  const t = workflowTexts()
  const { set } = useEditing()
  const begun: Record<WorkerKind, object> = { '': {}, skill: { skill: '' }, team: { team: '' }, plan: { plan: true } }
  const choose = (value: string) => {
    const kind = WORKERS.find((one) => one === value) ?? ''
    set(path, stepWith(step, kind === 'skill' ? ['team', 'plan'] : ['skill', 'team', 'plan', 'inputs'], begun[kind]))
  }
  return (
    <select {...field} value={workerKindOf(step)} onChange={(event) => choose(event.currentTarget.value)}>
      {WORKERS.map((one) => (
        <option key={one} value={one}>
          {t.workers[one || 'agent']}
        </option>
      ))}
    </select>
  )
}

const BEGUN: Record<WaitKind, unknown> = {
  approval: '',
  question: { text: '' },
  for_ms: 60_000,
  until: '',
  webhook_key: '',
  session: '',
  signal: '',
}

/** What is awaited. Words that somebody is asked stay with another way to ask. */
export function WaitChoice({ path, step, ...field }: Props) {
  const t = workflowTexts()
  const { set } = useEditing()
  const choose = (value: string) => {
    const kind = WAITS.find((one) => one === value) ?? 'approval'
    const words = textAt(step, 'approval') || textAt(step, 'question.text')
    const own = kind === 'approval' ? words : kind === 'question' ? { text: words } : BEGUN[kind]
    const isTime = kind === 'for_ms' || kind === 'until'
    set(path, stepWith(step, [...WAITS, ...(isTime ? ['deadline_ms', 'default'] : [])], { [kind]: own }))
  }
  return (
    <select {...field} value={waitOf(step)} onChange={(event) => choose(event.currentTarget.value)}>
      {waitOf(step) === '' ? <option value="">{t.choose}</option> : null}
      {WAITS.map((one) => (
        <option key={one} value={one}>
          {t.waits[one]}
        </option>
      ))}
    </select>
  )
}

/** A time of the calendar, or a text that gives one. */
export function TimeOrText({ value, onSet, ...field }: TypedIn & { value: string; onSet: (value: string) => void }) {
  const t = workflowTexts()
  const asText = useSignal(value !== '' && Number.isNaN(Date.parse(value)))
  return (
    <span class="with-unit">
      {asText.value ? (
        <input
          {...field}
          class="mono"
          spellcheck={false}
          data-speaks="template"
          value={value}
          onInput={(event) => onSet(event.currentTarget.value)}
        />
      ) : (
        <TimeField {...field} value={value} onSet={(time) => onSet(time ?? '')} />
      )}
      <button type="button" class="quiet" onClick={() => (asText.value = !asText.value)}>
        {asText.value ? t.pickTime : t.typeTime}
      </button>
    </span>
  )
}

const ORDERS = ['above', 'none', 'these'] as const

/** After which steps of its list one begins. */
export function OrderField({ path, step, label, ...field }: Props & { label: string }) {
  const t = workflowTexts()
  const { workflow, set } = useEditing()
  const at = joinedPath(path, 'depends_on')
  const needs = writtenAt(step, 'depends_on')
  const list = path.slice(0, path.lastIndexOf('.'))
  const own = textAt(step, 'id')
  const ids = stepsAt(writtenAt(workflow.value, list)).flatMap((one) => textAt(one, 'id') || [])
  const named = Array.isArray(needs) ? needs.map(String) : []
  const isChosen = useSignal(named.length > 0)
  const order = needs === undefined ? 'above' : named.length > 0 || isChosen.value ? 'these' : 'none'
  const choose = (value: string) => {
    isChosen.value = value === 'these'
    set(at, value === 'above' ? undefined : value === 'none' ? [] : named)
  }
  const toggle = (id: string) => set(at, named.includes(id) ? named.filter((one) => one !== id) : [...named, id])
  return (
    <div class="order">
      <select {...field} aria-label={label} value={order} onChange={(event) => choose(event.currentTarget.value)}>
        {ORDERS.map((one) => (
          <option key={one} value={one}>
            {t.orders[one]}
          </option>
        ))}
      </select>
      {order === 'these' ? (
        <span class="checks">
          {[...new Set([...ids, ...named])]
            .filter((id) => id !== own)
            .map((id) => (
              <label class="check" key={id}>
                <input type="checkbox" checked={named.includes(id)} onChange={() => toggle(id)} />
                {id}
              </label>
            ))}
        </span>
      ) : null}
    </div>
  )
}
