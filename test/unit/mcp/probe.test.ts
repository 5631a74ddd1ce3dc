import { ServerHeaders } from '../../../src/mcp/server-headers.ts'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { openConnection } from '../../../src/mcp/client.ts'
import { listTools, type McpListing } from '../../../src/mcp/probe.ts'
import { leftOutInChinese } from '../../../src/domain/left-out-in-chinese.ts'
import { readTool } from '../../../src/mcp/listed-tool.ts'
import { startMcpServer, type McpTestServer } from '../../support/mcp-server.ts'
import { registerTestTools } from '../../support/mcp-tools.ts'

const inputSchema = { type: 'object', properties: {} }
const { toolsMax, listPagesMax, toolNameCharsMax } = LIMITS.mcp

interface Page {
  tools: unknown
  nextCursor?: string
}

for (const era of ['modern', 'legacy'] as const)
  describe(`the list of a server, ${era}`, () => {
    let server: McpTestServer
    beforeAll(async () => {
      server = await startMcpServer({ era, register: registerTestTools })
    })
    afterAll(() => server.close())

    /** What is taken of a list whose pages are these, and how many were asked for. */
    async function taken(pageAt: (index: number) => Page): Promise<McpListing & { pages: number }> {
      let pages = 0
      server.fail = async (request) => {
        const { method, id } = JSON.parse((await request.text()) || '{}') as { method?: string; id?: number }
        if (method !== 'tools/list') return null
        const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...pageAt(pages++) }
        return Response.json({ jsonrpc: '2.0', id, result })
      }
      const { signal } = new AbortController()
      const place = { name: 's', url: server.url, headers: {} }
      const connection = await openConnection(place, {
        fetch,
        headers: new ServerHeaders(place, null),
        manner: null,
        signal,
        auth: null,
        toolsChanged: () => {},
      })
      const listing = await listTools(connection, signal)
      await connection.close()
      return { ...listing, pages }
    }
    const names = ({ tools }: McpListing) => tools.map(({ name }) => name)

    test('leaves out the tools that are broken, says which and why, and keeps the others', async ({ expect }) => {
      const long = 'x'.repeat(5_000)
      const listing = await taken(() => ({
        tools: [
          { name: 'first', inputSchema },
          { name: 'odd', inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } },
          { name: 'bare' },
          { name: 'text', inputSchema: 'a text' },
          { name: 'other', inputSchema: { type: 'string' } },
          { name: 7, inputSchema },
          null,
          { name: long, inputSchema },
          { name: 'first', inputSchema },
          { name: 'last', inputSchema: {} },
        ],
      }))
      expect(names(listing)).toEqual(['first', 'last'])
      expect(listing.warnings).toEqual([
        { tool: 'odd', message: 'left out: inputSchema.properties.a.type: no type of JSON Schema' },
        { tool: 'bare', message: 'left out: inputSchema: a schema was expected' },
        { tool: 'text', message: 'left out: inputSchema: a schema was expected' },
        { tool: 'other', message: 'left out: inputSchema.type: object was expected' },
        { tool: null, message: `left out: name: 1 to ${toolNameCharsMax} characters were expected` },
        { tool: null, message: 'left out: an object was expected' },
        { tool: long.slice(0, 100), message: `left out: name: 1 to ${toolNameCharsMax} characters were expected` },
        { tool: 'first', message: 'left out: another tool has this name' },
      ])
    })

    test('drops what a tool can do without, and all of its hints where one is none', async ({ expect }) => {
      const listing = await taken(() => ({
        tools: [
          { name: 'a', inputSchema, annotations: { readOnlyHint: true, destructiveHint: 'yes' } },
          { name: 'b', inputSchema, description: 7, title: null, outputSchema: { type: 'object', required: 'x' } },
          { name: 'c', inputSchema, description: 'Fine.', annotations: { readOnlyHint: true } },
        ],
      }))
      expect(listing.tools).toEqual([
        { name: 'a', inputSchema },
        { name: 'b', inputSchema },
        { name: 'c', inputSchema, description: 'Fine.', annotations: { readOnlyHint: true } },
      ])
      expect(listing.warnings).toEqual([
        { tool: 'a', message: 'not used: annotations.destructiveHint: not what it has to be' },
        { tool: 'b', message: 'not used: description: not a text' },
        { tool: 'b', message: 'not used: outputSchema.required: a list of names was expected' },
      ])
    })

    test('of 10,000 tools has no more than the limit', async ({ expect }) => {
      const many = Array.from({ length: 10_000 }, (_, index) => ({ name: `t${index}`, inputSchema }))
      const listing = await taken(() => ({ tools: many, nextCursor: 'more' }))
      expect(listing.tools).toHaveLength(toolsMax)
      expect(listing.pages).toBe(1)
      expect(listing.warnings).toEqual([
        { tool: null, message: expect.stringContaining(`${10_000 - toolsMax} or more tools are left out`) },
      ])
    })

    test('that never ends is ended, and what it gave is kept', async ({ expect }) => {
      const endless = await taken((index) => ({ tools: [{ name: `t${index}`, inputSchema }], nextCursor: `${index}` }))
      expect(endless.tools).toHaveLength(listPagesMax)
      expect(endless.pages).toBe(listPagesMax)
      expect(endless.warnings).toEqual([{ tool: null, message: expect.stringContaining(`more than ${listPagesMax}`) }])
      const circling = await taken((index) => ({ tools: [{ name: `t${index}`, inputSchema }], nextCursor: 'again' }))
      expect(circling.pages).toBe(2)
      expect(circling.tools).toHaveLength(2)
    })

    test('warns of so much and no more', async ({ expect }) => {
      const broken = Array.from({ length: 300 }, (_, index) => ({ name: `t${index}` }))
      const { tools, warnings } = await taken(() => ({ tools: [...broken, { name: 'good', inputSchema }] }))
      expect(tools).toHaveLength(1)
      expect(warnings).toHaveLength(LIMITS.mcp.warningsMax + 1)
      expect(warnings.at(-1)?.message).toBe('280 more warnings are not told')
    })

    test('that is no list is an answer that is not the protocol', async ({ expect }) => {
      await expect(taken(() => ({ tools: 'none' }))).rejects.toThrow('Invalid result for tools/list')
    })
  })

