import { describe, test } from 'vitest'
import * as z from 'zod'
import { startMcpServer } from '../../support/mcp-server.ts'
import { nodeHome } from '../../support/node-home.ts'
import { startPlay } from '../../support/play.ts'
import { native } from '../../support/words.ts'
import { inputRequired } from '@modelcontextprotocol/server'

const requestedSchema = {
  type: 'object' as const,
  properties: { size: { type: 'integer' as const } },
  required: ['size'],
}
const annotations = { readOnlyHint: true }

/** A session that has called a tool which asks for a size, and what the server was told for an answer, in their order. */
async function asked(era: 'modern' | 'legacy') {
  const told: unknown[] = []
  const server = await startMcpServer({
    era,
    register: (mcp) => {
      mcp.registerTool('order', { inputSchema: z.object({}), annotations }, async (_args, { mcpReq }) => {
        if (era === 'modern') {
          const given: unknown = mcpReq.inputResponses?.['cake']
          if (given === undefined)
            return inputRequired({
              inputRequests: { cake: inputRequired.elicit({ message: 'What cake?', requestedSchema }) },
            })
          told.push(given)
        } else {
          const params = { message: 'What cake?', requestedSchema }
          told.push(await mcpReq.send({ method: 'elicitation/create', params }))
        }
        return { content: [{ type: 'text', text: `told ${JSON.stringify(told.at(-1))}` }] }
      })
    },
  })
  const home = await nodeHome('memory', [], { mcp_servers: { shop: { url: server.url } } })
  const script = [native('shop__order', {}), native('finish', { reason: 'so be it' })]
  const play = await startPlay(home, { script, config: { language: 'en', llm: { protocol: 'native' } } })
  await play.create()
  await play.send('A cake, please')
  const close = async () => {
    await home.close()
    await server.close()
  }
  return { play, told, home, close }
}

describe.for(['modern', 'legacy'] as const)('a question of a server, %s', (era) => {
  test('that the user declines is declined to the server, whose answer the model reads', async ({ expect }) => {
    const { play, told, close } = await asked(era)
    const answer = await play.decide({ decision: 'reject' })
    expect(answer).toMatchObject({ status: 'completed', result: 'so be it' })
    expect(told.at(-1)).toEqual({ action: 'decline' })
    const result = answer.messages.find(({ tool_name: name }) => name === 'shop__order')
    expect(result?.content).toContain('told {"action":"decline"}')
    await close()
  })

  test('that nobody answers in time is cancelled', async ({ expect }) => {
    const { play, told, home, close } = await asked(era)
    home.advance(8 * 24 * 3_600_000)
    await play.event('run-end')
    expect(told.at(-1)).toEqual({ action: 'cancel' })
    await close()
  })
})
