import type { Fetch } from '../domain/ports.ts'
import { TELEMETRY_LIMITS, type SpanDraft } from '../domain/telemetry.ts'
import { traceRequest } from './otlp.ts'

export interface ExporterOptions {
  /** Base address; `/v1/traces` is added unless it is there. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  service: { name: string; version: string }
  fetch: Fetch
  /** Tells the operator that spans were lost. */
  lost: (reason: string, spans: number) => void
}

/** Sends spans in batches. What cannot be sent is told and forgotten: a run never waits for it, nor fails by it. */
export class SpanExporter {
  readonly #options: ExporterOptions
  #waiting: SpanDraft[] = []

  constructor(options: ExporterOptions) {
    this.#options = options
  }

  add(spans: readonly SpanDraft[]): void {
    this.#waiting = [...this.#waiting, ...spans].slice(-TELEMETRY_LIMITS.spansMax)
  }

  /** Send all that waits; never rejects. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0, TELEMETRY_LIMITS.spansPerRequestMax))
  }

  async #send(spans: readonly SpanDraft[]): Promise<void> {
    const { endpoint, headers, service, fetch, lost } = this.#options
    try {
      const answer = await fetch(
        /\/v1\/traces\/?$/.test(endpoint) ? endpoint : `${endpoint.replace(/\/+$/, '')}/v1/traces`,
        {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(await traceRequest(spans, service)),
          signal: AbortSignal.timeout(TELEMETRY_LIMITS.sendMsMax),
        },
      )
      await answer.body?.cancel()
      if (!answer.ok) lost(`the collector answered ${answer.status}`, spans.length)
    } catch (error) {
      lost(error instanceof Error ? error.name : 'no answer', spans.length)
    }
  }
}
