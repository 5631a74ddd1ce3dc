import { useSignal } from '@preact/signals'
import { client, sendOnce } from '../api.ts'
import { viewTexts } from '../language.ts'
import { go, sessionAddress } from '../route.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { declared, InputRow } from '../forms/declared-inputs.tsx'

/** Runs a workflow with the inputs that it declares, and shows its graph. `path`: of the call that does. */
export function WorkflowRunForm({ path, schema }: { path: string; schema: Record<string, unknown> | undefined }) {
  const t = viewTexts().setup
  const inputs = useSignal<Record<string, unknown>>({})
  const { isBusy, problem, run } = useAct()
  const set = (name: string, value: unknown) => {
    const given = Object.entries({ ...inputs.value, [name]: value }).filter(([, one]) => one !== undefined)
    inputs.value = Object.fromEntries(given)
  }
  const start = () =>
    run(async () => {
      const body = { inputs: inputs.value }
      const { session_id: id } = await sendOnce((key) =>
        client.value.json<{ session_id: string }>({
          method: 'POST',
          path,
          body,
          headers: { prefer: 'respond-async', 'idempotency-key': key },
        }),
      )
      go(sessionAddress(id, 'workflow'))
    })
  return (
    <details class="trial">
      <summary>{t.runNow}</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <div class="fields">
          {declared(schema).map((input) => (
            <InputRow key={input.name} input={input} value={inputs.value[input.name]} isNow onSet={set} />
          ))}
        </div>
        <div class="acts">
          <button type="submit" disabled={isBusy.value}>
            {t.runNow}
          </button>
        </div>
        <ProblemLine text={problem.value} />
      </form>
    </details>
  )
}
