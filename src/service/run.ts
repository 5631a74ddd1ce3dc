import { fail, ok, type Result } from '../domain/errors.ts'
import { isId } from '../lib/id.ts'
import type { CallOptions, RunAnswer, SessionText } from '../session/call.ts'
import { type AuditRecord, recorded } from './audit.ts'
import { type Caller, exceedsLink, lacks } from './caller.ts'
import { type Command, COMMANDS, type CommandOf, type CommandType, detailsOf, perform, startsRun } from './commands.ts'
import { type IdempotencyKey, once } from './idempotency.ts'
import { leased } from './limits.ts'
import type { ServicePorts } from './ports.ts'

/** What a door asks for. */
export interface Order<T extends CommandType> {
  type: T
  /** The session that it is for; of a command that makes one, the id that it gets unless it was made before. */
  sessionId: string
  /** What is acted upon, for the audit; absent: the session. */
  target?: string | null
  idempotency: IdempotencyKey | null
  /** Read when the caller may, and its key is taken. */
  read: () => Promise<Result<CommandOf<T>>>
  form: CallOptions['form']
  /** Of a stream. */
  view?: CallOptions['view']
  /** Of a trigger. */
  triggered?: CallOptions['triggered']
  record: AuditRecord<Done<T>>
}

/** What was done. */
export interface Done<T extends CommandType = CommandType> {
  command: CommandOf<T>
  /** The session that it was for, or that was made. */
  sessionId: string
  answer: RunAnswer | SessionText
  replayed: boolean
}

/** Does what a door asks for a caller. Every rule stands here, in its order: scope, idempotency, the input, lease; and on record. */
export async function run<T extends CommandType>(
  ports: ServicePorts,
  caller: Caller,
  order: Order<T>,
): Promise<Result<Done<T>>> {
  const { principal } = caller
  const { scope, action, makes } = COMMANDS[order.type]
  const about = { action, target: order.target ?? (makes ? null : order.sessionId) }
  return recorded(ports, caller, about, order.record, async (note) => {
    const lacking = lacks(principal, scope)
    if (lacking) return fail(lacking)
    if (!isId('ses', order.sessionId)) return fail({ code: 'not_found', what: 'session' })
    return once(ports, caller, order, async (sessionId, key) => {
      if (order.target === undefined) note({ target: sessionId })
      const read = await order.read()
      if (!read.ok) return read
      const command: Command = read.value
      if (order.record.at === 'both') note({ details: await detailsOf(command) })
      const exceeding = command.type === 'decide' ? exceedsLink(caller, command.pendingId) : null
      if (exceeding) return fail(exceeding)
      const options = optionsOf(caller, order, key)
      const work = async () => {
        const done = await perform(ports, { tenant: principal.tenant, id: sessionId }, command, options)
        if (!done.ok) return done
        note({ details: resultOf(order, sessionId, done.value) })
        return ok({ command: read.value, sessionId, answer: done.value, replayed: done.value.replayed === true })
      }
      return startsRun(command) ? leased(ports, principal, sessionId, work) : work()
    })
  })
}

/** How a session is to answer, for whom, and under which key. */
function optionsOf(
  { payer, origin }: Caller,
  { form, view, triggered }: Pick<Order<CommandType>, 'form' | 'view' | 'triggered'>,
  key: string | undefined,
): CallOptions {
  return {
    form,
    view,
    key,
    ...(payer === undefined ? {} : { payer }),
    ...(origin ? { origin } : {}),
    ...(triggered ? { triggered } : {}),
  }
}

/** What the audit is told of what was done: what it decided, and the id of what was made out of what it acted upon. */
function resultOf(
  { type, target }: Pick<Order<CommandType>, 'type' | 'target'>,
  sessionId: string,
  answer: Done['answer'],
) {
  const decisions = 'decided' in answer ? answer.decided : undefined
  return {
    ...(decisions?.length ? { decisions } : {}),
    ...(COMMANDS[type].makes && target !== undefined ? { made: sessionId } : {}),
  }
}
