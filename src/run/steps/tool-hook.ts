import { toolFailureText } from '../../agent/texts.ts'
import type { HookAnswer, HookedCall } from '../../callbacks/tool-hooks.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import type { HookPhase } from '../../domain/tool-hook.ts'
import type { OpenCall } from '../../domain/state.ts'
import type { Tool, ToolOutcome } from '../../domain/tool.ts'
import type { MoveContext } from '../../engine/engine.ts'
import type { Job } from '../../engine/job.ts'
import type { MoveOf } from '../../engine/move.ts'
import { argumentsOf, openCallOf } from '../../engine/open.ts'
import { languageFor, toolOf } from '../../engine/settings.ts'
import { resultMessage } from './tool-result.ts'

const TEXTS = {
  'zh-CN': {
    refused: (hook: string, reason: string) => `钩子 ${hook} 拒绝了这个调用，没有执行。${reason}`,
    failed: (hook: string, detail: string) =>
      `钩子 ${hook} 须先同意这个调用，但没有给出可用的答复（${detail}），因此没有执行。请稍后再试，或告诉用户。`,
    withheld: (hook: string, reason: string) => `调用已经执行，但钩子 ${hook} 扣下了它的结果。${reason}`,
  },
  en: {
    refused: (hook: string, reason: string) => `The hook ${hook} refused this call; it was not made. ${reason}`,
    failed: (hook: string, detail: string) =>
      `The hook ${hook} has to agree to this call, and gave no answer that can be used (${detail}); the call was not made. Try again later, or tell the user.`,
    withheld: (hook: string, reason: string) =>
      `The call was made, but the hook ${hook} withheld its result. ${reason}`,
  },
} as const satisfies Record<Language, unknown>

/** Ask a hook about a call that is not made yet. Its answer is written as one event; a call that it refuses has its result with that.
 *  Nothing is written before: an answer that was lost is asked for again. */
export function hookJob(move: Pick<MoveOf<'call-hook'>, 'scope' | 'callId' | 'hook'>, context: MoveContext): Job {
  const { journal, engine } = context
  const { scope, callId, hook } = move
  const current = () => openCallOf(context, scope, callId)
  const startedTime = journal.now()
  return {
    begin: [],
    isCurrent: () => isDue(current(), hook),
    work: async (signal) => {
      const open = current()
      const tool = open && toolOf(engine, open.tool)
      if (!open || !tool || !engine.hooks) return []
      const args = argumentsOf(context, scope, open)
      const asked = await engine.hooks.ask(hook, 'before', hookedCall(open, tool, args, context), signal)
      const answer = fitting(asked, tool)
      const event = hookEvent(answer, { scope, callId, hook, phase: 'before', ms: journal.now() - startedTime })
      const stops = stopText(answer, hook, 'before', context)
      if (stops === null) return [event]
      const language = languageFor(engine, journal.record)
      const content = toolFailureText(tool.names[language], stops, language)
      return [event, resultMessage(context, { scope, callId, tool: open.client ?? open.tool, content })]
    },
  }
}

function isDue(open: OpenCall | undefined, hook: string): boolean {
  return open !== undefined && open.attempt === 0 && !(open.hooks ?? []).includes(hook)
}

/** The next hook that has to be asked before a call is decided on; null: all were, or there are none. */
export function nextHook(
  open: OpenCall,
  { hooks, tools }: Pick<MoveContext['engine'], 'hooks' | 'tools'>,
): string | null {
  const tool = hooks === null || open.attempt > 0 ? undefined : toolOf({ tools }, open.tool)
  const names = tool && hooks ? hooks.of(tool, 'before') : []
  return names.find((name) => isDue(open, name)) ?? null
}

/** Arguments of a hook that the tool does not take are no answer. */
function fitting(answer: HookAnswer, tool: Tool): HookAnswer {
  const parsed = answer.outcome === 'changed' ? tool.parse(answer.arguments) : null
  if (!parsed || parsed.ok) return answer
  const wrong = parsed.errors.map(({ path, expected }) => `${path}: ${expected}`).join('; ')
  return { outcome: 'failed', detail: `the tool does not take its arguments: ${wrong}`, isOpen: false }
}

interface Asked {
  scope: string | null
  callId: string
  hook: string
  phase: HookPhase
  ms: number
}

function hookEvent(answer: HookAnswer, { scope, callId, ...asked }: Asked): NewEvent {
  const { outcome } = answer
  const said = outcome === 'failed' ? answer.detail : outcome === 'refused' ? answer.reason : ''
  return {
    type: 'tool-hook',
    scope,
    call_id: callId,
    ...asked,
    outcome,
    ...(outcome === 'changed' ? { arguments: answer.arguments } : {}),
    ...(said === '' ? {} : { reason: said }),
  }
}

/** What a model is told of a call that a hook stops; null: it stops nothing. */
function stopText(answer: HookAnswer, hook: string, phase: HookPhase, context: MoveContext): string | null {
  const texts = TEXTS[languageFor(context.engine, context.journal.record)]
  if (answer.outcome === 'refused')
    return (phase === 'before' ? texts.refused : texts.withheld)(hook, answer.reason).trim()
  if (answer.outcome !== 'failed' || answer.isOpen) return null
  return phase === 'before' ? texts.failed(hook, answer.detail) : texts.withheld(hook, answer.detail)
}

function hookedCall(open: OpenCall, tool: Tool, args: Record<string, unknown>, { journal }: MoveContext): HookedCall {
  const { id: sessionId, tenant, user } = journal.record
  return {
    sessionId,
    tenant,
    user,
    runId: journal.state.run?.id ?? '',
    callId: open.id,
    tool: open.client ?? tool.id,
    risk: tool.riskOf(args),
    arguments: args,
  }
}

interface MadeCall {
  scope: string | null
  open: OpenCall
  tool: Tool
  args: Record<string, unknown>
  outcome: ToolOutcome
  ms: number
}

/** Tell the hooks of a tool what came of a call. One that refuses, or that has to agree and does not answer, withholds it. */
export async function afterCall(
  { scope, open, tool, args, outcome, ms }: MadeCall,
  context: MoveContext,
  signal: AbortSignal,
): Promise<{ outcome: ToolOutcome; events: NewEvent[] }> {
  const { journal, engine } = context
  const events: NewEvent[] = []
  const isAsking = !outcome.ok && outcome.asks !== undefined
  const result = { ok: outcome.ok, content: outcome.ok ? (outcome.content ?? '') : outcome.reason, ms }
  for (const hook of isAsking ? [] : (engine.hooks?.of(tool, 'after') ?? [])) {
    const startedTime = journal.now()
    const call = { ...hookedCall(open, tool, args, context), result }
    const answer = (await engine.hooks?.ask(hook, 'after', call, signal)) ?? { outcome: 'allowed' }
    events.push(hookEvent(answer, { scope, callId: open.id, hook, phase: 'after', ms: journal.now() - startedTime }))
    const withheld = stopText(answer, hook, 'after', context)
    if (withheld !== null) return { outcome: { ok: false, reason: withheld }, events }
  }
  return { outcome, events }
}