describe('a tool', () => {
  const header = (more: object) => ({ type: 'string', 'x-mcp-header': 'X-City', ...more })
  const withSchema = (schema: object) => readTool({ name: 'a', inputSchema: { type: 'object', ...schema } }, true)

  test('may have arguments that go as headers', ({ expect }) => {
    const nested = {
      properties: {
        city: header({}),
        at: { type: 'object', properties: { zip: header({ 'x-mcp-header': 'X-Zip' }) } },
      },
    }
    expect(withSchema(nested).tool).not.toBeNull()
  })

  test.for([
    [{ properties: { a: header({}), b: header({ 'x-mcp-header': 'x-city' }) } }, 'twice'],
    [{ properties: { a: header({ type: 'number' }) } }, 'only a string'],
    [{ properties: { a: header({ 'x-mcp-header': 'X City' }) } }, 'the name of a header'],
    [{ properties: { a: { type: 'array', items: header({}) } } }, 'no chain of properties'],
    [{ properties: {}, 'x-mcp-header': 'X-City' }, 'no chain of properties'],
  ] as const)('whose headers cannot be is left out: %j', ([schema, said], { expect }) => {
    expect(withSchema(schema)).toMatchObject({ tool: null, warnings: [{ message: expect.stringContaining(said) }] })
    const { tool } = readTool({ name: 'a', inputSchema: { type: 'object', ...schema } }, false)
    expect(tool).not.toBeNull()
  })

  test('as deep as no schema is, is left out', ({ expect }) => {
    let schema: Record<string, unknown> = { type: 'string' }
    for (let depth = 0; depth < 20_000; depth++) schema = { not: schema }
    const { tool, warnings } = withSchema({ properties: { a: schema } })
    expect(tool).toBeNull()
    expect(warnings[0]?.message).toContain('deeper')
  })
})

test('why a tool is left out is told in Chinese', ({ expect }) => {
  const schema = { type: 'object' }
  const tool = (given: unknown, more: object = {}) => ({ name: 'a', inputSchema: given, ...more })
  const property = (a: unknown) => tool({ ...schema, properties: { a } })
  const broken = [
    7,
    { name: '' },
    tool(7),
    tool({ type: 'array' }),
    tool({ ...schema, description: 'x'.repeat(LIMITS.mcp.schemaCharsMax) }),
    tool({ ...schema, required: 7 }),
    tool({ ...schema, properties: 7 }),
    tool({ ...schema, allOf: 7 }),
    property(7),
    property({ type: 'text' }),
    property({ enum: 7 }),
    property({ $ref: 7 }),
    property({ 'x-mcp-header': 'X', type: 'number' }),
    property({ 'x-mcp-header': 'a b', type: 'string' }),
    property({ items: { 'x-mcp-header': 'X', type: 'string' } }),
    tool({ ...schema, properties: { a: HEADER, b: HEADER } }),
    tool(schema, { title: 7, outputSchema: 7, annotations: { readOnlyHint: 7 } }),
  ]
  const said = broken.flatMap((given) => readTool(given, true).warnings.map(({ message }) => message))
  const others = [
    'left out: another tool has this name',
    '7 or more tools are left out: at most 5 tools and 9 characters of them are taken',
    '280 more warnings are not told',
    'the list goes on with the page that was given before',
    'the list has more than 9 pages; those are taken',
  ]
  expect(said.length).toBeGreaterThanOrEqual(broken.length + 2)
  expect([...said, ...others].filter((one) => !/\p{Script=Han}/u.test(leftOutInChinese(one)))).toEqual([])
  expect(leftOutInChinese('not used: outputSchema.required: a list of names was expected')).toBe(
    '未使用：outputSchema.required：应为名称的列表',
  )
  expect(leftOutInChinese('something else: x')).toBe('something else: x')
})

const HEADER = { 'x-mcp-header': 'X', type: 'string' }
