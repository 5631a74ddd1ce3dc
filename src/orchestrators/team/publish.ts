import { fileBlocks } from '../../agent/file-blocks.ts'
import type { NewEvent } from '../../domain/event.ts'
import { changeProblem, type FileChange, filePath } from '../../domain/file.ts'
import { fileEvent, type Job, type Outcome } from '../../engine/job.ts'
import { roleAt, teamSpecOf } from './state.ts'
import { branchOfRole, roleOfBranch } from '../../domain/role.ts'
import { LIMITS } from '../../domain/limits.ts'
import { plansTurn, type TeamAction } from '../../domain/team.ts'
import { sha256Hex } from '../../lib/hash.ts'
import type { MoveOf } from '../../engine/move.ts'
import { CHANGE_TEXTS, PATH_TEXTS } from '../../tools/files/texts.ts'
import type { MoveContext, Step } from '../../engine/engine.ts'
import { outcomeOf } from '../../engine/orchestrator-of.ts'
import { languageFor } from '../../engine/settings.ts'
import { branchOf } from '../../log/branches.ts'
import { publishEvents, stepEvent, actionOf, roleAtBranch } from './bus.ts'
import { choosesActions, endTurnEvents } from './round.ts'

interface WrittenFile {
  path: string
  bytes: Uint8Array
  sha256: string
}

/** The output of an action goes on the bus, and its files into the workspace, in one transaction. */
export const publishStep: Step<MoveOf<'publish'>> = { prepare: ({ scope }, context) => publishJob(scope, context) }

function publishJob(scope: string, context: MoveContext): Job {
  const { journal } = context
  const action = actionOf(journal, scope)
  const runId = journal.state.run?.id
  const isCurrent = () => {
    const { todo, step } = roleAt(journal.state, scope)
    return journal.state.run?.id === runId && step === 'EXECUTING' && todo === action?.name
  }
  return {
    begin: [],
    isCurrent,
    work: async () => {
      const { content, notes } = outputOf(scope, context)
      const files = action?.output === 'files' ? await filesIn(content) : []
      return () => (action ? published({ scope, action, content, files, notes }, context) : { events: [] })
    },
  }
}

/** What a person answered, or the output of the role's branch. */
function outputOf(scope: string, context: MoveContext): { content: string; notes: NewEvent[] } {
  const { journal } = context
  const { answerSeq } = roleAt(journal.state, scope)
  const answer = answerSeq > 0 ? journal.log.events(answerSeq - 1, 1)[0] : undefined
  if (answer?.type === 'pending-end') return { content: answer.answer ?? '', notes: [] }
  const { result, notes = [] } = outcomeOf(context, scope, null)
  return { content: result ?? '', notes }
}

/** The files of an output; of one that is written twice, the last. */
async function filesIn(content: string): Promise<WrittenFile[]> {
  const texts = new Map(fileBlocks(content).map(({ path, text }) => [spelledOnce(path), text]))
  const blocks = [...texts].slice(0, LIMITS.team.filesMax)
  return Promise.all(
    blocks.map(async ([path, text]) => {
      const bytes = new TextEncoder().encode(text)
      return { path, bytes, sha256: await sha256Hex(bytes) }
    }),
  )
}

function spelledOnce(path: string): string {
  const checked = filePath(path)
  return checked.ok ? checked.path : path
}

interface Output {
  scope: string
  action: TeamAction
  content: string
  files: readonly WrittenFile[]
  /** What is to be said of how it was made. */
  notes: readonly NewEvent[]
}

function published({ scope, action, content, files, notes }: Output, context: MoveContext): Outcome {
  const { journal } = context
  const { owner, role } = roleOfBranch(scope)
  const team = teamSpecOf(journal, owner)
  if (!team) return { events: [] }
  const said = { from: role, content, causeBy: action.name, sendTo: action.send_to ?? [] }
  const stepOf = (name: string) => roleAt(journal.state, branchOfRole(owner, name)).step
  const { events, heardBy } = publishEvents(said, { team, owner }, journal.now(), stepOf)
  const written = changesOf(files, scope, context)
  return {
    events: [
      ...events,
      ...written.changes.map((change) => fileEvent(change, scope)),
      ...written.refused,
      ...notes,
      ...nextEvents(scope, heardBy.includes(role), context),
    ],
    ...(written.changes.length > 0 ? { files: written.changes } : {}),
  }
}

/** The next action of a turn that goes by order, or its end. Where a model chooses, it is asked again. */
function nextEvents(scope: string, hearsItself: boolean, context: MoveContext): NewEvent[] {
  const { journal } = context
  const role = roleAtBranch(journal, scope)
  const { done, todo } = roleAt(journal.state, scope)
  const left = role?.actions.filter(({ name }) => name !== todo && !done.includes(name)) ?? []
  if (!role || left.length === 0 || plansTurn(role)) return endTurnEvents(scope, context, hearsItself)
  const { run } = journal.state
  const iteration = run ? branchOf(run, scope).iterationOpen : 0
  return [
    ...(iteration > 0 ? [{ type: 'iteration-end', iteration, scope } as const] : []),
    ...(choosesActions(role) ? [] : [stepEvent(scope, 'EXECUTING', 'HAS_TODO', left[0]?.name)]),
  ]
}

/** The changes that the workspace takes, one after the other; what it does not take is said. */
function changesOf(
  files: readonly WrittenFile[],
  scope: string,
  { journal, engine }: MoveContext,
): { changes: FileChange[]; refused: NewEvent[] } {
  const language = languageFor(engine, journal.record)
  const changes: FileChange[] = []
  const refused: NewEvent[] = []
  for (const { path: written, bytes, sha256 } of files) {
    const checked = filePath(written)
    const base = checked.ok ? (journal.log.files.stat(checked.path)?.sha256 ?? null) : null
    const untrusted = journal.state.taint.length > 0
    const change: FileChange = { action: 'write', path: checked.ok ? checked.path : '', bytes, sha256, untrusted, base }
    const problem = checked.ok ? changeProblem(journal.log.files, change, changes) : null
    const reason = checked.ok ? problem && CHANGE_TEXTS[language][problem] : PATH_TEXTS[language][checked.problem]
    if (reason === null) changes.push(change)
    else refused.push({ type: 'error', scope, code: 'file_refused', detail: `${written.slice(0, 200)}: ${reason}` })
  }
  return { changes, refused }
}
