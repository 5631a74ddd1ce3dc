import { useSignal } from '@preact/signals'
import { client, may, sendOnce } from '../api.ts'
import type { StepView } from '../../domain/workflow-view.ts'
import type { Followed } from '../sessions/followed.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import { Graph } from './graph.tsx'
import { StepPanel } from './step-panel.tsx'
import { flowTexts } from './texts.ts'

/** What one comes for: the step that failed, of those around it the innermost; else one that waits. */
function firstToSee(steps: readonly StepView[]): string | null {
  const innermost = (status: StepView['status']) => {
    const found = steps.filter((one) => one.status === status)
    return found.find(({ step }) => !found.some(({ parent }) => parent === step))?.step
  }
  return innermost('failed') ?? innermost('waiting') ?? null
}

/** The workflow of a session as a graph: its steps as they stand, and what one chooses of them beside it. */
export function FlowView({ session }: { session: Followed }) {
  const t = flowTexts()
  const { workflow, progress = 0, stage } = session.head.value ?? {}
  /** Undefined: nobody chose yet; null: what was chosen was closed. */
  const chosen = useSignal<string | null | undefined>(undefined)
  const { isBusy, problem, run } = useAct()
  if (!workflow) return <p class="empty">{t.empty}</p>
  const path = chosen.value === undefined ? firstToSee(workflow.steps) : chosen.value
  const step = workflow.steps.find((one) => one.step === path)
  const retry = (of: string) =>
    void run(async () => {
      const address = `/v1/sessions/${session.id}/workflow/steps/${encodeURIComponent(of)}/retry`
      await sendOnce((key) =>
        client.value.json({
          method: 'POST',
          path: address,
          headers: { prefer: 'respond-async', 'idempotency-key': key },
        }),
      )
      await session.refresh()
    })
  return (
    <div class="flow-room">
      <p class="flow-head">
        <strong>{workflow.name}</strong> <span class="dim">{t.version(workflow.version)}</span>
        <span class="tag">{t.stages[stage ?? workflow.stage]}</span>
        <progress max={100} value={progress} aria-label={t.progress} />
        <span class="dim">{progress}%</span>
      </p>
      <ProblemLine text={problem.value} />
      <div class="flow-parts">
        <Graph steps={workflow.steps} chosen={path} onChoose={(wanted) => (chosen.value = wanted)} />
        {step ? (
          <StepPanel
            key={step.step}
            session={session}
            step={step}
            steps={workflow.steps}
            onRetry={workflow.stage === 'ended' && may('run') ? retry : null}
            isBusy={isBusy.value}
            onClose={() => (chosen.value = null)}
          />
        ) : (
          <p class="dim flow-hint">{t.choose}</p>
        )}
      </div>
    </div>
  )
}
