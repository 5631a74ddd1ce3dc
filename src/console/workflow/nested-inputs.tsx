import { isObject } from '../../lib/json.ts'
import { declared } from '../forms/declared-inputs.ts'
import { InputRow } from '../forms/input-row.tsx'
import { formTexts } from '../forms/texts.ts'
import { type ValueProps, ValueRows } from './value-rows.tsx'

/** What a workflow within another is given: a row for each input that it declares, as when it is run, where a text may be a template. What it
 *  does not declare, or declares no more, stands below by its name. */
export function NestedInputs({ value, schema, isWrong, onSet, ...more }: ValueProps) {
  const inputs = declared(schema)
  if (inputs.length === 0) return <ValueRows {...{ value, schema, isWrong, onSet, ...more }} />
  const given = isObject(value) ? value : {}
  const isDeclared = (name: string) => inputs.some((one) => one.name === name)
  const others = Object.fromEntries(Object.entries(given).filter(([name]) => !isDeclared(name)))
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => isDeclared(name)))
  const set = (name: string, next: unknown) =>
    onSet(Object.fromEntries(Object.entries({ ...given, [name]: next }).filter(([, one]) => one !== undefined)))
  return (
    <>
      <div class="fields nested-inputs" role="group" aria-label={more.label}>
        {inputs.map((input) => (
          <InputRow
            key={input.name}
            input={input}
            value={given[input.name]}
            problem={isWrong && input.isNeeded && given[input.name] === undefined ? formTexts().needed : undefined}
            isSpeaking
            onSet={set}
          />
        ))}
      </div>
      {Object.keys(others).length === 0 ? null : (
        <ValueRows
          {...more}
          value={others}
          schema={undefined}
          isWrong={isWrong}
          onSet={(next, gone) => onSet({ ...own, ...next }, gone)}
        />
      )}
    </>
  )
}
