import { language } from '../language.ts'
import { WORKFLOW_EN, type WorkflowTexts } from './texts-en.ts'
import { WORKFLOW_ZH } from './texts-zh-cn.ts'

/** What the form of a workflow says, in the language of the page: it is loaded with it. */
export const workflowTexts = (): WorkflowTexts => (language.value === 'en' ? WORKFLOW_EN : WORKFLOW_ZH)
