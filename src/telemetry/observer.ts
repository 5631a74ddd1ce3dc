import type { SessionEvent } from '../domain/event.ts'
import {
  type Fact,
  isLogged,
  type LogConfig,
  type LogLevel,
  type Measure,
  type Origin,
  type SpanContent,
  type SpanDraft,
  TELEMETRY_LIMITS,
  type ToldModel,
} from '../domain/telemetry.ts'
import { contentText } from '../domain/content.ts'
import { cutText } from '../lib/text.ts'

/** What an observer needs to know of the session whose events it is told. */
export interface Watched {
  session: string
  tenant: string
  agent: string
  /** The event that began the run; null: it is not known. */
  runStart: Extract<SessionEvent, { type: 'run-start' }> | null
  /** The model that an alias is for this session; null: it is none any more. */
  readonly modelOf: (alias: string) => ToldModel | null
}

/** What one event says to the operator: lines, measures and spans. */
interface Observed {
  facts: Fact[]
  measures: Measure[]
  spans: SpanDraft[]
}

interface Start {
  time: number
  model?: string
  tool?: string
  /** JSON of its arguments, where content is told. */
  arguments?: string
}

/** Reads a session's events as they are written. Starts of calls are remembered until their ends; after a restart a call has
 *  its length, if it says so itself, or none. */
export class Observer {
  readonly #starts = new Map<string, Start>()
  readonly #log: LogConfig
  readonly #content: SpanContent | null
  /** Whether anybody is sent spans: to make them takes longer than all else that is done here. */
  readonly #hasSpans: boolean
  /** JSON of messages, by what they are of. */
  readonly #said = new Map<string, string>()

  constructor(log: LogConfig, content: SpanContent | null = null, hasSpans = true) {
    this.#log = log
    this.#content = content
    this.#hasSpans = hasSpans
  }

