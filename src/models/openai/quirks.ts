import type { ModelSpec } from '../../domain/model.ts'

/** How one service differs from the others, as data. */
export interface Quirks {
  /** What becomes of an earlier `reasoning_content` in the history: never sent, sent with every reply, or with tool calls only. */
  echoReasoning: 'never' | 'always' | 'with_tool_calls'
  /** The name under which the bound on the reply's tokens is sent. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Whether `stream_options: {include_usage: true}` may be sent. */
  streamUsage: boolean
  /** Whether `temperature` may be sent. */
  temperature: boolean
  /** Whether a JSON Schema is sent as `response_format`, to which the reply is then held. Some services hold all that is written to it, so
   *  that no tool could be called. They are sent it where none is offered: those that are known (`without_tools`), and those that show by
   *  their answer that they may be one (`unless_held`). */
  structuredOutput: 'always' | 'unless_held' | 'without_tools' | 'never'
  /** Content sent for an assistant message that holds tool calls only. */
  emptyContent: 'null' | 'empty_string'
  /** Fields added to every tool call of the history. */
  toolCallExtra?: Readonly<Record<string, unknown>>
}

const STANDARD: Quirks = {
  echoReasoning: 'never',
  maxTokensField: 'max_tokens',
  streamUsage: true,
  temperature: true,
  structuredOutput: 'unless_held',
  emptyContent: 'null',
}

interface Row {
  /** Matched against the host (with port) of the address; absent: any. */
  host?: RegExp
  /** Matched against the model's name; absent: any. */
  model?: RegExp
  quirks: Partial<Quirks>
}

/** How services and models differ, by host and name; later rows win. Sources: the providers' API references. */
const TABLE: readonly Row[] = [
  { host: /(^|\.)api\.openai\.com$/, quirks: { maxTokensField: 'max_completion_tokens', structuredOutput: 'always' } },
  { host: /(^|\.)api\.openai\.com$/, model: /^(o\d|gpt-[5-9])/, quirks: { temperature: false } },
  {
    host: /(^|\.)openai\.azure\.com$/,
    model: /^(o\d|gpt-[5-9])/,
    quirks: { maxTokensField: 'max_completion_tokens', temperature: false },
  },
  // Thinking with tool calls: the reasoning of a reply that called a tool has to come back, any other is withheld.
  { model: /deepseek/i, quirks: { echoReasoning: 'with_tool_calls' } },
  {
    host: /(^|\.)api\.deepseek\.com$/,
    quirks: { echoReasoning: 'with_tool_calls', emptyContent: 'empty_string', structuredOutput: 'never' },
  },
  { host: /(^|\.)moonshot\.(cn|ai)$/, quirks: { echoReasoning: 'with_tool_calls' } },
  { model: /(^|\/)kimi-k[2-9]/i, quirks: { echoReasoning: 'with_tool_calls' } },
  { host: /(^|\.)(bigmodel\.cn|z\.ai)$/, quirks: { echoReasoning: 'with_tool_calls' } },
  { host: /(^|\.)dashscope(-\w+)?\.aliyuncs\.com$/, quirks: { emptyContent: 'empty_string' } },
  { host: /(^|\.)api\.mistral\.ai$/, quirks: { streamUsage: false, emptyContent: 'empty_string' } },
  // The default ports of Ollama and LM Studio, which hold all to a schema.
  { host: /:11434$/, quirks: { emptyContent: 'empty_string', structuredOutput: 'without_tools' } },
  { host: /:1234$/, quirks: { structuredOutput: 'without_tools' } },
  // Histories whose calls bear no signature are refused by Gemini 3 unless they say that they have none.
  {
    host: /^generativelanguage\.googleapis\.com$/,
    quirks: { toolCallExtra: { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } } },
  },
  // Its JSON mode has another wire, takes no streams and gives an object in the place of text. Source: Workers AI, "JSON Mode".
  { model: /^@cf\//, quirks: { emptyContent: 'empty_string', structuredOutput: 'never' } },
]

const KNOWN = new WeakMap<ModelSpec, Quirks>()

/** What is known of a model at its address, under what its config says. The same for the same spec: it goes with every call. */
export function quirksFor(spec: ModelSpec): Quirks {
  const quirks = KNOWN.get(spec) ?? { ...knownQuirks(spec), ...ofConfig(spec.quirks) }
  KNOWN.set(spec, quirks)
  return quirks
}

function knownQuirks({ apiUrl, model }: ModelSpec): Quirks {
  const host = URL.parse(apiUrl)?.host ?? ''
  const rows = TABLE.filter((row) => (row.host?.test(host) ?? true) && (row.model?.test(model) ?? true))
  return rows.reduce<Quirks>((all, row) => ({ ...all, ...row.quirks }), STANDARD)
}

function ofConfig(configured: ModelSpec['quirks']): Partial<Quirks> {
  return {
    ...(configured.echo_reasoning !== undefined && { echoReasoning: configured.echo_reasoning }),
    ...(configured.max_tokens_field !== undefined && { maxTokensField: configured.max_tokens_field }),
    ...(configured.stream_usage !== undefined && { streamUsage: configured.stream_usage }),
    ...(configured.temperature !== undefined && { temperature: configured.temperature }),
    ...(configured.structured_output !== undefined && {
      structuredOutput: configured.structured_output ? 'always' : 'never',
    }),
    ...(configured.empty_content !== undefined && { emptyContent: configured.empty_content }),
  }
}
