import type { WhenBusy } from '../domain/run.ts'
import type { Scope } from '../domain/access.ts'
import type { Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { ContinueInput, DecisionInput, NewMessageInput, NewSession } from '../domain/session-input.ts'
import type { TeamMessageInput } from '../domain/team.ts'
import { canonicalJson, sha256Hex } from '../lib/hash.ts'
import type { CallOptions, RunAnswer, SessionText } from '../session/call.ts'
import type { NamedRun } from '../session/commands/skill.ts'
import type { ServicePorts } from './ports.ts'

/** What can be asked of a session. `whenBusy`: what becomes of a task while a run of the session is going; by default it is refused. */
export type Command =
  | { type: 'create'; input: NewSession; whenBusy?: WhenBusy }
  /** Make a session that runs a skill. */
  | { type: 'run_skill'; input: NamedRun }
  /** Make a session from an exported document. */
  | { type: 'import'; document: ReadableStream<Uint8Array> }
  /** Make a session with the log of another up to a seq; null: all of it. */
  | { type: 'fork'; from: string; atSeq: number | null }
  | { type: 'message'; input: NewMessageInput; whenBusy?: WhenBusy | undefined }
  | { type: 'continue'; input: ContinueInput }
  | { type: 'decide'; pendingId: string; input: DecisionInput }
  | { type: 'cancel' }
  | { type: 'team_message'; input: TeamMessageInput }
  | { type: 'cancel_task'; task: string }
  | { type: 'retry_task'; task: string }

export type CommandType = Command['type']
export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>

interface Rules {
  scope: Scope
  /** For the audit. */
  action: string
  /** Takes a place among the sessions in progress that the key may have. */
  runs?: true
  /** Makes a session. */
  makes?: true
}

/** What each command asks of its caller. */
export const COMMANDS: Readonly<Record<CommandType, Rules>> = {
  create: { scope: 'run', action: 'session.create', makes: true, runs: true },
  run_skill: { scope: 'run', action: 'skill.run', makes: true, runs: true },
  import: { scope: 'run', action: 'session.import', makes: true },
  fork: { scope: 'run', action: 'session.fork', makes: true },
  message: { scope: 'run', action: 'session.message', runs: true },
  continue: { scope: 'run', action: 'session.continue', runs: true },
  decide: { scope: 'decide', action: 'session.decide' },
  cancel: { scope: 'run', action: 'session.cancel' },
  team_message: { scope: 'run', action: 'team.message', runs: true },
  cancel_task: { scope: 'run', action: 'task.cancel' },
  retry_task: { scope: 'run', action: 'task.retry', runs: true },
}

/** A fork is copied within the server, secrets of its config included; it may be larger than what clients send. */
const FORK_BYTES_MAX = 4 * LIMITS.http.importBytesMax

/** Whether a command starts a run: a new session does if it has a task. */
export function startsRun(command: Command): boolean {
  return COMMANDS[command.type].runs === true && (command.type !== 'create' || command.input.task !== undefined)
}

/** What the audit is told of a command beside what it acts upon: hashes stand for arguments and words. */
export async function detailsOf(command: Command): Promise<Record<string, unknown>> {
  if (command.type === 'cancel_task' || command.type === 'retry_task') return { task: command.task }
  if (command.type !== 'decide') return {}
  const { decision, arguments: edited, remember } = command.input
  const editedHash = edited && (await sha256Hex(canonicalJson(edited)))
  return {
    pending_id: command.pendingId,
    decision,
    ...(editedHash ? { edited_arguments_hash: editedHash } : {}),
    ...(remember ? { remember } : {}),
  }
}

/** Gives a command to its session. */
export async function perform(
  ports: Pick<ServicePorts, 'session'>,
  { tenant, id }: { tenant: string; id: string },
  command: Command,
  options: CallOptions,
): Promise<Result<RunAnswer | SessionText>> {
  const session = ports.session(tenant, id)
  const { key } = options
  switch (command.type) {
    case 'create':
      return session.create(id, tenant, command.input, { ...options, whenBusy: command.whenBusy ?? 'reject' })
    case 'run_skill':
      return session.runSkill(id, tenant, command.input, options)
    case 'import':
      return session.import(id, tenant, command.document, { key, bytesMax: LIMITS.http.importBytesMax })
    case 'fork': {
      const exported = await ports.session(tenant, command.from).export(command.atSeq, true)
      if (!exported.ok) return exported
      return session.import(id, tenant, exported.value, { key, bytesMax: FORK_BYTES_MAX })
    }
    case 'message':
      return session.addMessage(command.input, { ...options, whenBusy: command.whenBusy ?? 'reject' })
    case 'continue':
      return session.continue(command.input, options)
    case 'decide':
      return session.decide(command.pendingId, command.input, options)
    case 'cancel':
      return session.cancel({ key })
    case 'team_message':
      return session.tellTeam(command.input, options)
    case 'cancel_task':
      return session.task(command.task, 'cancel', options)
    case 'retry_task':
      return session.task(command.task, 'retry', options)
  }
}
