import * as z from 'zod'
import { memberOf } from '../../lib/json.ts'

/**
 * A script is a JSON file: a list of steps, or `{"steps": [...], "loop": true}` to begin again after the last
 * (`{"loop": true}` as the last of a list says the same). Each request of a chat completion takes one step:
 *
 *     [ {"tool_calls": [{"name": "web_access", "arguments": {"url": "http://127.0.0.1:9002/"}}]},
 *       {"when": {"last_contains": "404"}, "content": "The page is gone."},
 *       "a plain string is {\"content\": …}",
 *       {"status": 429, "headers": {"retry-after": "1"}} ]
 *
 * A step with `when` is taken by the first request that matches it; the others are taken in order. After the last one the
 * answer is 500 `script exhausted`. The answer is a stream when the request says `"stream": true`, else JSON.
 */
const whenObject = z.strictObject({
  /** Text within any message (calls included). */
  contains: z.string().optional(),
  /** Text within the last message. */
  last_contains: z.string().optional(),
  /** The number of the request, from 1. */
  nth: z.int().min(1).optional(),
})

const toolCall = z.strictObject({
  name: z.string(),
  /** An object, or raw text (which may be broken JSON). */
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
  id: z.string().optional(),
  /** How a stream cuts the arguments: their pieces, or their number (default 2). */
  chunks: z.union([z.int().min(1).max(100_000), z.array(z.string())]).optional(),
})

const usage = z.looseObject({ prompt_tokens: z.number().optional(), completion_tokens: z.number().optional() })
const durationMs = z.int().min(0).max(600_000)

const stepObject = z.strictObject({
  when: whenObject.optional(),
  content: z.string().nullable().optional(),
  /** Sent as `reasoning_content`. */
  reasoning: z.string().optional(),
  tool_calls: z.array(toolCall).optional(),
  finish_reason: z.string().nullable().optional(),
  /** Sent as it is given; null: none is sent; absent: estimated. */
  usage: usage.nullable().optional(),
  /** HTTP status, default 200. From 400 on the body is an error, unless `body` is given. */
  status: z.int().min(100).max(599).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Sent in place of an answer: text as it is, anything else as JSON. */
  body: z.unknown().optional(),
  /** Milliseconds before the answer begins, and between the pieces of a stream. */
  delay_ms: durationMs.optional(),
  chunk_delay_ms: durationMs.optional(),
  /** How a stream cuts the content: its pieces, or their number (default 4). */
  chunks: z.union([z.int().min(1).max(100_000), z.array(z.string())]).optional(),
  /** Nothing comes after so many events of a stream (0: nothing at all) until `POST /release`. */
  hold_after: z.int().min(0).optional(),
  /** The connection is cut after so many events of a stream, or characters of another body. */
  stream_cut_after: z.int().min(0).optional(),
  /** True: never answers. `body`: sends the headers, and then nothing. */
  hang: z.union([z.boolean(), z.literal('body')]).optional(),
  /** Requests that the step serves: a number (default 1), or true for all that follow. */
  repeat: z.union([z.int().min(1), z.boolean()]).optional(),
})

const stepInput = z.preprocess((value) => (typeof value === 'string' ? { content: value } : value), stepObject)
const scriptObject = z.strictObject({ steps: z.array(stepInput), loop: z.boolean().optional() })

export type ScriptStep = z.output<typeof stepObject>
/** A step as it may be written. */
export type StepInput = z.input<typeof stepObject> | string
export type ScriptInput = readonly (StepInput | { loop: boolean })[] | { steps: readonly StepInput[]; loop?: boolean }

interface Script {
  steps: ScriptStep[]
  loop: boolean
}

/** A wrong script; the message names the field and what was expected, in one line. */
export class BadScript extends Error {
  override readonly name = 'BadScript'
}

/** Check a script. Throws `BadScript`. */
export function parseScript(input: unknown): Script {
  const parsed = scriptObject.safeParse(Array.isArray(input) ? fromList(input) : input)
  if (parsed.success) return { steps: parsed.data.steps, loop: parsed.data.loop ?? false }
  const issue = parsed.error.issues[0]
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const path = [...(issue?.path ?? []), ...keys].join('.')
  throw new BadScript(`${path || 'script'}: ${issue?.message ?? 'a list of steps was expected'}`)
}

/** The text of a script file. Throws `BadScript`. */
export function parseScriptText(text: string): Script {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new BadScript(`script: not JSON (${error instanceof Error ? error.message : String(error)})`)
  }
  return parseScript(value)
}

function fromList(list: unknown[]): unknown {
  const last: unknown = list.at(-1)
  const isLoop = typeof last === 'object' && last !== null && Object.keys(last).join() === 'loop'
  return isLoop ? { steps: list.slice(0, -1), ...last } : { steps: list }
}

/** A chat completion that was asked for. `body` is parsed JSON, or the text when it is none. */
export interface RecordedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: unknown
  /** Unix milliseconds. */
  time: number
}

/** Chooses the step for each request, in the order in which they come. */
export class Player {
  readonly #script: Script
  #left: { step: ScriptStep; times: number }[] = []
  #requests = 0

  constructor(script: Script) {
    this.#script = script
    this.#rewind()
  }

  /** The step for a request; null: the script is at its end. */
  next(request: RecordedRequest): ScriptStep | null {
    this.#requests++
    const found = this.#find(request)
    if (found || !this.#script.loop || this.#script.steps.length === 0) return found
    this.#rewind()
    return this.#find(request)
  }

  #find(request: RecordedRequest): ScriptStep | null {
    const entry =
      this.#left.find(({ step }) => step.when && matches(step.when, request, this.#requests)) ??
      this.#left.find(({ step }) => !step.when)
    if (entry === undefined) return null
    entry.times--
    if (entry.times === 0) this.#left = this.#left.filter((other) => other !== entry)
    return entry.step
  }

  #rewind(): void {
    this.#left = this.#script.steps.map((step) => ({ step, times: timesOf(step) }))
  }
}

function timesOf({ repeat = 1 }: ScriptStep): number {
  return typeof repeat === 'number' ? repeat : repeat ? Infinity : 1
}

function matches(when: NonNullable<ScriptStep['when']>, { body }: RecordedRequest, number: number): boolean {
  const messages = messagesOf(body)
  return holds(when.contains, messages) && holds(when.last_contains, messages.at(-1)) && (when.nth ?? number) === number
}

function holds(text: string | undefined, within: unknown): boolean {
  return text === undefined || textOf(within).includes(text)
}

/** All strings of a value, so that nothing is hidden by the escapes of JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(textOf).join('\n')
}

function messagesOf(body: unknown): unknown[] {
  const messages = memberOf(body, 'messages')
  return Array.isArray(messages) ? messages : []
}