  see(event: SessionEvent, watched: Watched): Observed {
    if (event.type === 'model-start') this.#remember(event.message_id, { time: at(event), model: event.model })
    if (event.type === 'tool-start') this.#remember(event.call_id, this.#startOf(event))
    if (this.#content && event.type === 'message') this.#hear(event, this.#content)
    if (event.type === 'model-end') return this.#model(event, watched)
    if (event.type === 'tool-end') return this.#tool(event, watched)
    if (event.type === 'run-end') return this.#run(event, watched)
    if (event.type === 'pending')
      return {
        facts: this.#line('debug', event, watched, { item: event.pending.id, type: event.pending.type }),
        measures: [{ name: 'yaa_pending_total', labels: { type: event.pending.type }, add: 1 }],
        spans: [],
      }
    if (event.type === 'run-pause') return { ...NOTHING, facts: this.#line('info', event, watched, {}) }
    if (event.type === 'run-start' || event.type === 'run-resume')
      return { ...NOTHING, facts: this.#line('debug', event, watched, {}) }
    return NOTHING
  }

  #startOf(event: Extract<SessionEvent, { type: 'tool-start' }>): Start {
    const start = { time: at(event), tool: event.tool }
    if (!this.#log.content && !this.#content) return start
    return { ...start, arguments: cutText(JSON.stringify(event.arguments), TELEMETRY_LIMITS.argumentsCharsMax) }
  }

  /** Keep what was said for the span that it is of: a reply for its call, the user's words for their run. */
  #hear({ message, run_id: run }: Extract<SessionEvent, { type: 'message' }>, { masked }: SpanContent): void {
    const { role, tool_calls: calls = [] } = message
    const of = role === 'assistant' ? message.id : role === 'user' ? `user:${run}` : null
    if (of === null) return
    const text = { type: 'text', content: contentText(message.content, null) }
    const called = calls.map(({ id, name, arguments: args }) => ({ type: 'tool_call', id, name, arguments: args }))
    if (this.#said.size >= TELEMETRY_LIMITS.startsMax) this.#said.clear()
    this.#said.set(of, bounded(masked(JSON.stringify([{ role, parts: [text, ...called] }]))))
  }

  /** An attribute of what was said; none where no content is asked for. */
  #spoken(name: string, of: string): Record<string, string> {
    const said = this.#said.get(of)
    this.#said.delete(of)
    return said === undefined ? {} : { [name]: said }
  }

  /** The line of an event; none where its level is not written. */
  #line(level: LogLevel, event: SessionEvent, watched: Watched, about: Record<string, unknown>): Fact[] {
    return isLogged(level, this.#log) ? [factOf(level, event, watched, about)] : []
  }

  #remember(id: string, start: Start): void {
    if (this.#starts.size >= TELEMETRY_LIMITS.startsMax) this.#starts.clear()
    this.#starts.set(id, start)
  }

  #taken(id: string): Start | undefined {
    const start = this.#starts.get(id)
    this.#starts.delete(id)
    return start
  }

  #model(event: Extract<SessionEvent, { type: 'model-end' }>, watched: Watched): Observed {
    const start = this.#taken(event.message_id)
    const model = event.ok ? event.model : (start?.model ?? '')
    const ms = start ? at(event) - start.time : null
    const error = event.ok ? null : event.failure.code
    const outcome = error ?? 'ok'
    const tokens = event.ok ? event.spent : null
    const counted: Measure[] = tokens
      ? [
          { name: 'yaa_model_tokens_total', labels: { model, type: 'prompt' }, add: tokens.prompt_tokens },
          { name: 'yaa_model_tokens_total', labels: { model, type: 'completion' }, add: tokens.completion_tokens },
        ]
      : []
    const cost = event.ok ? event.cost : null
    return {
      facts: this.#line(error === null ? 'debug' : 'warn', event, watched, {
        name: 'model_call',
        model,
        ms,
        outcome,
        ...tokens,
      }),
      measures: [
        { name: 'yaa_model_calls_total', labels: { model, outcome }, add: 1 },
        ...counted,
        ...(cost
          ? [{ name: 'yaa_model_cost_total', labels: { model, currency: cost.currency }, add: cost.amount }]
          : []),
        ...seconds('yaa_model_call_duration_seconds', { model }, ms),
      ],
      spans: this.#hasSpans
        ? [this.#modelSpan(event, watched, { asked: start?.model ?? model, model, ms, error })]
        : [],
    }
  }

  /** `asked`, `model`: the aliases of who was asked, and of who answered. */
  #modelSpan(
    event: Extract<SessionEvent, { type: 'model-end' }>,
    watched: Watched,
    { asked, model, ms, error }: { asked: string; model: string; ms: number | null; error: string | null },
  ): SpanDraft {
    const tokens = event.ok ? event.spent : null
    const told = watched.modelOf(model)
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': watched.modelOf(asked)?.model ?? asked,
      'gen_ai.response.model': told?.model ?? model,
      'gen_ai.conversation.id': watched.session,
      'yaa.model.alias': model,
      ...this.#spoken('gen_ai.output.messages', event.message_id),
      ...modelAttributes(told),
      ...(event.ok && event.response_id !== undefined ? { 'gen_ai.response.id': event.response_id } : {}),
      ...(event.ok && event.finish_reason !== undefined
        ? { 'gen_ai.response.finish_reasons': [event.finish_reason] }
        : {}),
      ...(tokens
        ? { 'gen_ai.usage.input_tokens': tokens.prompt_tokens, 'gen_ai.usage.output_tokens': tokens.completion_tokens }
        : {}),
    }
    const name = `chat ${told?.model ?? model}`
    return span(event, watched, { name, kind: 'client', of: event.message_id, ms: ms ?? 0, attributes, error })
  }

  #tool(event: Extract<SessionEvent, { type: 'tool-end' }>, watched: Watched): Observed {
    const { tool = '', arguments: args } = this.#taken(event.call_id) ?? {}
    const said = args === undefined || !this.#log.content ? {} : { arguments: args }
    const outcome = event.ok ? 'ok' : 'error'
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': event.call_id,
      ...(args !== undefined && this.#content ? { 'gen_ai.tool.call.arguments': this.#content.masked(args) } : {}),
      'gen_ai.conversation.id': watched.session,
    }
    const error = event.ok ? null : 'tool_error'
    return {
      facts: this.#line('debug', event, watched, { name: 'tool_call', tool, ms: event.ms, outcome, ...said }),
      measures: [
        { name: 'yaa_tool_calls_total', labels: { tool, outcome }, add: 1 },
        ...seconds('yaa_tool_call_duration_seconds', { tool }, event.ms),
      ],
      spans: [
        span(event, watched, {
          name: `execute_tool ${tool}`,
          kind: 'internal',
          of: event.call_id,
          ms: event.ms,
          attributes,
          error,
        }),
      ],
    }
  }

  #answer(content: string, { masked }: SpanContent): string {
    return bounded(masked(JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content }] }])))
  }

  #run(event: Extract<SessionEvent, { type: 'run-end' }>, watched: Watched): Observed {
    const { status, finish_reason: reason, usage, error } = event
    const ms = watched.runStart ? at(event) - at(watched.runStart) : 0
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': watched.agent,
      'gen_ai.conversation.id': watched.session,
      'gen_ai.usage.input_tokens': usage.prompt_tokens,
      'gen_ai.usage.output_tokens': usage.completion_tokens,
      'yaa.run.status': status,
      'yaa.run.finish_reason': reason,
      ...this.#spoken('gen_ai.input.messages', `user:${event.run_id}`),
      ...(this.#content && event.result ? { 'gen_ai.output.messages': this.#answer(event.result, this.#content) } : {}),
    }
    const said = this.#log.content ? { result: event.result } : {}
    const about = { status, finish_reason: reason, ms, ...(error ? { error: error.code } : {}), ...said }
    return {
      facts: this.#line(status === 'failed' ? 'warn' : 'info', event, watched, about),
      measures: [
        { name: 'yaa_runs_total', labels: { status, finish_reason: reason }, add: 1 },
        ...seconds('yaa_run_duration_seconds', {}, ms),
      ],
      spans: [
        {
          ...span(event, watched, {
            name: `invoke_agent ${watched.agent}`,
            kind: 'internal',
            of: 'run',
            ms,
            attributes,
            error: error?.code ?? null,
          }),
          within: null,
        },
      ],
    }
  }
}

