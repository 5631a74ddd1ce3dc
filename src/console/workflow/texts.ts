import { language } from '../language.ts'
import { WORKFLOW_EN, type WorkflowTexts } from './texts-en.ts'
import { WORKFLOW_ZH } from './texts-zh-cn.ts'

/** What the form of a workflow says, in the language of the page: it is loaded with it. */
export const workflowTexts = (): WorkflowTexts => (language.value === 'en' ? WORKFLOW_EN : WORKFLOW_ZH)

/** What stands in a field that is empty: of a type of step, or of all that have it. The same in both languages. */
export const WORKFLOW_EXAMPLES: Readonly<Record<string, string>> = {
  condition: "inputs.amount > 100 and inputs.who != ''",
  when: "steps.words.status == 'completed'",
  'map.over': 'inputs.pages',
  'switch.value': 'steps.sort.output.kind',
  matches: 'bug*',
  tool: 'http_request',
  tools: 'web_access',
  session: 'ses_…',
  signal: 'payment',
  webhook_key: 'order-{{ inputs.number }}',
  until: '2026-11-24T08:00:00+08:00',
}
