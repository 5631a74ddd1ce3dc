import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { confirmReturn } from '../api.ts'
import { viewTexts } from '../language.ts'
import { shownPart } from '../tab-title.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'

/** Somebody comes back from where an MCP server was authorised, and confirms that they began it. `query`: what they came back with. */
export function Authorise({ query }: { query: string }) {
  const t = viewTexts().authorise
  useLayoutEffect(() => void (shownPart.value = t.title), [t.title])
  const done = useSignal<string | null>(null)
  const { isBusy, problem, run } = useAct()
  const confirm = () =>
    run(async () => {
      const { ok, text } = await confirmReturn(query)
      if (!ok) throw new Error(text)
      done.value = text
    })
  return (
    <section class="page">
      <h1 tabIndex={-1}>{t.title}</h1>
      <p>{done.value ?? t.hint}</p>
      <ProblemLine text={problem.value} />
      {done.value === null ? (
        <button type="button" class="primary" disabled={isBusy.value} onClick={() => void confirm()}>
          {t.confirm}
        </button>
      ) : null}
    </section>
  )
}
