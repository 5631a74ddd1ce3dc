import { contentText } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { MoveContext } from '../../engine/engine.ts'
import type { MoveOf } from '../../engine/move.ts'
import { promptEvent, type PromptOf, roomBeside } from '../../engine/prompt/prompt.ts'
import { brokenTemplate, skillFilesPart, skillsPart, tellsHistory } from '../../engine/prompt/role.ts'
import { knowsUser, userParts } from '../../engine/prompt/user.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import { branchOf, seqsOf } from '../../log/branches.ts'
import { at } from '../../log/window.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Memory, Remembered } from '../../domain/memory.ts'
import { abortable, timeLimit } from '../../lib/wait.ts'
import { MEMORY_TEXTS, memoryFrameTokens, memoryInPrompt, memoryText } from '../../memory/prompt.ts'
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
  const told = worker.scope === null ? extra.parts : userParts(context, worker, 'preferences')
  const parts = [...skillFilesPart(worker), ...skillsPart(context, worker)]
  // What was said before may hold words from outside, which the branch has not seen yet.
  const untrusted = extra.untrusted || (tellsHistory(worker) && state.taint.length > 0)
  const of = { untrusted, task: taskText(worker.scope, context) ?? about, about, parts, told }
  return [...templateEvents(worker), promptEvent(worker, context, of)]
}

/** Says that a skill works by its plain text. */
function templateEvents(worker: Worker): NewEvent[] {
  const fault = brokenTemplate(worker)
  if (fault === null) return []
  const detail = `The prompt of the skill is no template that can be filled in (${fault}); it is used as it is written.`
  return [{ type: 'error', scope: worker.scope, code: 'template_broken', detail }]
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
      const plain = promptEvents(worker, context, NOTHING)
      if (remembered === null) return [unavailable(scope), ...plain]
      if (isNothing(remembered)) return plain
      const room = roomBeside(textIn(plain), worker)
      return promptEvents(worker, context, await rememberedText(remembered, worker, context, room))
    },
  }
}

function isNothing({ preferences, rounds, tasks }: Remembered): boolean {
  return preferences.length + rounds.length + tasks.length === 0
}

function textIn(events: readonly NewEvent[]): string {
  const last = events.at(-1)
  return last?.type === 'message' ? contentText(last.message.content, null) : ''
}

function unavailable(scope: string | null): NewEvent {
  const detail = 'What is remembered of the user could not be read; the run goes on without it.'
  return { type: 'error', scope, code: 'memory_unavailable', detail }
}

/** What is remembered of the user as a message of the log, for the prompts of a run whose own line of work has none. */
export function memoryJob(worker: Worker, context: MoveContext): Job {
  const { journal } = context
  const runId = journal.state.run?.id
  return {
    begin: [],
    isCurrent: () => journal.state.run?.id === runId && !knowsUser(journal.state),
    work: async (signal) => {
      const remembered = await loaded(null, context, signal)
      const { parts, untrusted } = remembered ? await rememberedText(remembered, worker, context) : NOTHING
      const content = memoryText(parts, worker.language)
      const said = { role: 'system', kind: 'prompt', content, scope: null } as const
      const message = journal.messageEvent(said, untrusted ? { untrusted } : {})
      return remembered ? [message] : [unavailable(null), message]
    },
  }
}

/** Whether what is remembered of the user is told. A part of a run loads nothing of its own. */
export function mustLoadMemory({ journal, engine }: MoveContext, scope: string | null): boolean {
  return scope === null && journal.record.user !== null && engine.memory !== null
}

/** Null: the memory gave no answer in time. */
async function loaded(scope: string | null, context: MoveContext, signal: AbortSignal): Promise<Remembered | null> {
  const { journal, engine } = context
  const { id, tenant, user } = journal.record
  const memory: Memory | null = user === null || engine.memory === null ? null : engine.memory(tenant, user)
  if (memory === null || !mustLoadMemory(context, scope)) return { rounds: [], preferences: [], tasks: [] }
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
  roomTokens = Infinity,
): Promise<PromptExtra> {
  const { record, state } = journal
  const texts = MEMORY_TEXTS[language]
  const windowTokens = choice.ok ? choice.spec.contextTokens - choice.spec.maxTokens : LIMITS.model.contextTokens
  const { preferences, record: earlier } = memoryInPrompt(
    remembered,
    language,
    Math.max(
      0,
      Math.floor(Math.min(windowTokens * LIMITS.memory.windowShare, roomTokens - memoryFrameTokens(language))),
    ),
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
