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
import type { Message } from '../domain/message.ts'
import type { ModelMessage, ModelRequest } from '../domain/model.ts'
import { cutText } from '../lib/text.ts'
import {
  argumentsText,
  askedAttributes,
  inputMessage,
  outputMessages,
  toldResult,
  withoutBytes,
} from './span-content.ts'

/** What an observer needs to know of the session whose events it is told. */
export interface Watched {
  session: string
  tenant: string
  agent: string
  /** The event that began the run; null: it is not known. */
  runStart: Extract<SessionEvent, { type: 'run-start' }> | null
  /** The start of a call that this process did not see; null: it is not known. */
  readonly toolStart?: (callId: string) => ToolStart | null
  /** The model that an alias is for this session; null: it is none any more. */
  readonly modelOf: (alias: string) => ToldModel | null
  /** Null: spans hold none. */
  content: SpanContent | null
}

type ToolStart = Extract<SessionEvent, { type: 'tool-start' }>

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
  /** The caller makes it. */
  isClient?: true
  /** Its arguments, where content is told. */
  arguments?: Record<string, unknown>
}

/** Reads a session's events as they are written. Starts of calls are remembered until their ends; after a restart, or where the object of the session
 *  has rested, those of tools are looked up. */
export class Observer {
  readonly #starts = new Map<string, Start>()
  readonly #log: LogConfig
  /** Whether anybody is sent spans: to make them takes longer than all else that is done here. */
  readonly #hasSpans: boolean
  /** What was said, by what it is of: the reply of a call, the words of a user for their run. */
  readonly #said = new Map<string, Message>()
  /** What models are asked, by the message that they write; calls that were cut off never say that they ended. */
  readonly #asked = new Map<string, readonly ModelMessage[]>()
  /** Spans of calls that wait for the message with their result. */
  readonly #held = new Map<string, SpanDraft>()

  constructor(log: LogConfig, hasSpans = true) {
    this.#log = log
    this.#hasSpans = hasSpans
  }

