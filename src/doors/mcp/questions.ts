import { type ElicitRequestFormParams, isSpecType } from '@modelcontextprotocol/server'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Pending, stepApproval } from '../../domain/pending.ts'
import type { PendingInput } from '../../domain/session-input.ts'
import { isObject } from '../../lib/json.ts'
import { cutText } from '../../lib/text.ts'
import { wordsIn } from './words.ts'

/** What waits for a human, as a form that an MCP client shows its user (elicitation), and what they said. */

export type ElicitationForm = Pick<ElicitRequestFormParams, 'message' | 'requestedSchema'>

/** Whether a human can be asked by a form: it waits neither for the caller's tool nor for a time. */
export function isForHuman({ type, wait }: Pick<Pending, 'type' | 'wait'>): boolean {
  return type !== 'tool_call' && wait === undefined
}

/** `fault`: why the last answer decided nothing. */
export function formOf(pending: Pending, language: Language, fault: string | null = null): ElicitationForm {
  const words = wordsIn(language)
  const first = fault === null ? [] : [words.fault(fault)]
  const { type, tool = 'plan', reason, risk } = pending
  if (type === 'question') return questionForm(pending, language, first)
  const agreed = agreedWords(pending, language)
  const more = [...(reason ? [words.reason(reason)] : []), ...(risk ? [words.risk(risk)] : [])]
  return {
    message: [...first, agreed ?? words.approve({ tool, shown: shownArguments(pending) }), ...more].join('\n\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: words.decision,
          oneOf: [
            { const: 'approve', title: words.approveWord },
            { const: 'reject', title: words.rejectWord },
          ],
        },
        ...(agreed === null ? { arguments: { type: 'string', title: words.edited } } : {}),
        feedback: { type: 'string', title: words.feedback },
      },
      required: ['decision'],
    },
  }
}

/** What a step of a workflow asks to be agreed to; null: something else waits. */
export function agreedWords(pending: Pending, language: Language): string | null {
  const agreed = stepApproval(pending)
  return agreed === null ? null : cutText(agreed.trim(), LIMITS.mcpDoor.argumentsCharsMax) || wordsIn(language).step
}

function questionForm(
  { question = '', options = [], form, connection }: Pending,
  language: Language,
  first: readonly string[],
): ElicitationForm {
  const words = wordsIn(language)
  const message = [...first, question].join('\n\n')
  if (form) {
    const own = { mode: 'form', message, requestedSchema: { ...form, type: 'object' } }
    if (isShown(form) && isSpecType.ElicitRequestFormParams(own))
      return { message, requestedSchema: own.requestedSchema }
  }
  // A secret is given elsewhere: an answer would stand in the log.
  const given = connection ? [words.done] : options
  const choices = given.length > 0 ? { enum: given } : {}
  const fits = form ? [words.fits(cutText(JSON.stringify(form, null, 2), LIMITS.mcpDoor.argumentsCharsMax))] : []
  return {
    message: [message, ...fits].join('\n\n'),
    requestedSchema: {
      type: 'object',
      properties: { answer: { type: 'string', title: words.answer, ...choices } },
      required: ['answer'],
    },
  }
}

/** What this door calls fields of its own forms. */
const OWN_FIELDS: readonly string[] = ['answer', 'decision', 'arguments', 'feedback']

/** Whether what a form brings can be told from what forms of this door do: it has something, and nothing that they have. */
function isShown({ properties, required }: Readonly<Record<string, unknown>>): boolean {
  const names = isObject(properties) ? Object.keys(properties) : []
  return Array.isArray(required) && required.length > 0 && !names.some((name) => OWN_FIELDS.includes(name))
}

export function shownArguments({ arguments: args = {} }: Pick<Pending, 'arguments'>): string {
  return cutText(JSON.stringify(args, null, 2), LIMITS.mcpDoor.argumentsCharsMax)
}

/** What a human said. `put_off`: they decided nothing; `unclear`: what they said is no decision. */
export type Said = { is: 'decided'; input: PendingInput } | { is: 'put_off' } | { is: 'unclear'; fault: string }

/** The response to a form, as a client sends it. */
export function saidIn(response: unknown): Said {
  const { action, content } = isObject(response) ? response : {}
  if (action === 'decline') return { is: 'decided', input: { decision: 'reject' } }
  if (action !== 'accept') return { is: 'put_off' }
  const { decision, arguments: edited, feedback, answer } = isObject(content) ? content : {}
  if (typeof answer === 'string' && answer !== '') return { is: 'decided', input: { decision: 'answer', answer } }
  const why = typeof feedback === 'string' && feedback.trim() !== '' ? { feedback: feedback.trim() } : {}
  if (decision === 'reject') return { is: 'decided', input: { decision, ...why } }
  if (decision === undefined && isObject(content) && Object.keys(content).some((name) => !OWN_FIELDS.includes(name)))
    return { is: 'decided', input: { decision: 'answer', answer: JSON.stringify(content) } }
  if (decision !== 'approve') return { is: 'unclear', fault: 'decision: approve or reject' }
  const args = editedArguments(edited)
  if (typeof args === 'string') return { is: 'unclear', fault: args }
  return { is: 'decided', input: { decision, ...(args ? { arguments: args } : {}) } }
}

/** Null: as shown. A text: what is wrong with them. */
function editedArguments(edited: unknown): Record<string, unknown> | string | null {
  if (typeof edited !== 'string' || edited.trim() === '') return null
  try {
    const value: unknown = JSON.parse(edited)
    return isObject(value) ? value : 'arguments: a JSON object'
  } catch (error) {
    return `arguments: ${error instanceof Error ? error.message : 'no JSON'}`
  }
}
