import { memberOf } from '../../lib/json.ts'
import type { Script, ScriptStep } from './script.ts'

/** A chat completion that was asked for. `body` is parsed JSON, or the text when it is none. */
export interface RecordedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: unknown
  /** Unix milliseconds. */
  time: number
}

/** Chooses the step for each request, in the order in which they come. */
export class Player {
  readonly #script: Script
  #left: { step: ScriptStep; times: number }[] = []
  #requests = 0

  constructor(script: Script) {
    this.#script = script
    this.#rewind()
  }

  /** The step for a request; null: the script is at its end. */
  next(request: RecordedRequest): ScriptStep | null {
    this.#requests++
    const found = this.#find(request)
    if (found || !this.#script.loop || this.#script.steps.length === 0) return found
    this.#rewind()
    return this.#find(request)
  }

  #find(request: RecordedRequest): ScriptStep | null {
    const entry =
      this.#left.find(({ step }) => step.when && matches(step.when, request, this.#requests)) ??
      this.#left.find(({ step }) => !step.when)
    if (entry === undefined) return null
    entry.times--
    if (entry.times === 0) this.#left = this.#left.filter((other) => other !== entry)
    return entry.step
  }

  #rewind(): void {
    this.#left = this.#script.steps.map((step) => ({ step, times: timesOf(step) }))
  }
}

function timesOf({ repeat = 1 }: ScriptStep): number {
  return typeof repeat === 'number' ? repeat : repeat ? Infinity : 1
}

function matches(when: NonNullable<ScriptStep['when']>, { body }: RecordedRequest, number: number): boolean {
  const messages = messagesOf(body)
  return holds(when.contains, messages) && holds(when.last_contains, messages.at(-1)) && (when.nth ?? number) === number
}

function holds(text: string | undefined, within: unknown): boolean {
  return text === undefined || textOf(within).includes(text)
}

/** All strings of a value, so that nothing is hidden by the escapes of JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(textOf).join('\n')
}

function messagesOf(body: unknown): unknown[] {
  const messages = memberOf(body, 'messages')
  return Array.isArray(messages) ? messages : []
}
