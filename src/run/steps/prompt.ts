import { contentText } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { MoveContext } from '../../engine/engine.ts'
import type { MoveOf } from '../../engine/move.ts'
import { promptEvent, type PromptOf } from '../../engine/prompt.ts'
import { skillFilesPart, skillsPart } from '../../engine/role.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import { branchOf, seqsOf } from '../../log/branches.ts'
import { at } from '../../log/window.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Memory, Remembered } from '../../domain/memory.ts'
import { abortable, timeLimit } from '../../lib/wait.ts'
import { MEMORY_TEXTS, memoryInPrompt } from '../../memory/prompt.ts'
import { fence } from '../../lib/fence.ts'
import type { Job } from '../../engine/job.ts'

/** What a prompt says beside what the session knows. */
type PromptExtra = Required<Pick<PromptOf, 'parts' | 'untrusted'>>

/** The prompt of a new task, stored right behind it. */
export function promptEvents(
  worker: Worker,
  context: MoveContext,
  extra: PromptExtra = { parts: [], untrusted: false },
): NewEvent[] {
  const { log, state } = context.journal
  const [said] = at(log, seqsOf(state, worker.scope).taskSeq)
  const about = contentText(said?.content ?? '', worker.language)
  const parts = [...skillFilesPart(worker), ...skillsPart(context, worker), ...extra.parts]
  return [promptEvent(worker, context, { ...extra, task: taskText(worker.scope, context) ?? about, about, parts })]
}

/** What a branch is to do, in the words of whose branch it is; null: it says none. */
function taskText(scope: string | null, context: MoveContext): string | null {
  const texts = scope === null ? [] : context.engine.orchestrators.all.map((one) => one.taskText?.(context, scope))
  return texts.find((text) => text !== null && text !== undefined) ?? null
}

const NOTHING: PromptExtra = { parts: [], untrusted: false }

/** The prompt of a task with what is remembered of the user and the tenant's skills; a memory that cannot be reached is said and left out. */
export function promptJob({ scope }: MoveOf<'prompt'>, worker: Worker, context: MoveContext): Job {
  const { journal, engine } = context
  const runId = journal.state.run?.id
  return {
    begin: [],
    isCurrent: () => {
      const { run } = journal.state
      return run?.id === runId && run !== null && branchOf(run, scope).last?.kind === 'task'
    },
    work: async (signal) => {
      const [remembered] = await Promise.all([
        loaded(scope, context, signal),
        engine.skills.load(journal.record.tenant),
      ])
      if (remembered !== null) return promptEvents(worker, context, await rememberedText(remembered, worker, context))
      const detail = 'What is remembered of the user could not be read; the run goes on without it.'
      const unavailable: NewEvent = { type: 'error', scope, code: 'memory_unavailable', detail }
      return [unavailable, ...promptEvents(worker, context, NOTHING)]
    },
  }
}

/** Null: the memory gave no answer in time. A part of a run is told nothing: it knows its own task alone. */
async function loaded(
  scope: string | null,
  { journal, engine }: MoveContext,
  signal: AbortSignal,
): Promise<Remembered | null> {
  const { id, tenant, user } = journal.record
  const memory: Memory | null = user === null || engine.memory === null ? null : engine.memory(tenant, user)
  if (memory === null || scope !== null) return { rounds: [], preferences: [], tasks: [] }
  const limit = timeLimit(LIMITS.memory.loadMs)
  try {
    return await abortable(memory.load(id), AbortSignal.any([signal, limit.signal]))
  } catch {
    return null
  } finally {
    limit.end()
  }
}

async function rememberedText(
  remembered: Remembered,
  { choice, language }: Worker,
  { journal }: MoveContext,
): Promise<PromptExtra> {
  const { record, state } = journal
  const texts = MEMORY_TEXTS[language]
  const windowTokens = choice.ok ? choice.spec.contextTokens - choice.spec.maxTokens : LIMITS.model.contextTokens
  const { preferences, record: earlier } = memoryInPrompt(
    remembered,
    language,
    Math.floor(windowTokens * LIMITS.memory.windowShare),
  )
  const parts = [
    ...(preferences === '' ? [] : [{ title: texts.preferences, text: `${texts.preferencesAre}\n\n${preferences}` }]),
    ...(earlier === ''
      ? []
      : [
          {
            title: texts.earlier,
            text: `${texts.earlierIs}\n${await fence(earlier, texts.begin, texts.end, `${record.id}\n${state.run?.id}`)}`,
          },
        ]),
  ]
  return { parts, untrusted: [...remembered.rounds, ...remembered.tasks].some(({ untrusted }) => untrusted) }
}
