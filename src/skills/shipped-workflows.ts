import { WORKFLOW_FILES } from '../../configs/workflows/index.ts'
import type { Language } from '../domain/language.ts'
import { type StoredWorkflow, type WorkflowDefinition, workflowDefinition } from '../domain/workflow.ts'
import { onDemand } from '../lib/shape.ts'

/** The workflows that come with the product, by name. */
const shippedWorkflows = onDemand(() => {
  const parsed = WORKFLOW_FILES.map((texts) => ({
    en: workflowDefinition().parse(texts.en),
    'zh-CN': workflowDefinition().parse(texts['zh-CN']),
  }))
  return new Map(parsed.map((texts) => [texts.en.name, texts]))
})

/** All of them in one language, by name. */
export function shippedIn(language: Language): StoredWorkflow[] {
  return [...shippedWorkflows().values()].map((texts) => asStored(texts[language]))
}

/** One of them; null: there is none of the name. */
export function shippedWorkflow(name: string, language: Language): StoredWorkflow | null {
  const texts = shippedWorkflows().get(name)
  return texts ? asStored(texts[language]) : null
}

function asStored(definition: WorkflowDefinition): StoredWorkflow {
  return { definition, version: 1, source: 'shipped', createdTime: null }
}
