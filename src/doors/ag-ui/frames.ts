/** The events of one stream as they are sent: one JSON object in each frame. Source: the AG-UI specification 1.0, "HTTP + Server-Sent Events". */
export class EventFrames {
  #frames: string[] = []

  put(type: string, members: object = {}): void {
    this.#frames.push(frameOf(type, members))
  }

  take(): string[] {
    const frames = this.#frames
    this.#frames = []
    return frames
  }
}

export function frameOf(type: string, members: object): string {
  return `data: ${JSON.stringify({ type, ...members })}\n\n`
}

/** Of a message, and of the run that it answers: the service cut the reply at its limit. */
export const CUT = { metadata: { yaa: { finish_reason: 'length' } } } as const

/** Whose an event is: of the agent itself, or of one that it delegates to. */
export function ofAgent(subagentRunId: string | null): { subagentRunId?: string } {
  return subagentRunId === null ? {} : { subagentRunId }
}

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
