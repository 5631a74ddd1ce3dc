import type { ApiProblem } from '../../client/client.ts'
import type { TerminalTexts } from '../texts.ts'
import { excerpt } from './text.ts'

/** What a proxy answers for a server that does not answer it (RFC 9110, 15.6). */
const FOR_A_SERVER: ReadonlySet<number> = new Set([502, 503, 504])

/** Why a server refused; where it is none of ours that answered, what does instead. */
export function refusedText({ code, status, detail, message }: ApiProblem, texts: TerminalTexts): string {
  if (code !== 'unknown') return texts.schemaWords(message)
  return FOR_A_SERVER.has(status) ? texts.notAnswering(status) : texts.notYaa(status, excerpt(detail))
}
