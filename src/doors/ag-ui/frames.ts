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

/** Whose an event is: of the agent itself, or of one that it delegates to. */
export function ofAgent(subagentRunId: string | null): { subagentRunId?: string } {
  return subagentRunId === null ? {} : { subagentRunId }
}
