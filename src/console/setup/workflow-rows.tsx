import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import type { ListedWorkflow } from '../../domain/workflow.ts'
import { client } from '../api.ts'
import { language } from '../language.ts'
import { useLoaded } from '../ui/loaded.tsx'
import { fieldText, valueText } from './facts.tsx'

interface Props {
  entry: Record<string, unknown>
  /** `undefined` takes a field away. */
  onChange: (changes: Record<string, unknown>) => void
}

const LISTED_MAX = 100

/** Which workflow is started, and a row for each input that it declares. */
export function WorkflowRows({ entry, onChange }: Props) {
  const list = useLoaded(async () => {
    const query = { language: language.value, limit: LISTED_MAX }
    return (await client.value.json<{ data: ListedWorkflow[] }>({ path: '/v1/workflows', query })).data
  }, [language.value])
  const listed = list.value.value ?? []
  const name = typeof entry['workflow'] === 'string' ? entry['workflow'] : ''
  const chosen = listed.find((one) => one.name === name)
  const names = listed.map((one) => one.name)
  const inputs = isObject(entry['inputs']) ? entry['inputs'] : {}
  const setInput = (input: string, value: unknown) => {
    const given = Object.entries({ ...inputs, [input]: value }).filter(([, one]) => one !== undefined)
    onChange({ inputs: given.length === 0 ? undefined : Object.fromEntries(given) })
  }
  return (
    <>
      <label>
        {fieldText('workflow')}
        <select
          value={name}
          title={chosen?.description}
          onChange={({ currentTarget: { value } }) => onChange({ workflow: value || undefined, inputs: undefined })}
        >
          {['', ...names, ...(name === '' || names.includes(name) ? [] : [name])].map((one) => (
            <option key={one} value={one}>
              {one === '' ? valueText('workflow', '') : one}
            </option>
          ))}
        </select>
      </label>
      {declared(chosen?.inputs).map((input) => (
        <InputRow key={input.name} input={input} value={inputs[input.name]} onSet={setInput} />
      ))}
    </>
  )
}

/** An input that a workflow declares. `options`: the only values that it takes. */
interface DeclaredInput {
  name: string
  label: string
  hint: string
  type: string
  options: string[]
}

/** The properties of a JSON Schema of an object. */
export function declared(schema: Record<string, unknown> | undefined): DeclaredInput[] {
  const { properties, required } = schema ?? {}
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {}).map(([name, one]) => {
    const { type, title, description, enum: values } = isObject(one) ? one : {}
    const shown = typeof title === 'string' ? title : name
    return {
      name,
      label: withHiddenShown(needed.includes(name) ? `${shown} *` : shown),
      hint: withHiddenShown(typeof description === 'string' ? description : ''),
      type: String(type),
      options: type === 'boolean' ? ['true', 'false'] : Array.isArray(values) ? values.map(asText) : [],
    }
  })
}

interface InputProps {
  input: DeclaredInput
  value: unknown
  onSet: (name: string, value: unknown) => void
}

/** Typed in as text in any case: of a webhook it may be a template. */
export function InputRow({ input: { name, label, hint, type, options }, value, onSet }: InputProps) {
  const list = `workflow-input-${name}`
  return (
    <label class={type === 'string' || options.length > 0 ? '' : 'wide'}>
      {label}
      <input
        value={value === undefined ? '' : asText(value)}
        placeholder={hint}
        title={hint}
        list={options.length > 0 ? list : undefined}
        onChange={({ currentTarget }) => onSet(name, inputOf(type, currentTarget.value))}
      />
      {options.length === 0 ? null : (
        <datalist id={list}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  )
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** What was typed in as a value of its type: text that is none, such as a template, stays text. Undefined: nothing was. */
function inputOf(type: string, text: string): unknown {
  if (text === '') return undefined
  return type === 'string' ? text : (parseJson(text) ?? text)
}
