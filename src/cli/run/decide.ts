import { jsonObject, parseJson } from '../../lib/json.ts'
import type { DecisionInput, PendingInput } from '../../domain/session-input.ts'
import type { Pending } from '../../domain/pending.ts'
import type { TerminalTexts } from '../texts.ts'
import type { Input } from './input.ts'

/** What a person says to a pending item; null: nothing, it goes on waiting. */
export type Decider = (pending: Pending) => Promise<PendingInput | null>

/** Approves every approval; a question, and a call that waits for its result, go to `others`. */
export const approvingAll =
  (others: Decider): Decider =>
  async (pending) =>
    pending.type === 'approval' ? approve(pending) : others(pending)

export const leavingAll: Decider = async () => null

/** Asks: y(es), n(o) with a reason if wanted, e(dit) with the arguments as one line of JSON; questions by number or by words; the result of a call as
 *  one line of JSON, or ! and why it failed. */
export function asking(input: Input, texts: TerminalTexts): Decider {
  return (pending) => {
    if (pending.type === 'tool_call') return askResult(pending, input, texts)
    return pending.type === 'approval' ? askApproval(pending, input, texts) : askQuestion(pending, input, texts)
  }
}

async function askResult(pending: Pending, input: Input, texts: TerminalTexts): Promise<PendingInput | null> {
  for (let line = await input.ask(texts.resultPrompt); line !== null; line = await input.ask(texts.resultInvalid)) {
    const [, error] = /^[!！]\s*(\S.*)$/s.exec(line) ?? []
    if (error !== undefined) return { error, ...hashOf(pending) }
    const result = parseJson(line)
    if (result !== undefined) return { result, ...hashOf(pending) }
  }
  return null
}

async function askApproval(pending: Pending, input: Input, texts: TerminalTexts): Promise<DecisionInput | null> {
  for (
    let line = await input.ask(texts.decide);
    line !== null;
    line = await input.ask(line === '' ? texts.decide : texts.decideAgain)
  ) {
    const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(line) ?? []
    if (/^(y|yes|是)$/i.test(word)) return approve(pending)
    if (/^(n|no|否)$/i.test(word))
      return { decision: 'reject', ...hashOf(pending), ...(rest === '' ? {} : { feedback: rest }) }
    if (/^(e|edit|改|修改)$/i.test(word)) {
      const edited = await askArguments(rest, input, texts)
      return edited === null ? null : { ...approve(pending), arguments: edited }
    }
  }
  return null
}

async function askArguments(
  given: string,
  input: Input,
  texts: TerminalTexts,
): Promise<Record<string, unknown> | null> {
  for (let line: string | null = given; line !== null;) {
    const value = jsonObject(line)
    if (value !== null) return value
    line = await input.ask(line === '' ? texts.editPrompt : texts.editInvalid)
  }
  return null
}

async function askQuestion(pending: Pending, input: Input, texts: TerminalTexts): Promise<DecisionInput | null> {
  let line = await input.ask(texts.answerPrompt)
  while (line === '') line = await input.ask(texts.answerPrompt)
  if (line === null) return null
  const option = /^\d{1,3}$/.test(line) ? pending.options?.[Number(line) - 1] : undefined
  return { decision: 'answer', answer: option ?? line }
}

const approve = (pending: Pending): DecisionInput => ({ decision: 'approve', ...hashOf(pending) })

/** Binds the decision to the arguments that were shown. */
const hashOf = ({ arguments_hash }: Pending) => (arguments_hash === undefined ? {} : { arguments_hash })
