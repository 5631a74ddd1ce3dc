import type { MeasureRow } from '../store/metrics.ts'

const HELP: Readonly<Record<string, readonly [kind: string, help: string]>> = {
  yaa_http_requests_total: ['counter', 'Requests by method, route and status.'],
  yaa_http_request_duration_seconds: ['histogram', 'How long requests took until their answer began.'],
  yaa_runs_total: ['counter', 'Runs that ended, by status and finish reason.'],
  yaa_run_duration_seconds: ['histogram', 'From the start of a run to its end, waiting included.'],
  yaa_model_calls_total: ['counter', 'Model calls by model and outcome.'],
  yaa_model_tokens_total: ['counter', 'Tokens by model and type.'],
  yaa_model_cost_total: ['counter', 'What model calls cost, by model and currency.'],
  yaa_model_call_duration_seconds: ['histogram', 'How long model calls took.'],
  yaa_tool_calls_total: ['counter', 'Tool calls by tool and outcome.'],
  yaa_tool_call_duration_seconds: ['histogram', 'How long tool calls took.'],
  yaa_pending_total: ['counter', 'Approvals and questions that were asked, by type.'],
  yaa_alarms_lost_total: ['counter', 'Sessions that had lost their alarm, found by the sweep once an hour.'],
  yaa_sessions: ['gauge', 'Sessions by status; interrupted ones wait for a human.'],
}

/** Upper bounds of the buckets of every histogram, in seconds. */
export const BUCKETS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 60, 300, 3_600] as const

/** Rows as the text format of Prometheus. Source: prometheus.io, "Exposition formats", 0.0.4. */
export function prometheusText(rows: readonly MeasureRow[]): string {
  return Object.entries(HELP)
    .flatMap(([name, [kind, help]]) => {
      const own = rows.filter((row) => row.name === name)
      return own.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...own.flatMap(samples)]
    })
    .map((line) => `${line}\n`)
    .join('')
}

function samples({ name, labels, value, buckets }: MeasureRow): string[] {
  if (buckets === null) return [`${name}${labelText(labels)} ${value}`]
  const count = buckets.reduce((sum, one) => sum + one, 0)
  let below = 0
  const lines = BUCKETS.map((bound, index) => {
    below += buckets[index] ?? 0
    return `${name}_bucket${labelText({ ...labels, le: String(bound) })} ${below}`
  })
  return [
    ...lines,
    `${name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`,
    `${name}_sum${labelText(labels)} ${value}`,
    `${name}_count${labelText(labels)} ${count}`,
  ]
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
}
