import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { choicesOf, nextQuestion, questionText, responseFor, type InputWanted } from '../../mcp/elicitation.ts'

/** Where a call stands that asked the user: ready to be made (again), or with a further question. */
export type Taken = { type: 'ready'; input: InputWanted | null } | { type: 'asks'; outcome: ToolOutcome }

/** Take the user's answer to what the server asked last; what does not fit is asked again. */
export function takeAnswer(server: string, { answer, language }: Pick<ToolContext, 'answer' | 'language'>): Taken {
  if (answer === null) return { type: 'ready', input: null }
  const wanted = JSON.parse(answer.state) as InputWanted
  const asked = nextQuestion(wanted)
  if (asked === null || asked === 'unknown') return { type: 'ready', input: wanted }
  const given = responseFor(asked, answer.said)
  const next = given.ok
    ? { ...wanted, responses: { ...wanted.responses, [asked.key]: given.response } }
    : { ...wanted, rounds: wanted.rounds + 1 }
  const outcome = ask(server, next, language, given.ok ? null : given.wrong)
  return outcome ? { type: 'asks', outcome } : { type: 'ready', input: next }
}

/** The outcome that asks the user what the server wants to know next; null: all is answered, or it is not for users. */
export function ask(server: string, wanted: InputWanted, language: Language, wrong: string | null): ToolOutcome | null {
  const asked = nextQuestion(wanted)
  if (asked === null || asked === 'unknown' || wanted.rounds > LIMITS.mcp.roundsMax) return null
  const question = questionText(server, asked, language, wrong)
  return { ok: false, reason: question, asks: { question, options: choicesOf(asked), state: JSON.stringify(wanted) } }
}
