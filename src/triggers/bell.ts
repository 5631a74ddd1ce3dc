import type { Alarm } from '../domain/ports.ts'

/** The one alarm of many due times: it stands at the earliest that it was told of. */
export class Bell {
  readonly #alarm: Alarm
  #at: number | null = null

  constructor(alarm: Alarm) {
    this.#alarm = alarm
  }

  /** Ring at this time at the latest; it may ring in vain before. */
  ringBy(time: number): void {
    if (this.#at !== null && this.#at <= time) return
    this.#at = time
    this.#alarm.set(time)
  }

  /** It rang, or what it stood for has changed: ring at this time and not before; null: not at all. */
  reset(time: number | null): void {
    this.#at = time
    if (time === null) this.#alarm.clear()
    else this.#alarm.set(time)
  }
}
