import { Graph } from '../flow/graph.tsx'
import { stepsAt, type WrittenWorkflow } from './definition.ts'
import { drawnOf } from './drawn.ts'
import { MoreFold } from './more-fold.tsx'
import { workflowTexts } from './texts.ts'

/** The steps as a graph, as they are written now. One that is chosen is gone to. */
export function StepsPicture({ workflow }: { workflow: WrittenWorkflow }) {
  const t = workflowTexts()
  if (stepsAt(workflow['steps']).length === 0) return null
  return (
    <MoreFold title={t.picture} kind="picture">
      <Graph steps={drawnOf(workflow)} chosen={null} isPlan onChoose={goToStep} />
    </MoreFold>
  )
}

function goToStep(path: string): void {
  const id = path.slice(path.lastIndexOf('.') + 1)
  const cards = document.querySelectorAll<HTMLElement>('.workflow-form .step-card')
  const card = [...cards].find((one) => one.getAttribute('aria-label') === id)
  for (let around = card?.parentElement; around; around = around.parentElement)
    if (around instanceof HTMLDetailsElement) around.open = true
  card?.querySelector<HTMLElement>('.step-head')?.focus()
  card?.scrollIntoView({ block: 'center' })
}
