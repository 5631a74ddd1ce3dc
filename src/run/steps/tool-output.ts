import { contentText } from '../../domain/content.ts'
import type { Truncated } from '../../domain/message.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { OutputLimits, Tool, ToolOutcome, UnitsOf } from '../../domain/tool.ts'
import { estimateTokens, graphemeStart } from '../../lib/text.ts'
import { workerOf } from '../../engine/worker/worker.ts'
import { seqsOf } from '../../log/branches.ts'
import { at, tokensOf } from '../../log/window.ts'
import { messageBudget, promptFor, protocolOf } from './request.ts'
import { enabledTools, outputLimitsOf } from '../../tools/registry.ts'
import { CHANGE_TEXTS } from '../../tools/files/texts.ts'
import type { CutText, cutOutput } from '../../tools/output.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { resultKey } from '../../engine/open.ts'
import { languageFor, settingsOf } from '../../engine/settings.ts'

/** What of a tool's text goes into its message; the whole of a text that was cut is kept beside it, to be read on. */
export interface ShownOutput {
  content: string | null
  truncated: Truncated | null
  texts: { key: string; text: string }[]
}

/** What cuts the text of an outcome. */
export interface Cutter {
  cutOutput: typeof cutOutput
  units: UnitsOf | null
  limits: ShownLimits
}

/** The limits of a tool, and about how many tokens its text may take of the window, with what says that it is cut; absent: no matter. */
interface ShownLimits extends OutputLimits {
  tokensMax?: number
}

/** The limits that the text of an outcome is cut to; null: it stays whole. */
export function shownLimits(
  { tool, scope }: { tool: Tool; scope: string | null },
  outcome: ToolOutcome,
  context: MoveContext,
): ShownLimits | null {
  if (tool.paginates) return null
  const own = outputLimitsOf(tool, settingsOf(context.engine, context.journal.record))
  const limits = withinWindow((outcome.ok ? outcome.content : outcome.reason) ?? '', own, scope, context)
  const language = languageFor(context.engine, context.journal.record)
  // A change of files that cannot be made any more is told instead.
  const others = outcome.ok && outcome.files ? Object.values(CHANGE_TEXTS[language]) : []
  const texts = [outcome.ok ? (outcome.content ?? '') : outcome.reason, ...others]
  return texts.every((text) => fits(text, limits)) ? null : limits
}

/** What cuts the texts of a tool, which few results need. */
export async function loadCutter(tool: Tool, limits: ShownLimits): Promise<Cutter> {
  const [output, units] = await Promise.all([import('../../tools/output.ts'), tool.units?.() ?? null])
  return { cutOutput: output.cutOutput, units, limits }
}

/** The limits of a tool, and no more than half of what messages may take of the model's window, nor than its task and summary leave of it: a quarter
 *  at least. */
function withinWindow(content: string, limits: OutputLimits, scope: string | null, context: MoveContext): ShownLimits {
  if (content.length <= LIMITS.tool.shortChars) return limits
  const worker = workerOf(context, scope)
  if (!worker.choice.ok) return limits
  const { spec } = worker.choice
  const protocol = protocolOf(spec, context)
  const prompt = promptFor(protocol, worker, context.journal)
  const budget = messageBudget({ spec, protocol, prompt }, worker)
  const least = Math.floor(budget / 4)
  if (content.length <= least) return limits
  const tokens = estimateTokens(content)
  if (tokens <= least) return limits
  const most = Math.max(Math.min(Math.floor(budget / 2), budget - besideTokens(scope, context)), least)
  if (tokens <= most) return limits
  const charsMax = Math.min(limits.charsMax, Math.floor((content.length * most) / tokens))
  return { ...limits, charsMax, tokensMax: most }
}

/** What goes beside a result into the window in any case: task, summary and the call. */
function besideTokens(scope: string | null, { journal: { log, state } }: MoveContext): number {
  const { taskSeq } = seqsOf(state, scope)
  const messages = [taskSeq, ...(scope === null ? [state.window.summarySeq] : [])].flatMap((seq) => at(log, seq))
  return messages.reduce((sum, message) => sum + tokensOf(message), CALL_TOKENS)
}

/** About what a call takes, and the label of its result. */
const CALL_TOKENS = 80

function fits(text: string, { charsMax, linesMax }: OutputLimits): boolean {
  return text.length <= charsMax && text.split('\n').length <= linesMax
}

/** The text of an outcome, or the reason of a failure, within the tool's limits: where it is over them, what speaks of the
 *  user's words, else cut. */
export function shownOutput(
  { callId, outcome, cutter }: { callId: string; outcome: ToolOutcome; cutter: Cutter | null },
  context: MoveContext,
): ShownOutput {
  const content = outcome.ok ? outcome.content : outcome.reason
  const isUntrusted = outcome.untrusted ?? false
  const cut = content === null || !cutter ? null : cutContent(callId, { content, isUntrusted, cutter }, context)
  if (content === null || cut === null) return { content, truncated: null, texts: [] }
  const { record, isLasting } = context.journal
  const rest = isLasting ? `/v1/sessions/${record.id}/results/${callId}` : null
  const whole = content.slice(0, graphemeStart(content, LIMITS.tool.keptCharsMax))
  return {
    content: cut.text,
    truncated: { original_length: cut.originalLength, kept_length: cut.keptLength, rest },
    texts: isLasting ? [{ key: resultKey(callId), text: whole }] : [],
  }
}

function cutContent(
  callId: string,
  { content, isUntrusted, cutter }: { content: string; isUntrusted: boolean; cutter: Cutter },
  context: MoveContext,
) {
  const { journal, engine } = context
  const settings = settingsOf(engine, journal.record)
  const canReadOn =
    journal.isLasting && enabledTools(engine.tools, settings).some(({ needs }) => needs === 'cut_result')
  const options = {
    language: languageFor(engine, journal.record),
    isUntrusted,
    callId: canReadOn ? callId : null,
    relevance: cutter.units && { units: cutter.units, words: userWords(context) },
  }
  return cutWithin(cutter.limits, (limits) => cutter.cutOutput(content, { ...options, limits }))
}

/** A text that is cut once more, to less, where what was kept of it takes more tokens than the whole has on average: the words around it are
 *  kept, and may be Chinese around English. */
function cutWithin(limits: ShownLimits, cut: (limits: OutputLimits) => CutText | null): CutText | null {
  const { tokensMax = Infinity } = limits
  let { charsMax } = limits
  const charsPerToken = charsMax / tokensMax
  let shown = cut(limits)
  for (let times = 1; shown !== null && times < CUTS_MAX; times++) {
    const tokens = estimateTokens(shown.text)
    if (tokens <= tokensMax) break
    charsMax = Math.max(Math.floor(charsMax - (tokens - tokensMax) * charsPerToken), Math.floor(charsMax / 3))
    shown = cut({ ...limits, charsMax })
  }
  return shown
}

const CUTS_MAX = 4

/** The task and what the user said to it since, approvals aside. */
function userWords({ journal: { log, state } }: MoveContext): string {
  const seqs = [...new Set([state.taskSeq, state.lastUserSeq])].filter((seq) => seq > 0)
  const messages = seqs.flatMap((seq) => log.messages({ after: seq - 1, before: seq + 1, limit: 1 }))
  return messages.flatMap(({ kind, content }) => (kind === 'approval' ? [] : [contentText(content, null)])).join('\n')
}
