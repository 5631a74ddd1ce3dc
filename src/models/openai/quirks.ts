import type { ModelConfig } from '../../domain/server-config.ts'
import type { Quirks } from '../../domain/model.ts'

const STANDARD: Quirks = {
  echoReasoning: 'never',
  maxTokensField: 'max_tokens',
  streamUsage: true,
  temperature: true,
  structuredOutput: false,
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
  { host: /(^|\.)api\.openai\.com$/, quirks: { maxTokensField: 'max_completion_tokens', structuredOutput: true } },
  { host: /(^|\.)api\.openai\.com$/, model: /^(o\d|gpt-[5-9])/, quirks: { temperature: false } },
  {
    host: /(^|\.)openai\.azure\.com$/,
    model: /^(o\d|gpt-[5-9])/,
    quirks: { maxTokensField: 'max_completion_tokens', temperature: false },
  },
  // Thinking with tool calls: the reasoning of a reply that called a tool has to come back, any other is withheld.
  { model: /deepseek/i, quirks: { echoReasoning: 'with_tool_calls' } },
  { host: /(^|\.)api\.deepseek\.com$/, quirks: { echoReasoning: 'with_tool_calls', emptyContent: 'empty_string' } },
  { host: /(^|\.)moonshot\.(cn|ai)$/, quirks: { echoReasoning: 'with_tool_calls' } },
  { model: /(^|\/)kimi-k[2-9]/i, quirks: { echoReasoning: 'with_tool_calls' } },
  { host: /(^|\.)(bigmodel\.cn|z\.ai)$/, quirks: { echoReasoning: 'with_tool_calls' } },
  { host: /(^|\.)dashscope(-\w+)?\.aliyuncs\.com$/, quirks: { emptyContent: 'empty_string' } },
  { host: /(^|\.)api\.mistral\.ai$/, quirks: { streamUsage: false, emptyContent: 'empty_string' } },
  { host: /:11434$/, quirks: { emptyContent: 'empty_string' } },
  // Histories whose calls bear no signature are refused by Gemini 3 unless they say that they have none.
  {
    host: /^generativelanguage\.googleapis\.com$/,
    quirks: { toolCallExtra: { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } } },
  },
  { model: /^@cf\//, quirks: { emptyContent: 'empty_string' } },
]

/** What is known of a model at an address (empty: none), under what its config says. */
export function quirksFor(apiUrl: string, model: string, configured: ModelConfig['quirks'] = {}): Quirks {
  const host = hostOf(apiUrl)
  const rows = TABLE.filter((row) => (row.host?.test(host) ?? true) && (row.model?.test(model) ?? true))
  return { ...rows.reduce((all, row) => ({ ...all, ...row.quirks }), STANDARD), ...ofConfig(configured) }
}

function ofConfig(configured: NonNullable<ModelConfig['quirks']>): Partial<Quirks> {
  return {
    ...(configured.echo_reasoning !== undefined && { echoReasoning: configured.echo_reasoning }),
    ...(configured.max_tokens_field !== undefined && { maxTokensField: configured.max_tokens_field }),
    ...(configured.stream_usage !== undefined && { streamUsage: configured.stream_usage }),
    ...(configured.temperature !== undefined && { temperature: configured.temperature }),
    ...(configured.structured_output !== undefined && { structuredOutput: configured.structured_output }),
    ...(configured.empty_content !== undefined && { emptyContent: configured.empty_content }),
  }
}

function hostOf(apiUrl: string): string {
  return URL.canParse(apiUrl) ? new URL(apiUrl).host : ''
}