const NOTHING: Observed = { facts: [], measures: [], spans: [] }

/** What is asked of which service. Source: OpenTelemetry, "Semantic conventions for generative client AI spans". */
function modelAttributes(told: ToldModel | null): SpanDraft['attributes'] {
  if (!told) return {}
  const { provider, server, temperature, maxTokens } = told
  return {
    'gen_ai.provider.name': provider,
    'gen_ai.request.max_tokens': maxTokens,
    ...(temperature === null ? {} : { 'gen_ai.request.temperature': temperature }),
    ...(server === null ? {} : { 'server.address': server.address, 'server.port': server.port }),
  }
}

function bounded(text: string): string {
  return cutText(text, TELEMETRY_LIMITS.contentCharsMax)
}

function at({ time }: { time: string }): number {
  return Date.parse(time)
}

function seconds(name: string, labels: Record<string, string>, ms: number | null): Measure[] {
  return ms === null ? [] : [{ name, labels, observe: ms / 1_000 }]
}

function originOf({ runStart }: Watched): Origin | undefined {
  return runStart?.origin
}

function factOf(level: LogLevel, event: SessionEvent, watched: Watched, about: Record<string, unknown>): Fact {
  const { name = event.type.replaceAll('-', '_'), ...rest } = about
  const request = originOf(watched)?.request_id
  return {
    level,
    event: String(name),
    time: event.time,
    tenant: watched.tenant,
    session: watched.session,
    run: event.run_id,
    ...(event.scope === null ? {} : { scope: event.scope }),
    ...(request === undefined ? {} : { request }),
    ...rest,
  }
}

function span(
  event: SessionEvent,
  watched: Watched,
  { ms, ...rest }: Pick<SpanDraft, 'name' | 'kind' | 'of' | 'attributes' | 'error'> & { ms: number },
): SpanDraft {
  return {
    ...rest,
    trace: event.run_id ?? watched.session,
    within: 'run',
    traceparent: originOf(watched)?.traceparent ?? null,
    startTime: at(event) - ms,
    endTime: at(event),
  }
}
