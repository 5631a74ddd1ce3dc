import type { EventFrames } from './frames.ts'

/** The steps of a run: turns of the agent, and rounds of its team. A step ends with the next of its kind. */
export class ToldSteps {
  readonly #writer: EventFrames
  readonly #open = new Set<string>()

  constructor(writer: EventFrames) {
    this.#writer = writer
  }

  begin(kind: 'iteration' | 'round', n: number): void {
    this.endAll(kind)
    const stepName = `${kind} ${n}`
    this.#open.add(stepName)
    this.#writer.put('STEP_STARTED', { stepName })
  }

  endAll(kind = ''): void {
    for (const stepName of this.#open) {
      if (!stepName.startsWith(kind)) continue
      this.#open.delete(stepName)
      this.#writer.put('STEP_FINISHED', { stepName })
    }
  }
}
