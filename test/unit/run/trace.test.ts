import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Origin } from '../../../src/domain/telemetry.ts'
import { Observer } from '../../../src/telemetry/observer.ts'
import { traceRequest } from '../../../src/telemetry/spans.ts'
import { startMcpServer, type McpTestServer } from '../../support/mcp-server.ts'
import { registerTestTools } from '../../support/mcp-tools.ts'
import { nodeHome, type NodeHome } from '../../support/node-home.ts'
import { startPlay, type Play } from '../../support/play.ts'
import { APPROVED, native } from '../../support/words.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CAME = `00-${TRACE}-b7ad6b7169203331-01`
const STATE = 'vendor=a1b2,other=3'
const TRACED: Origin = { request_id: 'req_1', traceparent: CAME, tracestate: STATE }

/** The spans of a session as a collector gets them, by name, as a request within them says it. */
async function spansOf(play: Play): Promise<Record<string, string[]>> {
  const observer = new Observer({ content: false })
  const events = await play.events()
  const runStart = events.find((event) => event.type === 'run-start') ?? null
  const watched = { session: play.id, tenant: 'default', agent: 'yaa', runStart, modelOf: () => null, content: null }
  const drafts = events.flatMap((event) => observer.see(event, watched).spans)
  const { resourceSpans } = await traceRequest(drafts, { name: 'yaa', version: '1' })
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  const named = Object.groupBy(spans, ({ name }) => name.split(' ')[0] ?? '')
  return Object.fromEntries(
    Object.entries(named).map(([name, of = []]) => [
      name,
      of.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
    ]),
  )
}

for (const era of ['modern', 'legacy'] as const)
  describe(`the trace of a run, with an MCP server, ${era}`, () => {
    let server: McpTestServer
    let recorded: NodeHome
    let unrecorded: NodeHome
    /** What was sent where, with its `traceparent`. */
    const sent: [string, string | null][] = []
    const watching = (url: string, init?: RequestInit) => {
      sent.push([url, new Headers(init?.headers).get('traceparent')])
      return fetch(url, init)
    }
    beforeAll(async () => {
      server = await startMcpServer({ era, register: registerTestTools })
      const mcp_servers = { words: { url: server.url } }
      recorded = await nodeHome('memory', [], { mcp_servers, otel: { endpoint: 'http://127.0.0.1:9' } }, watching)
      unrecorded = await nodeHome('memory', [], { mcp_servers }, watching)
    })
    afterAll(async () => {
      await recorded.close()
      await unrecorded.close()
      await server.close()
    })

    const run = async (home: NodeHome, origin?: Origin) => {
      sent.length = 0
      server.sent.length = 0
      const play = await startPlay(home, {
        script: (page) => [
          native('web_access', { url: page('article') }),
          native('words__look_up', { word: 'yak' }),
          native('finish', { reason: 'found' }),
        ],
        config: {
          language: 'en',
          llm: { protocol: 'native' },
          tools: { ...APPROVED.tools, 'words__*': { auto_approve: true } },
        },
      })
      const made = await play.create({ task: 'What is a yak?' }, { form: 'wait', ...(origin ? { origin } : {}) })
      const asked = await play.asked()
      const models = asked.map(({ headers }) => headers['traceparent'])
      const [call] = server.sent.filter(({ rpc }) => rpc === 'tools/call')
      const meta: unknown = Reflect.get(Object(call?.params['_meta']), 'traceparent')
      const states = [...asked.map(({ headers }) => headers['tracestate']), call?.headers['tracestate']]
      const metaState: unknown = Reflect.get(Object(call?.params['_meta']), 'tracestate')
      return {
        play,
        status: made.status,
        models,
        mcp: [call?.headers['traceparent'], meta],
        states: [...states, metaState],
      }
    }

    test('goes on to model services and the server, by the span of each call', async ({ expect }) => {
      const { play, status, models, mcp } = await run(recorded, TRACED)
      const spans = await spansOf(play)
      expect(status).toBe('completed')
      expect(models).toEqual(spans['chat'])
      expect(new Set(models).size).toBe(3)
      expect(models.every((text) => text?.startsWith(`00-${TRACE}-`))).toBe(true)
      const [, lookedUp] = spans['execute_tool'] ?? []
      expect(mcp).toEqual([lookedUp, lookedUp])
    })

    test('takes its state along, to models and servers, recorded or not', async ({ expect }) => {
      for (const home of [recorded, unrecorded]) {
        const { states } = await run(home, TRACED)
        expect(states).toEqual(Array.from({ length: 5 }, () => STATE))
        for (const origin of [undefined, { ...TRACED, tracestate: 'a=\n' }, { request_id: 'r', tracestate: STATE }]) {
          const without = await run(home, origin)
          expect(new Set(without.states)).toEqual(new Set([undefined]))
        }
      }
    })

    test('is one of its own where none came', async ({ expect }) => {
      const { play, models, mcp } = await run(recorded)
      const spans = await spansOf(play)
      expect(models).toEqual(spans['chat'])
      expect(mcp[0]).toBe(spans['execute_tool']?.[1])
    })

    test('goes on as it came where no spans are sent', async ({ expect }) => {
      const { models, mcp } = await run(unrecorded, TRACED)
      expect([new Set(models), mcp]).toEqual([new Set([CAME]), [CAME, CAME]])
      const none = await run(unrecorded)
      expect([new Set(none.models), none.mcp]).toEqual([new Set([undefined]), [undefined, undefined]])
    })

    test('is nothing that pages are told', async ({ expect }) => {
      const { play } = await run(recorded, TRACED)
      const visited = sent.filter(([url]) => url === play.site.url('article'))
      expect(visited).toEqual([[play.site.url('article'), null]])
    })
  })
