import { useSignal } from '@preact/signals'
import { client } from '../api.ts'
import { viewTexts, numberText } from '../language.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'

interface Verification {
  ok: boolean
  checked: number
  broken: { id: string; reason: string } | null
  next_cursor: string | null
}

/** Whether the chain of the audit is whole; followed to its end, or to the first entry that breaks it. */
export function VerifyChain({ path }: { path: string }) {
  const t = viewTexts().setup
  const said = useSignal<string | null>(null)
  const { isBusy, problem, run } = useAct()
  const verify = () =>
    run(async () => {
      said.value = null
      let checked = 0
      let cursor: string | null = null
      do {
        const query: { cursor?: string } = cursor === null ? {} : { cursor }
        const step: Verification = await client.value.json<Verification>({ path, query })
        checked += step.checked
        said.value = step.broken ? t.chainBroken(step.broken.id, step.broken.reason) : t.chainWhole(numberText(checked))
        cursor = step.ok ? step.next_cursor : null
      } while (cursor !== null)
    })
  return (
    <div class="acts">
      <button type="button" disabled={isBusy.value} onClick={() => void verify()}>
        {isBusy.value ? t.testing : t.verify}
      </button>
      <span role="status">{said.value}</span>
      <ProblemLine text={problem.value} />
    </div>
  )
}
