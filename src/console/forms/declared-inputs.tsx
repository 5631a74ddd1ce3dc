import { withHiddenShown } from '../../lib/hidden-characters.ts'
import { isObject, parseJson } from '../../lib/json.ts'

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
  /** It is given now: what it may be is chosen. Else it may be a template, as of a webhook, and is typed in as text in any case. */
  isNow?: boolean
  onSet: (name: string, value: unknown) => void
}

/** One input, in a field of its own. */
export function InputRow({ input: { name, label, hint, type, options }, value, isNow = false, onSet }: InputProps) {
  const list = `workflow-input-${name}`
  const text = value === undefined ? '' : asText(value)
  if (isNow && options.length > 0)
    return (
      <label title={hint}>
        {label}
        <select value={text} onChange={({ currentTarget }) => onSet(name, inputOf(type, currentTarget.value))}>
          {['', ...options].map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      </label>
    )
  return (
    <label class={['array', 'object'].includes(type) ? 'wide' : ''}>
      {label}
      <input
        value={text}
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
