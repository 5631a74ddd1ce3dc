import { contentText } from '../../../src/domain/content.ts'
import { afterThoughts } from '../../../src/agent/thinking.ts'
import { fencedBlock } from '../../../src/lib/fence.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { Language } from '../../../src/domain/language.ts'
import type { Message } from '../../../src/domain/message.ts'
import { MAIN } from '../../../src/domain/state.ts'
import type { MoveContext, Orchestrator, StepContext } from '../../../src/engine/engine.ts'
import type { Job } from '../../../src/engine/job.ts'
import type { Move, MoveOf, RunView } from '../../../src/engine/move.ts'
import { workerOf } from '../../../src/engine/worker/worker.ts'
import { draftBranch, type Reducer } from '../../../src/log/reduce/reducer.ts'
import { failed, nextCall } from '../../../src/orchestrators/decide.ts'

declare module '../../../src/domain/state.ts' {
  interface BranchState {
    /** Of a run that goes by a checklist: the points that are done. */
    checklist?: { done: number }
  }
}

declare module '../../../src/engine/move.ts' {
  interface Moves {
    /** Have the model do the next point. */
    'do-point': { scope: null; key: string; attempt: number; point: number }
  }
}

const TEXTS: Record<Language, { system: string; before: string }> = {
  'zh-CN': { system: '按清单逐项完成任务；只做当前这一项。', before: '# 已完成的各项' },
  en: { system: 'Do the task point by point; do this point alone.', before: '# Points that are done' },
}

/** One point a line. */
function pointsOf({ instructions = '' }: SessionConfig): string[] {
  return instructions.split('\n').filter((line) => line.trim() !== '')
}

/** A fixed list of points: the model is asked once for each, in order, and what it says of the last is the result. */
export const checklist: Orchestrator = {
  name: 'checklist',
  issues: ({ config = {} }, _cast, isChosen) =>
    isChosen && pointsOf(config).length === 0 ? [{ path: 'config.instructions', message: 'one point a line' }] : [],
  decide,
  reduce: reducer(),
  steps: { 'do-point': { prepare: doPoint } },
  outcome: ({ journal }, branch) => {
    const said = saidIn(journal, branch).at(-1)
    return { result: said ? afterThoughts(contentText(said.content, null)) : null, violations: null, endedBy: null }
  },
}

function decide(view: RunView): Move[] {
  const { run, limits, record } = view
  if (run.phase !== 'active') return []
  if (limits.deadlineMs !== null && view.activeMs >= limits.deadlineMs) return [failed('deadline')]
  if (run.failure) return [failed('failed', run.failure.code)]
  const point = run.scopes[MAIN]?.checklist?.done ?? 0
  if (point < pointsOf(record.config).length)
    return nextCall(null, view, ({ key, attempt }) => ({ type: 'do-point', scope: null, key, attempt, point }))
  return [{ type: 'end', status: 'completed', finishReason: 'completed', code: null }]
}

function reducer(): Reducer {
  return {
    on: {
      'run-start': ({ run }, { seq, orchestrator }) => {
        if (run?.firstSeq === seq && orchestrator === 'checklist') draftBranch(run, null).checklist = { done: 0 }
      },
      'model-end': ({ run }, { ok, scope }) => {
        const list = run && draftBranch(run, scope).checklist
        if (ok && list) list.done++
      },
    },
  }
}

function doPoint({ attempt, point }: MoveOf<'do-point'>, context: StepContext): Job {
  const { journal } = context
  const worker = workerOf(context, null)
  const texts = TEXTS[worker.language]
  const [task] = journal.log.messages({ after: journal.state.taskSeq - 1, limit: 1 })
  const before = saidIn(journal, null).flatMap(({ content }) => [fencedBlock(contentText(content, worker.language))])
  const parts = [
    contentText(task?.content ?? '', worker.language),
    ...(before.length > 0 ? [texts.before, ...before] : []),
    pointsOf(journal.record.config)[point] ?? '',
  ]
  return context.modelCall(
    {
      scope: null,
      attempt,
      isHeard: true,
      request: () => ({
        messages: [
          { role: 'system', content: texts.system },
          { role: 'user', content: parts.join('\n\n') },
        ],
      }),
      settle:
        ({ content }, { messageId, ended }) =>
        () => ({
          events: [journal.messageEvent({ id: messageId, role: 'assistant', kind: 'reply', content }), ...ended()],
        }),
    },
    worker.choice,
  )
}

/** What was said of the points that are done, oldest first. */
function saidIn({ log, state }: MoveContext['journal'], scope: string | null): Message[] {
  const said = log.messages({ scope, after: state.taskSeq, limit: 100 })
  return said.filter(({ role }) => role === 'assistant')
}
