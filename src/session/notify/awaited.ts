import type { AwaitedAnswer, AwaitedEnd, AwaitedNews, Awaiter, KeptAwaiter } from '../../domain/awaited.ts'
import type { NewEvent, SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Pending } from '../../domain/pending.ts'
import type { SessionState } from '../../domain/state.ts'
import { cutText } from '../../lib/text.ts'
import type { Journal } from '../../log/journal.ts'
import type { SessionPorts } from '../../run/ports.ts'
import { endOf } from '../commands/run.ts'
import { eventsBehind } from '../../log/read-pages.ts'

/** Sessions that wait for each other. Who waits asks the other to tell, until it has said that it will; who is waited for tells when its run is
 *  over, until it was heard. Both are found in what is stored, so that a crash repeats them at most, which changes nothing. */

/** Under this key of the log's texts stands that the session which an item waits for will tell. */
const askedKey = (item: string) => `awaits:${item}`

/** Have the sessions tell that this one waits for. False: one could not be asked, and the alarm tries again. */
export async function askAwaited(journal: Journal, ports: SessionPorts): Promise<boolean> {
  const items = journal.state.pending.filter((item) => sessionOf(item) !== null)
  const asked = await Promise.all(items.map((item) => ask(item, journal, ports)))
  return asked.every(Boolean)
}

/** The session that an item waits for; null: none. */
function sessionOf({ wait }: Pending): string | null {
  return typeof wait?.session === 'string' ? wait.session : null
}

async function ask(item: Pending, journal: Journal, ports: SessionPorts): Promise<boolean> {
  const session = sessionOf(item)
  const { others } = ports
  if (session === null || !others || journal.log.text(askedKey(item.id)) !== null) return true
  const { id, tenant, user } = journal.record
  const awaiter = { session: id, item: item.id, user, until: Date.parse(item.expires_time) }
  try {
    const answer = await others.await(tenant, session, awaiter)
    if (!journal.exists) return true
    if (answer.is === 'kept') journal.append([], { texts: [{ key: askedKey(item.id), text: session }] })
    else hear(journal, ports, item.id, answer.is === 'over' ? answer.end : { session, status: answer.why })
    return true
  } catch (error) {
    ports.report(error)
    return false
  }
}

/** The wait for a session ends; the run goes on in the background. Nothing happens where nobody waits by the item any more. */
export function hear(journal: Journal, { alarm, now }: SessionPorts, item: string, news: AwaitedNews): void {
  if (!journal.exists || journal.state.needsNewer) return
  const found = journal.state.pending.find((one) => one.id === item && sessionOf(one) === news.session)
  if (!found) return
  const end = endOf(found, 'answer', { by: { kind: 'server', id: news.session }, result: news })
  const rests = journal.state.status === 'interrupted'
  journal.append([end, ...(rests ? [{ type: 'run-resume', mode: 'background' } satisfies NewEvent] : [])])
  alarm.set(now())
}

/** What a session is answered that wants to be told when the run of this one is over. It hears of no session that works for somebody else. */
export function takeAwaiter(journal: Journal, awaiter: Awaiter): AwaitedAnswer {
  if (!journal.exists) return { is: 'refused', why: 'not_found' }
  const { record, state } = journal
  if (awaiter.user !== null && awaiter.user !== record.user) return { is: 'refused', why: 'not_found' }
  if (state.pending.some((item) => sessionOf(item) === awaiter.session)) return { is: 'refused', why: 'circle' }
  const run = openRunOf(state)
  if (run === null) return { is: 'over', end: endOfRun(journal, state.run?.id ?? null, 0) }
  const isOther = (one: KeptAwaiter) => one.session !== awaiter.session || one.item !== awaiter.item
  const others = (record.awaiters ?? []).filter((one) => isOther(one) && one.until > journal.now())
  if (others.length >= LIMITS.wait.awaitersMax) return { is: 'refused', why: 'full' }
  journal.append([], { record: { ...record, awaiters: [...others, { ...awaiter, run, seq: state.lastSeq }] } })
  return { is: 'kept' }
}

/** The run that is not over: the newest, or the next of the queue. Null: there is none. */
function openRunOf({ run, queue, status }: SessionState): string | null {
  const isOpen = status === 'in_progress' || status === 'interrupted'
  return (isOpen ? run?.id : queue[0]?.runId) ?? null
}

function isOver({ run, queue }: SessionState, id: string): boolean {
  if (run?.id === id) return run.endSeq > 0
  return !queue.some(({ runId }) => runId === id)
}

/** Tell the sessions whose wait is over. `isLast`: this one is being deleted, and whatever they wait for does not come any more. False: one could
 *  not be told, and the alarm tries again. */
export async function tellAwaiters(journal: Journal, ports: SessionPorts, isLast = false): Promise<boolean> {
  const { others, now } = ports
  if (!journal.exists || !others) return true
  const { tenant, awaiters = [] } = journal.record
  const due = awaiters.filter(({ run }) => isLast || isOver(journal.state, run))
  if (due.length === 0) return true
  const told = await Promise.all(
    due.map(async (awaiter) => {
      if (awaiter.until <= now()) return true
      const end = endOfRun(journal, awaiter.run, awaiter.seq)
      const news = isLast ? { ...end, status: 'deleted' as const } : end
      return others.tell(tenant, awaiter, news).then(
        () => true,
        (error: unknown) => (ports.report(error), false),
      )
    }),
  )
  forget(
    journal,
    due.filter((_, index) => told[index]),
  )
  return told.every(Boolean)
}

function forget(journal: Journal, told: readonly KeptAwaiter[]): void {
  if (!journal.exists || told.length === 0) return
  const { awaiters = [], ...record } = journal.record
  const left = awaiters.filter((one) => !told.some(({ session, item }) => one.session === session && one.item === item))
  journal.append([], { record: left.length === 0 ? record : { ...record, awaiters: left } })
}

/** How a run ended. `behind`: its end is no earlier in the log. */
function endOfRun(journal: Journal, run: string | null, behind: number): AwaitedEnd {
  const { state, record } = journal
  const event = run === state.run?.id ? journal.runEnd : runEndBehind(journal, run, behind)
  const { answerCharsMax: max } = LIMITS.wait
  const { result = null, error = null } = event ?? {}
  const isCut = result !== null && result.length > max
  return {
    session: record.id,
    run,
    // A run that was queued and never began has no end.
    status: event?.status ?? (run === null ? 'idle' : 'cancelled'),
    finish_reason: event?.finish_reason ?? null,
    result: isCut ? cutText(result, max) : result,
    error: error && { code: error.code, detail: error.message ?? error.detail },
    ...(isCut ? { truncated: true } : {}),
    ...(state.taint.length > 0 ? { untrusted: true } : {}),
  }
}

function runEndBehind(journal: Journal, run: string | null, seq: number) {
  const isEnd = (event: SessionEvent) => event.type === 'run-end' && event.run_id === run
  for (const event of eventsBehind(journal, seq, ['run-end']))
    if (isEnd(event) && event.type === 'run-end') return event
  return null
}
