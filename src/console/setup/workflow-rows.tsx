import { isObject } from '../../lib/json.ts'
import type { ListedWorkflow } from '../../domain/workflow-view.ts'
import { client } from '../api.ts'
import { declared } from '../forms/declared-inputs.ts'
import { InputRow } from '../forms/input-row.tsx'
import { language } from '../language.ts'
import { useLoaded } from '../ui/loaded.tsx'
import { NamedChoice } from './named-choice.tsx'

interface Props {
  entry: Record<string, unknown>
  /** What is wrong, by the field: with the workflow that is chosen, and with its inputs. */
  problems: Readonly<Record<string, string>>
  /** `undefined` takes a field away. */
  onChange: (changes: Record<string, unknown>) => void
}

const LISTED_MAX = 100

/** Which workflow is started, and a row for each input that it declares. */
export function WorkflowRows({ entry, problems, onChange }: Props) {
  const list = useLoaded(async () => {
    const query = { language: language.value, limit: LISTED_MAX }
    return (await client.value.json<{ data: ListedWorkflow[] }>({ path: '/v1/workflows', query })).data
  }, [language.value])
  const listed = list.value.value ?? []
  const name = typeof entry['workflow'] === 'string' ? entry['workflow'] : ''
  const chosen = listed.find((one) => one.name === name)
  const inputs = isObject(entry['inputs']) ? entry['inputs'] : {}
  const setInput = (input: string, value: unknown) => {
    const given = Object.entries({ ...inputs, [input]: value }).filter(([, one]) => one !== undefined)
    onChange({ inputs: given.length === 0 ? undefined : Object.fromEntries(given) })
  }
  return (
    <>
      <NamedChoice
        label="workflow"
        value={name}
        names={listed.map((one) => one.name)}
        title={chosen?.description}
        problem={problems['workflow']}
        onSet={(value) =>
          onChange({
            workflow: value || undefined,
            inputs: undefined,
            // It is its own way: nobody else does the task.
            ...(value === '' ? {} : { skill: undefined, team: undefined }),
          })
        }
      />
      {declared(chosen?.inputs).map((input) => (
        <InputRow
          key={input.name}
          input={input}
          value={inputs[input.name]}
          problem={problems[`inputs.${input.name}`]}
          onSet={setInput}
        />
      ))}
    </>
  )
}