  see(event: SessionEvent, watched: Watched): Observed {
    if (event.type === 'run-end' || event.type === 'run-pause') this.#asked.clear()
    if (event.type === 'model-start') this.#remember(event.message_id, { time: at(event), model: event.model })
    if (event.type === 'tool-start') this.#remember(event.call_id, this.#startOf(event, watched))
    if (watched.content && event.type === 'message') return this.#hear(event, watched.content)
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

  /** What a model is asked, for the span of its call. */
  hearRequest(messageId: string, { messages }: ModelRequest): void {
    keep(this.#asked, messageId, withoutBytes(messages), TELEMETRY_LIMITS.askedMax)
  }

  #startOf(event: ToolStart, { content }: Watched): Start {
    const start: Start = { time: at(event), tool: event.tool, ...(event.client ? { isClient: true } : {}) }
    return this.#log.content || content ? { ...start, arguments: event.arguments } : start
  }

  /** Keep what was said for the span that it is of; the result of a call ends the span of the call. */
  #hear({ message, run_id: run }: Extract<SessionEvent, { type: 'message' }>, content: SpanContent): Observed {
    const { role, tool_call_id: callId } = message
    if (role === 'assistant') keep(this.#said, message.id, message)
    if (role === 'user') keep(this.#said, `user:${run}`, message)
    const held = role === 'tool' && callId ? taken(this.#held, callId) : undefined
    if (held === undefined) return NOTHING
    const result = { 'gen_ai.tool.call.result': toldResult(contentText(message.content, null), content) }
    return { ...NOTHING, spans: [{ ...held, attributes: { ...held.attributes, ...result } }] }
  }

  /** The line of an event; none where its level is not written. */
  #line(level: LogLevel, event: SessionEvent, watched: Watched, about: Record<string, unknown>): Fact[] {
    return isLogged(level, this.#log) ? [factOf(level, event, watched, about)] : []
  }

  #remember(id: string, start: Start): void {
    keep(this.#starts, id, start)
  }

  #model(event: Extract<SessionEvent, { type: 'model-end' }>, watched: Watched): Observed {
    const start = taken(this.#starts, event.message_id)
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
      ...this.#spoken(event, watched),
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

  /** What a model was asked and answered; nothing where no content is asked for. */
  #spoken(event: Extract<SessionEvent, { type: 'model-end' }>, { content }: Watched): Record<string, string> {
    const asked = taken(this.#asked, event.message_id)
    const said = taken(this.#said, event.message_id)
    if (content === null) return {}
    const reason = event.ok ? event.finish_reason : undefined
    const text = said && { content: contentText(said.content, null), calls: said.tool_calls ?? [] }
    return {
      ...(asked ? askedAttributes(asked, content) : {}),
      ...(text ? { 'gen_ai.output.messages': outputMessages(text, reason, content) } : {}),
    }
  }

  #startOfCall(id: string, watched: Watched): Start | null {
    const known = taken(this.#starts, id)
    const found = known ? null : (watched.toolStart?.(id) ?? null)
    return known ?? (found && this.#startOf(found, watched))
  }

  #tool(event: Extract<SessionEvent, { type: 'tool-end' }>, watched: Watched): Observed {
    const { tool = '', arguments: args, isClient } = this.#startOfCall(event.call_id, watched) ?? {}
    // Names that callers give would be counters without end.
    const counted = isClient ? 'client' : tool
    const said = args === undefined || !this.#log.content ? {} : { arguments: lineText(args) }
    const outcome = event.ok ? 'ok' : 'error'
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      ...(isClient ? { 'gen_ai.tool.type': 'function' } : {}),
      'gen_ai.tool.call.id': event.call_id,
      ...(args !== undefined && watched.content
        ? { 'gen_ai.tool.call.arguments': argumentsText(args, watched.content) }
        : {}),
      'gen_ai.conversation.id': watched.session,
    }
    const error = event.ok ? null : 'tool_error'
    return {
      facts: this.#line('debug', event, watched, { name: 'tool_call', tool, ms: event.ms, outcome, ...said }),
      measures: [
        { name: 'yaa_tool_calls_total', labels: { tool: counted, outcome }, add: 1 },
        ...seconds('yaa_tool_call_duration_seconds', { tool: counted }, event.ms),
      ],
      spans: this.#told(
        event,
        span(event, watched, {
          name: `execute_tool ${tool}`,
          kind: 'internal',
          of: event.call_id,
          ms: event.ms,
          attributes,
          error,
        }),
        watched,
      ),
    }
  }

  /** The span of a call; where content is asked for it waits for the message with its result, which comes next. */
  #told({ ok, call_id: id }: Extract<SessionEvent, { type: 'tool-end' }>, draft: SpanDraft, { content }: Watched) {
    if (content === null || !ok) return [draft]
    keep(this.#held, id, draft)
    return []
  }

  /** What a user said, and what the run answered. */
  #words(event: Extract<SessionEvent, { type: 'run-end' }>, { content }: Watched): Record<string, string> {
    const asked = taken(this.#said, `user:${event.run_id}`)
    if (content === null) return {}
    return {
      ...(asked ? { 'gen_ai.input.messages': inputMessage(contentText(asked.content, null), content) } : {}),
      ...(event.result
        ? { 'gen_ai.output.messages': outputMessages({ content: event.result }, undefined, content) }
        : {}),
    }
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
      ...this.#words(event, watched),
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

/** Of what is under way; where it would be too much, the oldest is forgotten. */
function keep<T>(map: Map<string, T>, id: string, value: T, max: number = TELEMETRY_LIMITS.startsMax): void {
  const [oldest] = map.size >= max ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
  map.set(id, value)
}

function taken<T>(map: Map<string, T>, id: string): T | undefined {
  const value = map.get(id)
  map.delete(id)
  return value
}

function lineText(args: Record<string, unknown>): string {
  return cutText(JSON.stringify(args), TELEMETRY_LIMITS.argumentsCharsMax)
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
