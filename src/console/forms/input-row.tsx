import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { type DeclaredInput, type GivenInputs, inputText, inputValue, isListed } from './declared-inputs.ts'
import { describedOf, FieldFrame } from './frame.tsx'
import { type FormRefusal, NO_REFUSAL } from './refusal.ts'
import { formTexts } from './texts.ts'

interface ShownText {
  text: string
  type: (text: string) => void
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The text of a value, as it was typed while it stands for that value: `1.` on the way to `1.5`, JSON with its lines. */
export function useShownText(
  value: unknown,
  textOf: (value: unknown) => string,
  valueOf: (text: string) => unknown,
  onSet: (value: unknown) => void,
): ShownText {
  const typed = useSignal<string | null>(null)
  const isStill = typed.value !== null && isSame(valueOf(typed.value), value)
  return {
    text: isStill && typed.value !== null ? typed.value : textOf(value),
    type: (text) => {
      typed.value = text
      onSet(valueOf(text))
    },
  }
}

interface Props {
  input: DeclaredInput
  value: unknown
  problem?: string | undefined
  /** It is given now: what it may be is chosen. Else it may be a template, as of a webhook, and is typed in as text in any case. */
  isNow?: boolean
  /** It may be a template of a step, and take values of its run. */
  isSpeaking?: boolean
  onSet: (name: string, value: unknown) => void
}

/** One input in a field of its own, with what it is for and what is wrong with it. */
export function InputRow({ input, value, problem, isNow = false, isSpeaking = false, onSet }: Props) {
  const t = formTexts()
  const { name, label, hint, kind, options, isNeeded } = input
  const shown = useShownText(
    value,
    inputText,
    (text) => inputValue(input, text),
    (next) => onSet(name, next),
  )
  const how = isListed(input) ? t.anItemALine : kind === 'json' ? t.asJson : ''
  const told = { id: useId(), hint: [hint, how].filter(Boolean).join(' · ') || undefined, problem }
  const field = {
    id: told.id,
    'aria-describedby': describedOf(told),
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-required': isNeeded ? ('true' as const) : undefined,
    'data-speaks': isSpeaking ? 'template' : undefined,
    value: shown.text,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => shown.type(currentTarget.value),
  }
  return (
    <FieldFrame {...told} {...{ label, isNeeded }} isWide={isListed(input) || kind === 'json'}>
      {isListed(input) ? (
        <textarea {...field} rows={3} dir="auto" class="growing lines" />
      ) : kind === 'json' ? (
        <textarea {...field} rows={2} class="growing mono" spellcheck={false} />
      ) : options.length === 0 && isSpeaking ? (
        <textarea {...field} rows={1} dir="auto" class="growing" />
      ) : options.length === 0 ? (
        <input {...field} dir="auto" inputMode={isNow && kind !== 'text' ? 'decimal' : undefined} />
      ) : isNow ? (
        <select {...field}>
          {['', ...options].map((option) => (
            <option key={option} value={option}>
              {input.type === 'boolean' ? (t.yesOrNo[option] ?? '') : option}
            </option>
          ))}
        </select>
      ) : (
        <>
          <input {...field} list={`${told.id}-options`} />
          <datalist id={`${told.id}-options`}>
            {options.map((option) => (
              <option key={option} value={option} />
            ))}
          </datalist>
        </>
      )}
    </FieldFrame>
  )
}

interface RowsProps {
  inputs: readonly DeclaredInput[]
  given: GivenInputs
  refusal: Signal<FormRefusal>
  onGive: (given: GivenInputs) => void
}

/** All that a run is given now. What is wrong with an input is told until it is changed. */
export function InputRows({ inputs, given, refusal, onGive }: RowsProps) {
  const set = (name: string, value: unknown) => {
    const next = Object.entries({ ...given, [name]: value }).filter(([, one]) => one !== undefined)
    const { [name]: _, ...fields } = refusal.value.fields
    refusal.value = Object.keys(fields).length === 0 ? NO_REFUSAL : { ...refusal.value, fields }
    onGive(Object.fromEntries(next))
  }
  if (inputs.length === 0) return null
  return (
    <div class="fields">
      {inputs.map((input) => (
        <InputRow
          key={input.name}
          input={input}
          value={given[input.name]}
          problem={refusal.value.fields[input.name]}
          isNow
          onSet={set}
        />
      ))}
    </div>
  )
}
