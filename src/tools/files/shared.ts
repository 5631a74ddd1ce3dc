import { filePath } from '../../domain/file.ts'
import type { ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { fence } from '../../lib/fence.ts'
import { TEXTS } from './answer-texts.ts'
import { PATH_TEXTS } from './texts.ts'

/** Do something with the path that was written; else say why it is none. */
export function withPath<Outcome extends ToolOutcome | Promise<ToolOutcome>>(
  written: string,
  { language }: ToolContext,
  work: (path: string) => Outcome,
): Outcome | ToolOutcome {
  const checked = filePath(written)
  return checked.ok ? work(checked.path) : { ok: false, reason: PATH_TEXTS[language][checked.problem] }
}

/** A result with text of files in it; between markers when some of it may come from outside. */
export function fileReport(
  { heading, body, isUntrusted }: { heading: string; body: string; isUntrusted: boolean },
  context: ToolContext,
): ToolOutcome | Promise<ToolOutcome> {
  return isUntrusted ? fencedReport(heading, body, context) : { ok: true, content: `${heading}\n${body}` }
}

async function fencedReport(
  heading: string,
  body: string,
  { language, sessionId, callId }: ToolContext,
): Promise<ToolOutcome> {
  const { untrusted, begin, end } = TEXTS[language]
  const fenced = await fence(body, begin, end, `${sessionId}\n${callId}`)
  return { ok: true, content: `${heading}\n${untrusted}\n${fenced}`, untrusted: true, essence: `${heading}\n${body}` }
}
