import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { declared } from '../forms/declared-inputs.ts'
import { goToWrong } from '../forms/form.tsx'
import { InputRows } from '../forms/input-row.tsx'
import { type FormRefusal, NO_REFUSAL } from '../forms/refusal.ts'
import { refusedInputs, wrongInputs } from '../forms/wrong-inputs.ts'
import { useOffers } from '../ui/offers.ts'
import type { Choices } from './choices.ts'

/** What the inputs of a workflow have to say before a task is sent, and when it was refused. */
export interface InputsCheck {
  /** Whether they will do, as far as can be told; what will not is told at its field. `task`: words may be the inputs. */
  isWhole: (task: string) => boolean
  /** Takes what the server says of them to their fields; true: that was all. */
  takes: (error: unknown) => boolean
}

interface Props {
  choices: Signal<Choices>
  check: RefObject<InputsCheck | null>
}

/** What the chosen workflow does, and a field for each input that it declares. */
export function WorkflowInputs({ choices, check }: Props) {
  const room = useRef<HTMLElement>(null)
  const refusal = useSignal<FormRefusal>(NO_REFUSAL)
  const { workflow, inputs } = choices.value
  const chosen = useOffers()?.workflows.find(({ name }) => name === workflow)
  const fields = declared(chosen?.inputs)
  const tell = (told: FormRefusal) => {
    refusal.value = told
    const isTold = Object.keys(told.fields).length > 0
    if (isTold) requestAnimationFrame(() => goToWrong(room.current))
    return isTold
  }
  check.current = {
    isWhole: (task) => {
      const isByWords = task !== '' && Object.keys(choices.value.inputs).length === 0
      return isByWords || !tell(wrongInputs(fields, choices.value.inputs))
    },
    takes: (error) => {
      const told = refusedInputs(error, fields)
      return tell(told) && told.rest === null
    },
  }
  useEffect(() => () => void (check.current = null), [])
  useEffect(() => void (refusal.value = NO_REFUSAL), [workflow])
  if (!chosen) return null
  return (
    <section ref={room} class="card workflow-inputs" aria-label={workflow}>
      <p class="dim">{withHiddenShown(chosen.description)}</p>
      <InputRows
        inputs={fields}
        given={inputs}
        refusal={refusal}
        onGive={(given) => (choices.value = { ...choices.value, inputs: given })}
      />
    </section>
  )
}
