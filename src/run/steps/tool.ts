import { changeProblem } from '../../domain/file.ts'
import type { OpenCall } from '../../domain/state.ts'
import type { Permission, Tool, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { toolDescription } from '../../agent/tool-guide.ts'
import type { MoveOf } from '../../engine/move.ts'
import { execute, executeSync } from '../../tools/define.ts'
import { CHANGE_TEXTS } from '../../tools/files/texts.ts'
import { visibleFiles } from '../../tools/files/tools.ts'
import { isCleared, mayReach, mayRun, mayShow } from '../../tools/permission.ts'
import { outputLimitsOf, type ToolSettings } from '../../tools/registry.ts'
import { settingsFor } from '../../engine/worker/assignment.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import { leadsAway } from '../provenance/taint.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { languageFor, settingsOf, toolOf } from '../../engine/settings.ts'
import type { Job, Outcome } from '../../engine/job.ts'
import type { NewEvent } from '../../domain/event.ts'
import { argumentsOf, openCallOf, resultKey, runTask } from '../../engine/open.ts'
import { skillFile, skillText } from '../../engine/prompt/role.ts'
import { loadCutter, shownLimits } from './tool-output.ts'
import { afterCall, hookJob, nextHook } from './tool-hook.ts'
import { keptKey, resultOf } from './tool-result.ts'
import { answerOf, reporterOf } from './tool-talk.ts'
import { protocolOf, traceOf } from './request.ts'
import { pendingEvent } from './pending.ts'
import { rejectionEvents } from './rejected-call.ts'

type ToolMove = MoveOf<'call-tool'>

/** One tool call: started in the log, run, and its one result. Whatever was decided, a call runs only if the config allows it, or somebody
 *  allowed it with these very arguments. Otherwise a human is asked, or the model is told that it may not. */
export function toolJob(move: ToolMove, worker: Worker, context: MoveContext): Job {
  const { journal, engine } = context
  const open = openCallOf(context, move.scope, move.callId)
  if (!open) throw new Error(`call ${move.callId} is not open`)
  const tool = toolOf(engine, open.tool)
  if (!tool) return goneJob(move, open, worker, context)
  const hook = nextHook(open, engine)
  if (hook !== null) return hookJob({ ...move, hook }, context)
  const args = argumentsOf(context, move.scope, open)
  const settings = settingsFor({ engine, record: journal.record, state: journal.state }, move.scope)
  const facts = { arguments: args, tainted: journal.state.taint.length > 0, unseen: open.unseen }
  const permission = mayRun(open, tool, settings, facts)
  if (permission !== 'allow') return barredJob(move, permission, worker, context)
  return allowedJob(move, { tool, args, open, settings, scope: move.scope }, worker, context)
}

/** A call that may be run, with these arguments. */
interface AllowedCall {
  tool: Tool
  args: Record<string, unknown>
  open: OpenCall
  settings: ToolSettings
  scope: string | null
}

function allowedJob(move: ToolMove, call: AllowedCall, worker: Worker, context: MoveContext): Job {
  const { tool, args } = call
  const startedTime = context.journal.now()
  const isCurrent = () => openCallOf(context, move.scope, move.callId)?.status === 'started'
  const toolContext = contextOf(move, { ...call, isCurrent }, worker, context)
  return {
    begin: [startEvent(move, call)],
    isCurrent,
    runSync: () => resultAtOnce(call, toolContext, context),
    work: async (signal) => {
      const made = await execute(tool, args, toolContext(signal))
      const ms = context.journal.now() - startedTime
      const { outcome, events: asked } = await afterCall({ ...call, outcome: made, ms }, context, signal)
      const limits = shownLimits(call, outcome, context)
      const cutter = limits && (await loadCutter(tool, limits))
      return () => {
        const done = resultOf({ ...call, cutter, ms, outcome: possible(outcome, context) }, context)
        return asked.length === 0 ? done : { ...done, events: [...asked, ...done.events] }
      }
    },
  }
}

function startEvent({ scope, callId, attempt }: ToolMove, { tool, args }: AllowedCall): NewEvent {
  return { type: 'tool-start', scope, call_id: callId, tool: tool.id, arguments: args, attempt }
}

/** The outcome of a tool that needs no time. Null: it needs some, a hook has to be asked after it, or its text has to be cut. */
function resultAtOnce(
  call: AllowedCall,
  toolContext: (signal: AbortSignal) => ToolContext,
  context: MoveContext,
): Outcome | null {
  const { tool, args } = call
  if (context.engine.hooks?.of(tool, 'after').length) return null
  const outcome = executeSync(tool, args, toolContext(new AbortController().signal))
  if (!outcome || shownLimits(call, outcome, context)) return null
  return resultOf({ ...call, cutter: null, ms: 0, outcome }, context)
}

/** What a tool is given with its call. */
function contextOf(
  move: ToolMove,
  { tool, args, open, settings, isCurrent }: AllowedCall & { isCurrent: () => boolean },
  worker: Worker,
  context: MoveContext,
): (signal: AbortSignal) => ToolContext {
  const { journal, engine } = context
  const { language } = worker
  const isApproved = isCleared(open, args)
  return (signal) => ({
    callId: move.callId,
    home: journal,
    sessionId: journal.record.id,
    tenant: journal.record.tenant,
    user: journal.record.user,
    by: journal.runStart?.by ?? null,
    language,
    signal,
    trace: () => traceOf(move.callId, context),
    output: outputLimitsOf(tool, settingsOf(engine, journal.record)),
    skill: (name) => skillText(context, name, runTask(context)),
    skillFile: (name, path) => skillFile(context, worker, name, path),
    recall: (key) => journal.log.text(keptKey(tool, key)),
    result: (callId) => journal.log.text(resultKey(callId)),
    answer: answerOf(open, context),
    report: reporterOf(move, isCurrent, context),
    tools: worker.tools,
    describe: (one) => {
      const protocol = worker.choice.ok ? protocolOf(worker.choice.spec, context) : 'auto'
      return toolDescription(one, protocol, language)
    },
    files: visibleFiles(journal.log.files, (path) => mayShow(tool, settings, path, isApproved)),
    tainted: journal.state.taint.length > 0,
    vision: worker.choice.ok && worker.choice.spec.vision,
    barsRedirect: (from, to) => {
      if (!mayReach(tool, settings, { arguments: args, address: to, isApproved })) return 'not_allowed'
      return !isApproved && leadsAway(from, to, context) ? 'other_host' : null
    },
  })
}

/** The server that had the tool has it no more, or is no more: the model is told, and nothing is run. */
function goneJob(move: ToolMove, open: OpenCall, worker: Worker, context: MoveContext): Job {
  const refusal = { code: 'problem', problem: { code: 'unknown_tool', name: open.tool } } as const
  return notRun(move, context, async () => rejectionEvents({ ...callOf(move), refusal }, worker, context))
}

/** Nobody let the call run: a human is asked, or the model is told that it may not. */
function barredJob(move: ToolMove, permission: Permission, worker: Worker, context: MoveContext): Job {
  const denied = { ...callOf(move), refusal: { code: 'denied' } } as const
  return notRun(move, context, async () =>
    permission === 'deny'
      ? rejectionEvents(denied, worker, context)
      : pendingEvent({ ...denied, type: 'ask' }, context),
  )
}

function callOf({ scope, callId }: ToolMove) {
  return { type: 'reject-call', scope, callId } as const
}

function notRun({ scope, callId }: ToolMove, context: MoveContext, work: () => Promise<NewEvent[]>): Job {
  return { begin: [], isCurrent: () => openCallOf(context, scope, callId) !== undefined, work }
}

/** The outcome, unless the workspace does not take its changes any more. */
function possible(outcome: ToolOutcome, { journal, engine }: MoveContext): ToolOutcome {
  const changes = outcome.ok ? (outcome.files ?? []) : []
  const problem = changes.map((change) => changeProblem(journal.log.files, change)).find((found) => found !== null)
  return problem ? { ok: false, reason: CHANGE_TEXTS[languageFor(engine, journal.record)][problem] } : outcome
}
