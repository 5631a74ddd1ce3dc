import type { Signal } from '@preact/signals'
import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { declared, InputRow } from '../forms/declared-inputs.tsx'
import { useOffers } from '../ui/offers.ts'
import type { Choices } from './choices.ts'

/** What the chosen workflow does, and a field for each input that it declares. */
export function WorkflowInputs({ choices }: { choices: Signal<Choices> }) {
  const { workflow, inputs } = choices.value
  const chosen = useOffers()?.workflows.find(({ name }) => name === workflow)
  if (!chosen) return null
  const set = (name: string, value: unknown) => {
    const given = Object.entries({ ...inputs, [name]: value }).filter(([, one]) => one !== undefined)
    choices.value = { ...choices.value, inputs: Object.fromEntries(given) }
  }
  const fields = declared(chosen.inputs)
  return (
    <section class="card workflow-inputs" aria-label={workflow}>
      <p class="dim">{withHiddenShown(chosen.description)}</p>
      {fields.length === 0 ? null : (
        <div class="fields">
          {fields.map((input) => (
            <InputRow key={input.name} input={input} value={inputs[input.name]} isNow onSet={set} />
          ))}
        </div>
      )}
    </section>
  )
}
