import { isDeepStrictEqual } from 'node:util'
import { jsonObject, parseJson } from '../../lib/json.ts'
import type { DecisionInput, PendingInput } from '../../domain/session-input.ts'
import { stepApproval, type Pending } from '../../domain/pending.ts'
import type { WantedConnection } from '../../domain/wanted-connection.ts'
import type { TerminalTexts } from '../texts.ts'
import { askedCall } from '../view/run-view.ts'
import { visible } from '../view/text.ts'
import type { Input } from './input.ts'

/** A secret for a call that lacks one: it is kept as a connection, and is no answer. */
export interface GivenSecret {
  secret: string
}

/** What a person says to a pending item; null: nothing, it goes on waiting. */
export type Decider = (pending: Pending) => Promise<PendingInput | GivenSecret | null>

export const isGivenSecret = (decided: PendingInput | GivenSecret): decided is GivenSecret => 'secret' in decided

type Asks = Pick<Input, 'ask' | 'key' | 'edit'>

/** Approves every approval; a question, and a call that waits for its result, go to `others`. */
export const approvingAll =
  <T extends unknown[]>(others: (pending: Pending, ...more: T) => ReturnType<Decider>) =>
  async (pending: Pending, ...more: T) =>
    pending.type === 'approval' ? approve(pending) : others(pending, ...more)

export const leavingAll: Decider = async () => null

/** Asks: yes, no, no with a reason, or edit (not of a step of a workflow), by one key at a terminal and by a line elsewhere; questions by number or by words; the result of a call as
 *  one line of JSON, or ! and why it failed. */
export function asking(input: Asks, texts: TerminalTexts): Decider {
  return (pending) => {
    if (pending.type === 'tool_call') return askResult(pending, input, texts)
    if (pending.connection) return askConnection(pending.connection, input, texts)
    if (pending.type !== 'approval') return askQuestion(pending, input, texts)
    return input.key && input.edit
      ? askByKey(pending, { ...input, key: input.key, edit: input.edit }, texts)
      : askByLine(pending, input, texts)
  }
}

async function askResult(pending: Pending, input: Asks, texts: TerminalTexts): Promise<PendingInput | null> {
  for (let line = await input.ask(texts.resultPrompt); line !== null; line = await input.ask(texts.resultInvalid)) {
    const [, error] = /^[!！]\s*(\S.*)$/s.exec(line) ?? []
    if (error !== undefined) return { error, ...hashOf(pending) }
    const result = parseJson(line)
    if (result !== undefined) return { result, ...hashOf(pending) }
  }
  return null
}

const MEANINGS: Readonly<Record<string, 'approve' | 'refuse' | 'explain' | 'edit'>> = {
  y: 'approve',
  是: 'approve',
  n: 'refuse',
  否: 'refuse',
  r: 'explain',
  e: 'edit',
  改: 'edit',
}

/** Until a key decides, or leaves it undecided. What is edited is shown and asked for once more. */
async function askByKey(pending: Pending, input: Required<Asks>, texts: TerminalTexts): Promise<DecisionInput | null> {
  const given = pending.arguments ?? {}
  const isStep = stepApproval(pending) !== null
  const keys = Object.keys(MEANINGS).filter((key) => !isStep || MEANINGS[key] !== 'edit')
  let draft = JSON.stringify(given, null, 2)
  let edited: Record<string, unknown> | null = null
  for (let notice = ''; ;) {
    const pressed = await input.key(`${notice}${isStep ? texts.decideStepKeys : texts.decideKeys}`, keys)
    notice = ''
    switch (MEANINGS[pressed ?? '']) {
      case 'approve':
        return { ...approve(pending), ...(edited === null ? {} : { arguments: edited }) }
      case 'refuse':
        return reject(pending, '')
      case 'explain': {
        const why = await input.ask(texts.reasonPrompt, { canLeave: true })
        if (why !== null) return reject(pending, why)
        break
      }
      case 'edit': {
        const left = await input.edit(draft, `${pending.tool ?? 'arguments'}.json`, texts.editPrompt)
        if (left === null) {
          notice = `${texts.editNothing}\n`
          break
        }
        draft = left
        const value = jsonObject(left)
        if (value === null) notice = `${texts.editInvalid}\n`
        else {
          edited = isDeepStrictEqual(value, given) ? null : value
          notice =
            edited === null
              ? `${texts.editNothing}\n`
              : `${askedCall({ ...pending, arguments: value }, texts.edited)}\n`
        }
        break
      }
      default:
        return null
    }
  }
}

async function askByLine(pending: Pending, input: Asks, texts: TerminalTexts): Promise<DecisionInput | null> {
  const isStep = stepApproval(pending) !== null
  const [first, again] = isStep ? [texts.decideStep, texts.decideStepAgain] : [texts.decide, texts.decideAgain]
  for (let line = await input.ask(first); line !== null; line = await input.ask(line === '' ? first : again)) {
    const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(line) ?? []
    if (/^(y|yes|是)$/i.test(word)) return approve(pending)
    if (/^(n|no|否)$/i.test(word)) return reject(pending, rest)
    if (!isStep && /^(e|edit|改|修改)$/i.test(word)) {
      const edited = await askArguments(rest, input, texts)
      return edited === null ? null : { ...approve(pending), arguments: edited }
    }
  }
  return null
}

async function askArguments(
  given: string | null,
  input: Asks,
  texts: { editPrompt: string; editInvalid: string },
): Promise<Record<string, unknown> | null> {
  for (let line: string | null = given; line !== null;) {
    const value = jsonObject(line)
    if (value !== null) return value
    line = await input.ask(line === '' ? texts.editPrompt : `${texts.editInvalid} `)
  }
  return null
}

/** The secret, which is not shown; or Enter once access was granted on the page that the question names. */
async function askConnection(
  { wants, name, origin }: WantedConnection,
  input: Asks,
  texts: TerminalTexts,
): Promise<DecisionInput | GivenSecret | null> {
  if (wants === 'secret') {
    const secret = await input.ask(texts.secretPrompt(visible(name), visible(origin)), { isSecret: true })
    if (secret === null) return null
    return secret === '' ? { decision: 'reject' } : { secret }
  }
  const line = await input.ask(texts.grantPrompt)
  if (line === null) return null
  return /^(n|no|否)$/i.test(line) ? { decision: 'reject' } : { decision: 'answer', answer: texts.granted }
}

async function askQuestion(pending: Pending, input: Asks, texts: TerminalTexts): Promise<DecisionInput | null> {
  if (pending.form) {
    const prompts = { editPrompt: texts.formPrompt, editInvalid: texts.formInvalid }
    const answer = await askArguments(await input.ask(texts.formPrompt), input, prompts)
    return answer === null ? null : { decision: 'answer', answer: JSON.stringify(answer) }
  }
  let line = await input.ask(texts.answerPrompt)
  while (line === '') line = await input.ask(texts.answerPrompt)
  if (line === null) return null
  const option = /^\d{1,3}$/.test(line) ? pending.options?.[Number(line) - 1] : undefined
  return { decision: 'answer', answer: option ?? line }
}

const approve = (pending: Pending): DecisionInput => ({ decision: 'approve', ...hashOf(pending) })

const reject = (pending: Pending, why: string): DecisionInput => ({
  decision: 'reject',
  ...hashOf(pending),
  ...(why === '' ? {} : { feedback: why }),
})

/** Binds the decision to the arguments that were shown. */
const hashOf = ({ arguments_hash }: Pending) => (arguments_hash === undefined ? {} : { arguments_hash })
