import { CLIENT_CAPABILITIES_META_KEY, createMcpHandler } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import { LIMITS } from '../../domain/limits.ts'
import type { AppEnv } from '../../http/context.ts'
import { isObject, memberOf } from '../../lib/json.ts'
import { textStream } from '../../lib/streams.ts'
import { report } from '../../objects/report.ts'
import type { ConformanceFixtures } from './conformance/fixtures.ts'
import { sdkServer } from './server.ts'
import { type DeclaredClient, TASKS } from './tasks.ts'

/** Requests of revision 2026-07-28: each says all of itself, and is answered by whichever isolate it comes to. */
export async function answerStateless(
  c: Context<AppEnv>,
  body: unknown,
  fixtures: ConformanceFixtures | null,
): Promise<Response> {
  const params = memberOf(body, 'params')
  const client = declaredIn(memberOf(memberOf(params, '_meta'), CLIENT_CAPABILITIES_META_KEY))
  const handler = createMcpHandler(() => sdkServer({ c, client, stream: null, fixtures }), {
    legacy: 'reject',
    keepAliveMs: LIMITS.mcpDoor.beatMs,
    onerror: onFault,
  })
  const answer = handler.fetch(c.req.raw, { parsedBody: body })
  return memberOf(body, 'method') === 'tools/call' ? inTime(answer) : answer
}

/** What the SDK tells of requests that it refuses is no fault of ours. */
function onFault(error: Error): void {
  if (error.name === 'TypeError') report(error)
}

/** What a client declares that it can do. */
export function declaredIn(capabilities: unknown): DeclaredClient {
  return {
    elicits: showsForms(memberOf(capabilities, 'elicitation')),
    takesTasks: memberOf(memberOf(capabilities, 'extensions'), TASKS) !== undefined,
  }
}

/** Forms are what a client shows that says no more of it. */
function showsForms(elicitation: unknown): boolean {
  return isObject(elicitation) && (Object.keys(elicitation).length === 0 || 'form' in elicitation)
}

/** The answer, if it is there before long; else a stream that tells of life until it is, so that nobody on the way takes it for dead. */
async function inTime(answer: Promise<Response>): Promise<Response> {
  const first = await soon(answer, LIMITS.mcpDoor.answerMs + SLACK_MS)
  if (first) return first
  return new Response(textStream(whenever(answer)), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' },
  })
}

/** A task is given out at the limit itself. */
const SLACK_MS = 500

/** The answer, if it is there within so long; else null. */
async function soon(answer: Promise<Response>, ms: number): Promise<Response | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), ms)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function* whenever(answer: Promise<Response>): AsyncGenerator<string, void, void> {
  let response: Response | null = null
  while (!response) {
    yield ': working\n\n'
    response = await soon(answer, LIMITS.mcpDoor.beatMs)
  }
  if (!response.body) return
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream) return yield `event: message\ndata: ${await response.text()}\n\n`
  const decoder = new TextDecoder()
  for await (const chunk of response.body) yield decoder.decode(chunk, { stream: true })
}
