import * as z from 'zod'
import { invalid, ok, type Result } from '../../domain/errors.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Pending, stepApproval } from '../../domain/pending.ts'
import type { PendingAnswer, PendingInput } from '../../domain/session-input.ts'
import { type ResumeEntry, type RunTurn, spokenWords } from './request.ts'

/** What waits for a human, as AG-UI asks for it and is answered. Source: the AG-UI specification 1.0, "Interrupts and Resume". */
export interface Interrupt {
  id: string
  reason: 'tool_call' | 'confirmation' | 'input_required' | 'yaa:wait'
  message: string
  toolCallId?: string
  responseSchema: Record<string, unknown>
  expiresAt: string
  subagentRunId?: string
  metadata: { yaa: Record<string, unknown> }
}

const TEXTS: Record<Language, { approve: (tool: string) => string; step: string; feedback: string }> = {
  en: {
    approve: (tool) => `May ${tool} be called with these arguments?`,
    step: 'The workflow needs an approval.',
    feedback: 'Why not, for the agent.',
  },
  'zh-CN': {
    approve: (tool) => `允许用这些参数调用 ${tool} 吗？`,
    step: '工作流等待批准。',
    feedback: '拒绝的理由，会告诉智能体。',
  },
}

export function interruptOf(pending: Pending, language: Language, subagentRunId: string | null): Interrupt {
  const { id, type, call_id: callId, expires_time: expiresAt } = pending
  const asked = type === 'question' ? questionIn(pending) : approvalIn(pending, language)
  return {
    id,
    ...asked,
    ...(type === 'approval' && callId !== undefined ? { toolCallId: callId } : {}),
    expiresAt,
    ...(subagentRunId === null ? {} : { subagentRunId }),
  }
}

type Asked = Pick<Interrupt, 'reason' | 'message' | 'responseSchema' | 'metadata'>

function questionIn({ question = '', options = [], form, default: otherwise, wait, connection }: Pending): Asked {
  const answer = form ?? { type: 'string', ...(options.length > 0 ? { examples: options } : {}) }
  return {
    reason: wait ? 'yaa:wait' : 'input_required',
    message: [question, ...options.map((option) => `- ${option}`)].join('\n'),
    responseSchema: { type: 'object', properties: { answer }, required: ['answer'] },
    metadata: { yaa: { type: 'question', options, default: otherwise, wait, connection } },
  }
}

function approvalIn(pending: Pending, language: Language): Asked {
  const { tool = 'plan', call_id: callId, arguments: args = {}, arguments_hash: hash, risk, reason } = pending
  const { approve, step, feedback } = TEXTS[language]
  const agreed = stepApproval(pending)
  const asked = agreed === null ? approve(tool) : agreed.trim() || step
  const properties = {
    approved: { type: 'boolean' },
    editedArgs: { type: 'object' },
    feedback: { type: 'string', description: feedback },
  }
  return {
    reason: callId === undefined ? 'confirmation' : 'tool_call',
    message: [asked, reason ?? ''].filter((part) => part !== '').join(' '),
    responseSchema: { type: 'object', properties, required: ['approved'] },
    metadata: {
      yaa: { type: 'approval', tool, arguments: args, arguments_hash: hash, risk, reason },
    },
  }
}

const verdict = z.looseObject({
  approved: z.boolean(),
  editedArgs: z.record(z.string(), z.unknown()).nullish(),
  feedback: z.string().max(LIMITS.text.feedbackCharsMax).nullish(),
  reason: z.string().max(LIMITS.text.feedbackCharsMax).nullish(),
  remember: z.literal('session').nullish(),
})
const wrapped = z.looseObject({ answer: z.unknown() }).refine(({ answer }) => answer !== undefined)
const answerText = z.string().min(1).max(LIMITS.text.contentCharsMax)

/** What a request says of what waits: answers to interrupts, and results of tools. */
export function answersOf({ resume, results }: RunTurn): Result<PendingAnswer[]> {
  const answers: PendingAnswer[] = []
  for (const [index, entry] of resume.entries()) {
    const input = decisionOf(entry)
    if (!input)
      return invalid([
        { path: `resume.${index}.payload`, message: '{approved, editedArgs, feedback}, or {answer} to a question' },
      ])
    answers.push({ pendingId: entry.interruptId, input })
  }
  for (const { toolCallId: pendingId, content, error } of results)
    answers.push({ pendingId, input: error ? { error } : { result: spokenWords(content) } })
  return ok(answers)
}

/** Null: it says nothing that decides. What is given up is refused; an answer to a form is its JSON as text. */
function decisionOf({ status, payload }: ResumeEntry): PendingInput | null {
  if (status === 'cancelled') return { decision: 'reject' }
  if (typeof payload === 'boolean') return { decision: payload ? 'approve' : 'reject' }
  const decided = verdict.safeParse(payload)
  if (decided.success) {
    const { approved, editedArgs, feedback, reason, remember } = decided.data
    const why = feedback ?? reason
    return approved
      ? {
          decision: 'approve',
          ...(editedArgs ? { arguments: editedArgs } : {}),
          ...(remember ? { remember } : {}),
        }
      : { decision: 'reject', ...(why ? { feedback: why } : {}) }
  }
  const inner = wrapped.safeParse(payload).data?.answer ?? payload
  const answered = answerText.safeParse(typeof inner === 'string' ? inner : JSON.stringify(inner))
  return answered.success ? { decision: 'answer', answer: answered.data } : null
}
