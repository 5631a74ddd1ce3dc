import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { client, sendOnce } from '../api.ts'
import { declared, type GivenInputs } from '../forms/declared-inputs.ts'
import { goToWrong } from '../forms/form.tsx'
import { InputRows } from '../forms/input-row.tsx'
import { type FormRefusal, NO_REFUSAL } from '../forms/refusal.ts'
import { formTexts } from '../forms/texts.ts'
import { refusedInputs, wrongInputs } from '../forms/wrong-inputs.ts'
import { texts, viewTexts } from '../language.ts'
import { go, sessionAddress } from '../route.ts'
import { ProblemLine } from '../ui/problem.tsx'

/** Runs a workflow with the inputs that it declares, and shows its graph. `path`: of the call that does. */
export function WorkflowRunForm({ path, schema }: { path: string; schema: Record<string, unknown> | undefined }) {
  const t = viewTexts().setup
  const room = useRef<HTMLFormElement>(null)
  const given = useSignal<GivenInputs>({})
  const refusal = useSignal<FormRefusal>(NO_REFUSAL)
  const isBusy = useSignal(false)
  const inputs = declared(schema)
  const start = async () => {
    if (isBusy.value) return
    refusal.value = wrongInputs(inputs, given.value)
    if (Object.keys(refusal.value.fields).length === 0) {
      isBusy.value = true
      try {
        return go(sessionAddress(await begun(path, given.value), 'workflow'))
      } catch (error) {
        refusal.value = refusedInputs(error, inputs)
      } finally {
        isBusy.value = false
      }
    }
    requestAnimationFrame(() => goToWrong(room.current))
  }
  const isMarked = Object.keys(refusal.value.fields).length > 0
  return (
    <details class="trial">
      <summary>{t.runNow}</summary>
      <form
        ref={room}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <InputRows inputs={inputs} given={given.value} refusal={refusal} onGive={(next) => (given.value = next)} />
        <ProblemLine text={refusal.value.rest ?? (isMarked ? formTexts().check : null)} />
        <div class="acts">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {texts().task.start}
          </button>
        </div>
      </form>
    </details>
  )
}

async function begun(path: string, inputs: GivenInputs): Promise<string> {
  const { session_id: id } = await sendOnce((key) =>
    client.value.json<{ session_id: string }>({
      method: 'POST',
      path,
      body: { inputs },
      headers: { prefer: 'respond-async', 'idempotency-key': key },
    }),
  )
  return id
}
