import { afterAll, beforeAll, test } from 'vitest'
import * as z from 'zod'
import { startMcpServer, type McpTestServer } from '../../../support/mcp-server.ts'
import { nodeHome, type NodeHome } from '../../../support/node-home.ts'
import { startPlay } from '../../../support/play.ts'
import { BOTH, native } from '../../../support/words.ts'

const TOOLS = 300
let server: McpTestServer
let home: NodeHome

beforeAll(async () => {
  server = await startMcpServer({
    era: 'modern',
    register: (mcp) => {
      const inputSchema = z.object({ city: z.string().describe('the name of the city') })
      const annotations = { readOnlyHint: true }
      for (let n = 0; n < TOOLS; n++)
        mcp.registerTool(
          `filler_${n}`,
          {
            description: `Filler number ${n}, which is there to be many and says a lot about nothing.`,
            inputSchema,
            annotations,
          },
          () => ({ content: [] }),
        )
      const description = 'Weather forecast of a city. 查询城市的天气预报。'
      mcp.registerTool('forecast', { description, inputSchema, annotations }, ({ city }) => ({
        content: [{ type: 'text', text: `sunny in ${city}` }],
      }))
    },
  })
  home = await nodeHome('memory', [], { mcp_servers: { big: { url: server.url } } })
})
afterAll(async () => {
  await home.close()
  await server.close()
})

for (const words of BOTH)
  test(`tools that are too many are found, then called, ${words.language}`, async ({ expect }) => {
    const query = words.language === 'en' ? 'weather forecast' : '天气预报'
    const script = [
      native('find_tools', { query }),
      native('big__forecast', { city: 'Oslo' }),
      native('finish', { reason: 'sunny' }),
    ]
    const config = { language: words.language, llm: { protocol: 'native' as const } }
    const play = await startPlay(home, { script, config })
    await play.create()
    const answer = await play.send('Oslo?')
    expect(answer).toMatchObject({ status: 'completed', result: 'sunny' })
    expect(answer.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
      expect.stringMatching(/big__forecast: Weather forecast[^]*"city"/),
      expect.stringContaining('sunny in Oslo'),
      expect.anything(),
    ])
    const asked = await play.asked()
    const offered = asked.map(({ body }) => body.tools?.map((tool) => tool.function.name) ?? [])
    expect(offered.map((names) => names.filter((name) => name.startsWith('big__')))).toEqual([
      [],
      ['big__forecast'],
      ['big__forecast'],
    ])
    expect(offered.every((names) => names.includes('find_tools'))).toBe(true)
    expect(JSON.stringify(asked[0]?.body)).not.toContain('Filler')
  })

for (const words of BOTH)
  test(`to a model that writes its calls as text they are told of in tags, ${words.language}`, async ({ expect }) => {
    const en = words.language === 'en'
    const script = [
      en
        ? '<find_tools><query>weather forecast</query></find_tools>'
        : '<查找工具><关键词>天气预报</关键词></查找工具>',
      '<big__forecast><city>Oslo</city></big__forecast>',
      words.finish('sunny'),
    ]
    const config = { language: words.language, llm: { protocol: 'xml' as const } }
    const play = await startPlay(home, { script, config })
    await play.create()
    const answer = await play.send('Oslo?')
    expect(answer).toMatchObject({ status: 'completed', result: 'sunny' })
    const [found, called] = answer.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    expect(found).toContain('## big__forecast\nWeather forecast')
    expect(found).toContain('- `city`')
    expect(found).not.toMatch(/[{}]/)
    expect(called).toContain('sunny in Oslo')
  })

test('what was found is still offered after the process died', async ({ expect }) => {
  const script = [
    native('find_tools', { query: 'weather' }),
    native('finish', { reason: 'found' }),
    native('big__forecast', { city: 'Bergen' }),
    native('finish', { reason: 'rain' }),
  ]
  const play = await startPlay(home, { script, config: { language: 'en', llm: { protocol: 'native' } } })
  await play.create()
  await play.send('Find it')
  home.kill(play.id)
  expect(await play.send('Use it')).toMatchObject({ status: 'completed', result: 'rain' })
})

test('few tools are offered all at once, without a search', async ({ expect }) => {
  const few = await startMcpServer({
    era: 'legacy',
    register: (mcp) =>
      void mcp.registerTool('one', { description: 'One.', inputSchema: z.object({}) }, () => ({ content: [] })),
  })
  const other = await nodeHome('memory', [], { mcp_servers: { few: { url: few.url } } })
  const play = await startPlay(other, {
    script: [native('finish', { reason: 'done' })],
    config: { llm: { protocol: 'native' } },
  })
  await play.create()
  await play.send('Hello')
  const [first] = await play.asked()
  const names = first?.body.tools?.map((tool) => tool.function.name)
  expect(names).toContain('few__one')
  expect(names).not.toContain('find_tools')
  await other.close()
  await few.close()
})
