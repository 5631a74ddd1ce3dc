import { fail, ok, type Result } from '../../domain/errors.ts'
import type { RunMode } from '../../domain/event.ts'
import type { StoredRequest } from '../../domain/ports.ts'
import type { AgentResponseData } from '../../domain/session.ts'
import type { CallOptions, KeyOption, RunAnswer } from '../call.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Driver } from './driver.ts'
import type { Journal } from '../../log/journal.ts'
import { responseOf } from '../queries/response.ts'
import type { Views } from '../queries/projection.ts'
import { isOpen } from '../../log/branches.ts'

/** A call whose effect is in the log: what is driven, and from where on its caller is told. */
export interface Asked extends CallOptions {
  mode: RunMode
  /** The run that its caller waits for. */
  runId: string | null
  /** Where the log ended before the call. */
  fromSeq: number
}

/** The answers to calls that run, in the form that each asked for. */
export class Answering {
  readonly #journal: Journal
  readonly #engine: Pick<Engine, 'config'>
  readonly #driver: Driver
  readonly #views: Views

  constructor(journal: Journal, engine: Pick<Engine, 'config'>, driver: Driver, views: Views) {
    this.#journal = journal
    this.#engine = engine
    this.#driver = driver
    this.#views = views
  }

  /** Have the run of a call driven, and answer the call. */
  async answer({ form, view, key, mode, runId, fromSeq }: Asked): Promise<Result<RunAnswer>> {
    const rested = this.#driver.rested(runId ?? '', fromSeq)
    this.#driver.go(mode, runId ?? '')
    if (form === 'stream') return ok({ form, body: this.#streamOf(view, runId, fromSeq) })
    if (form === 'background') {
      const accepted = { session_id: this.#journal.record.id, run_id: runId }
      await this.#driver.list()
      return ok({ form, accepted })
    }
    const response = await rested
    if (key !== undefined && this.#journal.exists) this.#journal.log.keepAnswer(key, JSON.stringify(response))
    return ok({ form, response })
  }

  /** The answer that a keyed call got, or gets now that the process that ran it is gone. */
  again(known: StoredRequest, { form, view }: Pick<CallOptions, 'form' | 'view'>): Result<RunAnswer> {
    const { runId } = known
    if (form === 'background')
      return ok({ form, replayed: true, accepted: { session_id: this.#journal.record.id, run_id: runId } })
    if (known.answer !== null && form === 'wait')
      return ok({ form, replayed: true, response: JSON.parse(known.answer) as AgentResponseData })
    if (isOpen(this.#journal.state, runId)) return fail({ code: 'idempotency_in_progress' })
    if (form === 'stream') return ok({ form, replayed: true, body: this.#streamOf(view, runId, known.fromSeq) })
    const response = responseOf(this.#journal, this.#engine, runId, known.fromSeq)
    this.#journal.log.keepAnswer(known.key, JSON.stringify(response))
    return ok({ form, replayed: true, response })
  }

  #streamOf(view: CallOptions['view'], runId: string | null, fromSeq: number): ReadableStream<Uint8Array> {
    return this.#views.stream(view, { from: { seq: fromSeq, n: 0 }, untilRestOf: runId })
  }
}

/** The keyed request as it is kept with its effect; nothing without a key. */
export function requestOf(
  { key }: KeyOption,
  time: number,
  runId: string | null,
  fromSeq = 0,
): { request?: StoredRequest } {
  return key === undefined ? {} : { request: { key, runId, fromSeq, time, answer: null } }
}
