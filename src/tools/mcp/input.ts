import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { choicesOf, nextQuestion, questionText, responseFor, type InputWanted } from '../../mcp/elicitation.ts'
import { TEXTS } from './texts.ts'

/** Where a call stands that asked the user: ready to be made (again), or with a further question. */
export type Taken =
  | { type: 'ready'; input: InputWanted | null; visits: number }
  | { type: 'asks'; outcome: ToolOutcome }

/** A call that waits for the user to authorise the server. */
interface Visit {
  /** Times that the user was asked to. */
  visits: number
  /** What the server wanted to know before. */
  input: InputWanted | null
}

/** Take the user's answer to what the server asked last; what does not fit is asked again. */
export function takeAnswer(server: string, { answer, language }: Pick<ToolContext, 'answer' | 'language'>): Taken {
  if (answer === null) return { type: 'ready', input: null, visits: 0 }
  const wanted = JSON.parse(answer.state) as InputWanted | Visit
  if ('visits' in wanted) return { type: 'ready', ...wanted }
  const asked = nextQuestion(wanted)
  if (asked === null || asked === 'unknown') return { type: 'ready', input: wanted, visits: 0 }
  const given = responseFor(asked, answer.said)
  const next = given.ok
    ? { ...wanted, responses: { ...wanted.responses, [asked.key]: given.response } }
    : { ...wanted, rounds: wanted.rounds + 1 }
  const outcome = ask(server, next, language, given.ok ? null : given.wrong)
  return outcome ? { type: 'asks', outcome } : { type: 'ready', input: next, visits: 0 }
}

/** The outcome that asks the user what the server wants to know next; null: all is answered, or it is not for users. */
export function ask(server: string, wanted: InputWanted, language: Language, wrong: string | null): ToolOutcome | null {
  const asked = nextQuestion(wanted)
  if (asked === null || asked === 'unknown' || wanted.rounds > LIMITS.mcp.roundsMax) return null
  const question = questionText(server, asked, language, { wrong, isCancelled: wanted.isCancelled === true })
  return { ok: false, reason: question, asks: { question, options: choicesOf(asked), state: JSON.stringify(wanted) } }
}

/** The outcome that asks the user to authorise a server at an address; null: that was asked often enough. */
export function askToVisit(
  server: string,
  url: string,
  { input, visits }: Visit,
  language: Language,
): ToolOutcome | null {
  if (visits >= LIMITS.mcp.roundsMax) return null
  const question = TEXTS[language].authorise(server, url)
  const state: Visit = { visits: visits + 1, input }
  return { ok: false, reason: question, asks: { question, options: null, state: JSON.stringify(state) } }
}
