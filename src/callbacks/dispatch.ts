import type { Attempt, Callback } from '../domain/callback.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Alarm, Random } from '../domain/ports.ts'
import { getCallback, noteHealth, putCallback, type KeptCallback } from '../store/callbacks.ts'
import type { Database } from '../store/database.ts'
import {
  bringForward,
  giveUpOldest,
  nextDue,
  reclaim,
  settleDelivery,
  takeDue,
  type Fate,
  type TakenDelivery,
} from '../store/deliveries.ts'
import { dispatched, getPush, removePush } from '../store/pushes.ts'
import { forgetEnded, nextForgotten } from '../store/delivery-log.ts'
import { attemptError, sendDelivery, type SendPorts, type Sent } from './send.ts'

export interface DispatchPorts extends SendPorts {
  db: Database
  random: Random
  alarm: Pick<Alarm, 'set'>
  /** Keeps the process alive for work that nobody awaits. */
  keepAlive(work: Promise<unknown>): void
  /** Told of a callback that was switched off because its receiver is gone, and by which delivery that showed. Does not throw. */
  switchedOff(callback: Callback, delivery: string): void
  /** Tells the operator of a bug. */
  report(error: unknown): void
}

/** Sends what is due: a bounded number at the same time and callbacks in turn, so that one receiver that hangs holds up no other. There is
 *  one alarm. A delivery under way is leased, so that the next process takes it over when this one dies. */
export class Dispatch {
  readonly #ports: DispatchPorts
  /** Attempts under way, by callback. */
  readonly #busy = new Map<string, number>()
  /** The callback that was served last. */
  #turn = ''
  /** Attempts that this alarm may still start. */
  #left = 0
  #alarmAt: number | null = null
  #tidied = 0
  #isFirst = true

  constructor(ports: DispatchPorts) {
    this.#ports = ports
  }

