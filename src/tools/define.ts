import * as z from 'zod'
import type { Localized } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type {
  OutputLimits,
  ParsedArguments,
  Provenance,
  Risk,
  Tool,
  ToolContext,
  ToolOutcome,
  ToolParameter,
  Touched,
  UnitsOf,
} from '../domain/tool.ts'
import { abortable, timeLimit } from '../lib/wait.ts'

/** How a parameter is called and explained in each language; its type and whether it may be left out are the schema's. */
export interface ParameterText {
  names: Localized
  description: Localized
}

export interface ToolDefinition<Input extends z.ZodObject> {
  id: string
  names: Localized
  description: Localized
  risk: Risk
  riskOf?(args: Record<string, unknown>): Risk
  /** Default: nothing outside the session. */
  effects?(args: Record<string, unknown>): Partial<Touched>
  /** Default: `source`. */
  provenance?: Provenance
  /** Default: false. */
  guarded?: boolean
  idempotent: boolean
  isIdempotent?(args: Record<string, unknown>): boolean
  sequential?: boolean
  synchronous?: boolean
  control?: boolean
  optIn?: Tool['optIn']
  isMove?: true
  needs?: Tool['needs']
  timeoutMs?: number
  output?: Partial<OutputLimits>
  units?: () => Promise<UnitsOf>
  paginates?: boolean
  input: Input
  resultValue?: NonNullable<Tool['resultValue']>
  parameters: { [Name in keyof z.infer<Input> & string]-?: ParameterText }
  run(input: z.infer<Input>, context: ToolContext): ToolOutcome | Promise<ToolOutcome>
}

/** Make a tool of a zod schema. The JSON Schema is made when it is first asked for. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  let schema: Record<string, unknown> | undefined
  return {
    id: definition.id,
    names: definition.names,
    description: definition.description,
    parameters: parametersOf(definition),
    risk: definition.risk,
    riskOf: (args) => definition.riskOf?.(args) ?? definition.risk,
    effects: (args) => ({ addresses: [], paths: [], ...definition.effects?.(args) }),
    provenance: definition.provenance ?? 'source',
    guarded: definition.guarded ?? false,
    alwaysAsks: false,
    server: null,
    idempotent: definition.idempotent,
    isIdempotent: (args) => definition.isIdempotent?.(args) ?? definition.idempotent,
    sequential: definition.sequential ?? false,
    synchronous: definition.synchronous ?? false,
    control: definition.control ?? false,
    ...(definition.optIn ? { optIn: definition.optIn } : {}),
    ...(definition.isMove ? { isMove: true } : {}),
    needs: definition.needs ?? null,
    timeoutMs: definition.timeoutMs ?? LIMITS.tool.timeoutMs,
    output: {
      charsMax: LIMITS.tool.outputCharsMax,
      linesMax: LIMITS.tool.outputLinesMax,
      strategy: 'head_tail',
      ...definition.output,
    },
    units: definition.units ?? null,
    paginates: definition.paginates ?? false,
    inputSchema: () => (schema ??= jsonSchemaOf(definition.input)),
    parse: (args) => parseWith(definition.input, args),
    ...(definition.resultValue ? { resultValue: definition.resultValue } : {}),
    run: (args, context) => definition.run(args as z.infer<Input>, context),
  }
}

function parametersOf<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Record<string, ToolParameter> {
  const texts: Record<string, ParameterText> = definition.parameters
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const required = !z.safeParse(definition.input.shape[name] as z.ZodType, undefined).success
      return [name, { ...text, required }]
    }),
  )
}

function jsonSchemaOf(input: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return schema
}

/** Models write null for what they leave out, so null means: not given. */
function parseWith(input: z.ZodObject, args: Record<string, unknown>): ParsedArguments {
  const parsed = input.safeParse(Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)))
  if (parsed.success) return { ok: true, value: parsed.data }
  const errors = parsed.error.issues.flatMap((issue) => {
    const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
    return paths.map((path) => ({ path: path.join('.'), expected: issue.message }))
  })
  return { ok: false, errors }
}

/** Run a tool within its time; whatever it throws is a failed result, never an exception. */
export async function execute(tool: Tool, args: Record<string, unknown>, context: ToolContext): Promise<ToolOutcome> {
  const parsed = tool.parse(args)
  if (!parsed.ok) return misfit(parsed.errors)
  const limit = timeLimit(tool.timeoutMs)
  const signal = AbortSignal.any([context.signal, limit.signal])
  try {
    return await abortable(Promise.resolve(tool.run(parsed.value, { ...context, signal })), signal)
  } catch (error) {
    return { ok: false, reason: reasonOf(error, tool, context) }
  } finally {
    limit.end()
  }
}

/** The outcome of a call that reads what the session holds, if it can be said now; null: it is to be executed. */
export function executeSync(tool: Tool, args: Record<string, unknown>, context: ToolContext): ToolOutcome | null {
  const parsed = tool.synchronous ? tool.parse(args) : null
  if (!parsed) return null
  if (!parsed.ok) return misfit(parsed.errors)
  try {
    const outcome = tool.run(parsed.value, context)
    if (!(outcome instanceof Promise)) return outcome
    outcome.catch(() => {})
    return null
  } catch (error) {
    return { ok: false, reason: reasonOf(error, tool, context) }
  }
}

function misfit(errors: readonly { path: string; expected: string }[]): ToolOutcome {
  return { ok: false, reason: errors.map(({ path, expected }) => `${path}: ${expected}`).join('; ') }
}

/** Code that is loaded when it is first used, and at hand from then on. */
export function loadedOnUse<Code>(load: () => Promise<Code>): <T>(use: (code: Code) => T) => T | Promise<Awaited<T>> {
  let code: Code | null = null
  const later = async <T>(use: (code: Code) => T): Promise<Awaited<T>> => {
    code = await load()
    return await use(code)
  }
  return (use) => (code ? use(code) : later(use))
}

function reasonOf(error: unknown, tool: Tool, { language, signal }: ToolContext): string {
  if (signal.aborted) return language === 'zh-CN' ? '已取消' : 'cancelled'
  const timedOut = error instanceof Error && error.name === 'TimeoutError'
  if (timedOut)
    return language === 'zh-CN' ? `超过 ${tool.timeoutMs} 毫秒没有完成` : `not done within ${tool.timeoutMs} ms`
  return language === 'zh-CN' ? '工具内部出错' : 'the tool broke inside'
}
