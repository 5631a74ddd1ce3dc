import {
  UrlElicitationRequiredError,
  type McpServer as Offering,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { describe, test } from 'vitest'
import * as z from 'zod'
import type { McpServer } from '../../../src/domain/mcp.ts'
import { McpRegistry } from '../../../src/mcp/registry.ts'
import { closeConnections } from '../../../src/mcp/open-connections.ts'
import type { InputWanted } from '../../../src/mcp/elicitation.ts'
import { startMcpServer } from '../../support/mcp-server.ts'

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const form = (field: string) => ({ type: 'object' as const, properties: { [field]: { type: 'string' as const } } })

/** Ask in the stream of the call. */
const elicit = (mcpReq: ServerContext['mcpReq'], message: string, field: string) =>
  mcpReq.send({ method: 'elicitation/create', params: { message, requestedSchema: form(field) } })

/** A server with sessions, and one session that calls its tools. */
async function shop(register: (server: Offering) => void) {
  const mcp = await startMcpServer({ era: 'legacy', register })
  const server: McpServer = {
    name: 'shop',
    url: mcp.url,
    headers: {},
    description: null,
    enabled: true,
    trustHints: true,
    origin: 'config',
    version: '1',
  }
  const registry = new McpRegistry({
    config: [server],
    tenants: null,
    fetchFor: () => fetch,
    now: Date.now,
    publicUrl: null,
  })
  const home = {}
  return {
    mcp,
    call: async (name: string, callId: string, input: InputWanted | null = null) => {
      const place = {
        home,
        tenant: 'default',
        sessionId: 'ses_1',
        user: null,
        by: null,
        language: 'en',
        callId,
        trace: null,
      } as const
      const { signal } = new AbortController()
      const called = await registry.call(
        server,
        { name, inputSchema: {} },
        {},
        { ...place, signal, notify: () => {} },
        input,
      )
      if (!called.ok) throw new Error(called.failure.code)
      return called
    },
    close: async () => {
      await closeConnections(home)
      await mcp.close()
    },
  }
}

type Given = Awaited<ReturnType<Awaited<ReturnType<typeof shop>>['call']>>

function wantedOf(given: Given): Omit<InputWanted, 'rounds'> {
  if (!('wanted' in given)) throw new Error('nothing is asked')
  return given.wanted
}

const messagesOf = (given: Given) =>
  Object.values(wantedOf(given).requests).map((request) =>
    Reflect.get(Object(Reflect.get(Object(request), 'params')), 'message'),
  )

/** All that is asked gets one answer. */
function answered(given: Given, content: Record<string, unknown>): InputWanted {
  const wanted = wantedOf(given)
  const responses = Object.keys(wanted.requests).map((key) => [key, { action: 'accept', content }])
  return { ...wanted, responses: { ...wanted.responses, ...Object.fromEntries(responses) }, rounds: 1 }
}

describe('a server of an older revision', () => {
  test('is told that a question is cancelled, and gets its answer when the call is made again', async ({ expect }) => {
    const actions: unknown[] = []
    const it = await shop((server) => {
      server.registerTool('order', { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
        const cake = await elicit(mcpReq, 'What cake?', 'name')
        const place = await elicit(mcpReq, 'Where to?', 'name')
        actions.push([cake.action, place.action])
        return said(`${String(cake.content?.['name'])} to ${String(place.content?.['name'])}`)
      })
    })
    const first = await it.call('order', 'call_1')
    expect(messagesOf(first)).toEqual(['What cake?', 'Where to?'])
    expect(await it.call('order', 'call_1', answered(first, { name: 'home' }))).toMatchObject({
      answer: said('home to home'),
    })
    expect(actions).toEqual([
      ['cancel', 'cancel'],
      ['accept', 'accept'],
    ])
    expect(it.mcp.calls().map(({ key }) => key)).toEqual(['call_1', 'call_1.1'])
    await it.close()
  })

  test('that asks the same again after the answer gets no answer twice', async ({ expect }) => {
    const it = await shop((server) => {
      server.registerTool('guess', { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
        for (let tries = 0; tries < 5; tries++) {
          const { content } = await elicit(mcpReq, 'Which word?', 'word')
          if (content?.['word'] === 'yak') return said(`right after ${tries}`)
        }
        return said('given up')
      })
    })
    const first = await it.call('guess', 'call_1')
    expect(messagesOf(first)).toEqual(['Which word?'])
    const second = await it.call('guess', 'call_1', answered(first, { word: 'gnu' }))
    expect(messagesOf(second)).toEqual(['Which word?'])
    expect(await it.call('guess', 'call_1', answered(second, { word: 'yak' }))).toMatchObject({
      answer: said('right after 1'),
    })
    await it.close()
  })

  /** Two tools that ask at the same time. */
  const asking = (ask: (name: string, mcpReq: ServerContext['mcpReq']) => Promise<{ action: string }>) => {
    const both = Promise.withResolvers<void>()
    let begun = 0
    return shop((server) => {
      for (const name of ['one', 'two'])
        server.registerTool(name, { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
          if (++begun === 2) both.resolve()
          await both.promise
          return said((await ask(name, mcpReq)).action)
        })
    })
  }

  test('asks of the call in whose stream it asks, however many are under way', async ({ expect }) => {
    const it = await asking((name, mcpReq) => elicit(mcpReq, `What of ${name}?`, 'name'))
    const given = await Promise.all([it.call('one', 'call_1'), it.call('two', 'call_2')])
    expect(given.map(messagesOf)).toEqual([['What of one?'], ['What of two?']])
    await it.close()
  })

  test('that asks beside two calls, which of them it does not say, is told that it is cancelled', async ({
    expect,
  }) => {
    const it = await asking(async (name, mcpReq) => {
      await it.mcp.when(({ method }) => method === 'GET', 1)
      return mcpReq.elicitInput({ message: `What of ${name}?`, requestedSchema: form('name') })
    })
    const given = await Promise.all([it.call('one', 'call_1'), it.call('two', 'call_2')])
    expect(given[0]).toMatchObject({ answer: said('cancel') })
    await it.close()
  })

  test('that refuses until an address is visited has the user asked to', async ({ expect }) => {
    let isVisited = false
    const it = await shop((server) => {
      server.registerTool('read', { inputSchema: z.object({}) }, () => {
        if (isVisited) return said('mail')
        const visit = { mode: 'url' as const, message: 'Log in', url: 'https://in.example/', elicitationId: 'e1' }
        throw new UrlElicitationRequiredError([visit])
      })
    })
    const first = await it.call('read', 'call_1')
    expect(Object.values(wantedOf(first).requests)).toMatchObject([
      { params: { mode: 'url', message: 'Log in', url: 'https://in.example/' } },
    ])
    isVisited = true
    expect(await it.call('read', 'call_1', { ...wantedOf(first), rounds: 1 })).toMatchObject({ answer: said('mail') })
    await it.close()
  })
})
