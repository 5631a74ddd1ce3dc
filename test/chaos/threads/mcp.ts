import * as z from 'zod'
import { readFrames } from './frames.ts'
import { Thread } from './thread.ts'

const result = z.looseObject({
  resultType: z.string().optional(),
  inputRequests: z.record(z.string(), z.unknown()).optional(),
  requestState: z.string().optional(),
  structuredContent: z
    .looseObject({ session_id: z.string(), status: z.string(), result: z.string().nullable() })
    .optional(),
})
const message = z.looseObject({
  result: result.optional(),
  error: z.unknown().optional(),
  method: z.string().optional(),
})
type Result = z.infer<typeof result>

const REVISION = '2026-07-28'
const TOOL = 'run_task'
const HEADERS = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': REVISION,
  'mcp-method': 'tools/call',
  'mcp-name': TOOL,
}
const APPROVED = { action: 'accept', content: { decision: 'approve' } }

/** A host of MCP, of the revision without sessions: its user is asked by the answer of a call, which is made again then. It names the session of its first
 *  task with the next. */
export class McpThread extends Thread {
  #session: string | null = null
  #calls = 0

  protected async ask(content: string): Promise<string | null> {
    const args = { task: content, ...(this.#session === null ? {} : { session: this.#session }) }
    const key = `${this.plan.id}-call-${++this.#calls}`
    for (let again: object = {}; ;) {
      const said = await this.#called(args, again, key)
      const { inputRequests, requestState, structuredContent: run } = said ?? {}
      if (inputRequests) {
        const responses = Object.keys(inputRequests).map((id) => [id, APPROVED] as const)
        again = { inputResponses: Object.fromEntries(responses), requestState }
        continue
      }
      if (!run || run.status !== 'completed') return null
      this.#session = run.session_id
      return run.result ?? ''
    }
  }

  /** What a call comes to, however often it has to be made; null: its run failed. */
  async #called(args: object, again: object, key: string): Promise<Result | null> {
    for (let tries = 0; ; tries++) {
      const progress = this.random.chance(0.5) ? { progressToken: `${key}-${tries}` } : {}
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': REVISION,
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        ...progress,
      }
      const params = { name: TOOL, arguments: args, ...again, _meta }
      const body = { jsonrpc: '2.0', id: tries, method: 'tools/call', params }
      const response = await this.send('/mcp', body, tries, { ...HEADERS, 'idempotency-key': key })
      const said = response && (await this.#heard(response))
      if (!said) continue
      const good = message.safeParse(said).data?.result
      const isRun = good?.structuredContent !== undefined && good.structuredContent.status !== 'failed'
      if (good && (good.inputRequests || isRun)) return good
      if ((await this.refused({ status: 200, replayed: false, location: null, body: said })) === 'over') return null
    }
  }

  /** The last message of an answer; null: the line broke before. */
  async #heard(response: Response): Promise<unknown> {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      return (await this.world.answerOf(response))?.body ?? null
    let left = this.patience()
    let last: unknown = null
    await readFrames(response, (data) => {
      this.world.begin()
      const said: unknown = JSON.parse(data)
      const { method } = message.parse(said)
      if (method === undefined) last = said
      return last !== null || --left <= 0
    })
    return last
  }
}