  /** What the alarm does. */
  wake(): void {
    this.#alarmAt = null
    if (this.#isFirst) reclaim(this.#ports.db, this.#ports.now())
    this.#isFirst = false
    this.#left = LIMITS.callback.attemptsPerAlarmMax
    this.#tidy()
    this.#fill()
  }

  /** Something may be due: have the alarm look. */
  poke(): void {
    this.#setAlarm(this.#ports.now())
  }

  #fill(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#left--
      this.#start(next.callback, next.delivery)
    }
    this.#sleep()
  }

  /** The next delivery that there is room for; callbacks come in turn. */
  #next(): { callback: Callback; delivery: TakenDelivery } | null {
    if (this.#left <= 0 || sum(this.#busy.values()) >= LIMITS.callback.parallelMax) return null
    const kept = dispatched(this.#ports.db)
    const behind = kept.findIndex(({ callback }) => callback.id > this.#turn)
    const inTurn = behind < 0 ? kept : [...kept.slice(behind), ...kept.slice(0, behind)]
    for (const { callback } of inTurn.filter((one) => this.#hasRoom(one, kept))) {
      const delivery = takeDue(this.#ports.db, callback.id, this.#ports.now())
      if (delivery === null) continue
      this.#turn = callback.id
      return { callback, delivery }
    }
    return null
  }

  /** Those that fail share a part of the room, so that the others always have the rest. */
  #hasRoom({ callback, failing }: KeptCallback, all: readonly KeptCallback[]): boolean {
    const { parallelPerCallbackMax, parallelPerFailingMax, parallelFailingMax } = LIMITS.callback
    const own = this.#busy.get(callback.id) ?? 0
    if (failing === null) return own < parallelPerCallbackMax
    const ofFailing = all.filter((one) => one.failing !== null).map((one) => this.#busy.get(one.callback.id) ?? 0)
    return own < parallelPerFailingMax && sum(ofFailing) < parallelFailingMax
  }

  #start(callback: Callback, delivery: TakenDelivery): void {
    const { id } = callback
    this.#busy.set(id, (this.#busy.get(id) ?? 0) + 1)
    const done = this.#try(callback, delivery).finally(() => {
      this.#busy.set(id, (this.#busy.get(id) ?? 1) - 1)
      if (this.#busy.get(id) === 0) this.#busy.delete(id)
      this.#fill()
    })
    this.#ports.keepAlive(done)
  }

  async #try(callback: Callback, delivery: TakenDelivery): Promise<void> {
    const { now, language } = this.#ports
    const nothing = { ms: 0, status: null, answer: null }
    const isCut = delivery.step > 1 && retryDelay(callback, delivery.step - 1, null, () => 0) === null
    if (isCut) {
      const attempt = { ...nothing, time: now(), error: attemptError('cut', language) }
      return this.#settle(callback, delivery, { attempt, retryAfterMs: null })
    }
    const time = now()
    try {
      this.#settle(callback, delivery, await sendDelivery(this.#ports, callback, delivery))
    } catch (error) {
      this.#ports.report(error)
      const attempt = { ...nothing, time, error: attemptError('unreachable', language) }
      this.#settle(callback, delivery, { attempt, retryAfterMs: null })
    }
  }

  #settle(callback: Callback, delivery: TakenDelivery, sent: Sent): void {
    const { db, now } = this.#ports
    const isOff = db.transaction(() => {
      const fate = this.#fateOf(callback, delivery, sent)
      return settleDelivery(db, delivery, sent.attempt, fate, now()) && this.#learn(callback.id, sent.attempt)
    })
    if (isOff) this.#ports.switchedOff(callback, delivery.id)
  }

  #fateOf(callback: Callback, { step }: TakenDelivery, { attempt, retryAfterMs }: Sent): Fate {
    const { now, random } = this.#ports
    if (attempt.error === null) return { status: 'delivered' }
    if (attempt.error.code === 'gone') return { status: 'pending', due: now(), notBefore: 0 }
    const delay = retryDelay(callback, step, retryAfterMs, random)
    if (delay === null) return { status: 'dead' }
    return { status: 'pending', due: now() + delay, notBefore: now() + Math.min(delay, retryAfterMs ?? 0) }
  }

  /** What a try says of the receiver: it is gone, it fails, or it is back. True: its callback was on, and is off now. */
  #learn(id: string, { error }: Attempt): boolean {
    const { db, now } = this.#ports
    const known = getCallback(db, id)
    const isGone = error?.code === 'gone'
    // Who is told of one task and is gone for good is forgotten.
    if (isGone && getPush(db, id)) removePush(db, id)
    if (!known) return false
    if (isGone) putCallback(db, { ...known.callback, enabled: false, disabledReason: 'gone', updatedTime: now() })
    if (error !== null && known.failing === null) noteHealth(db, id, now())
    if (error === null && known.failing !== null && bringForward(db, id, now())) noteHealth(db, id, null)
    return isGone && known.callback.enabled
  }

  /** Until something is due. What is due and has no room goes on when there is room, or with the next alarm. */
  #sleep(): void {
    const { db, now } = this.#ports
    const ids = dispatched(db).map(({ callback }) => callback.id)
    const due = least(ids.map((id) => nextDue(db, id)))
    if (this.#busy.size > 0) this.#setAlarm(now() + LIMITS.callback.waitMs)
    if (due !== null && due > now()) return this.#setAlarm(due)
    if (due !== null) return this.#setAlarm(this.#left <= 0 ? now() : now() + LIMITS.callback.waitMs)
    const forgotten = least(ids.map((id) => nextForgotten(db, id)))
    if (forgotten !== null) this.#setAlarm(Math.max(forgotten, now() + LIMITS.callback.tidyMs))
  }

  /** One that rings before is enough: it looks again. */
  #setAlarm(time: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= time) return
    this.#alarmAt = time
    this.#ports.alarm.set(time)
  }

  #tidy(): void {
    const { db, now, language } = this.#ports
    if (now() - this.#tidied < LIMITS.callback.tidyMs) return
    this.#tidied = now()
    const error = attemptError('outbox_full', language, { limit: LIMITS.callback.pendingMax })
    const why = { time: now(), ms: 0, status: null, answer: null, error }
    for (const { callback } of dispatched(db)) {
      giveUpOldest(db, callback.id, why, now())
      forgetEnded(db, callback.id, now())
    }
  }
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((all, one) => all + one, 0)
}

function least(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** Milliseconds to wait after try `step` (1-based) failed, spread by `retryJitterShare`; a longer `retryAfterMs` of the receiver
 *  wins, up to its limit. Null: that was the last try. */
function retryDelay(
  { retry }: Pick<Callback, 'retry'>,
  step: number,
  retryAfterMs: number | null,
  random: Random,
): number | null {
  const { retryDelaysMs, retryDelayMsMax, retryJitterShare, retryAfterMsMax } = LIMITS.callback
  const times = retry?.times ?? retryDelaysMs.length
  if (step > times) return null
  const own = retry && Math.min(retryDelayMsMax, retry.delayMs * 2 ** (step - 1))
  const plain = own ?? retryDelaysMs[step - 1] ?? retryDelayMsMax
  const spread = plain * (1 + retryJitterShare * (2 * random() - 1))
  return Math.round(Math.max(spread, Math.min(retryAfterMs ?? 0, retryAfterMsMax)))
}
