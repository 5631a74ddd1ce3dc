import type { Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  buildWorker,
  bundleWorker,
  FIRST_GZIP_BYTES_MAX,
  firstGzipBytes,
  loadedWith,
  type WorkerModule,
} from '../../src/build/bundle.ts'
import { startYaa, workFolder } from '../support/cli.ts'
import { WITH_KEY } from '../support/admin-key.ts'

const folder = workFolder()
afterAll(() => folder.remove())

describe('the modules of the Worker', () => {
  let modules: WorkerModule[]
  let built: Metafile
  beforeAll(async () => {
    modules = await bundleWorker()
    built = (await buildWorker()).metafile
  })

  test('of which an isolate loads at its start are no more than the limit', ({ expect }) => {
    expect(modules[0]).toMatchObject({ name: 'worker.js', first: true })
    expect(firstGzipBytes(modules)).toBeLessThanOrEqual(FIRST_GZIP_BYTES_MAX)
  })

  test.for([
    ['zod', 'ZodError'],
    ['sessions', 'CREATE TABLE'],
    ['models', 'chat/completions'],
    ['the MCP SDK', 'notifications/initialized'],
    ['YAML', 'tag:yaml.org,2002'],
    ['schedules', 'CronPattern'],
    ['tokens', 'JWKSNoMatchingKey'],
    ['the OpenAPI document', 'An agent backend for the edge'],
    ['the reader of pages', 'rowspan'],
    ['plans', 'call-planner'],
    ['teams', 'choose-action'],
    ['routes to one worker', 'You dispatch tasks'],
    ['the prompts of planners', 'a professional deep researcher who plans'],
    ['the shipped teams', 'Two sides and a judge: both si'],
    ['chat completions', 'chat.completion.chunk'],
    ['Responses', 'response.output_text.delta'],
    ['AI SDK streams', 'tool-input-available'],
    ['AG-UI', 'MESSAGES_SNAPSHOT'],
    ['the MCP server', 'run_task'],
    ['A2A', 'TASK_STATE_INPUT_REQUIRED'],
  ])('that hold %s are loaded later', ([, mark], { expect }) => {
    const holding = modules.filter(({ bytes }) => Buffer.from(bytes).includes(mark))
    expect(holding.map(({ first }) => first)).toContain(false)
    expect(holding.map(({ first }) => first)).not.toContain(true)
  })

  test.for(['openai', 'ai-sdk', 'ag-ui', 'mcp', 'a2a'])(
    'of the door %s are loaded by nothing but requests and readers of it',
    (door, { expect }) => {
      const isOfDoor = (path: string) => path.startsWith(`src/doors/${door}/`)
      const entries = Object.entries(built.outputs).flatMap(([output, { entryPoint }]) =>
        entryPoint === undefined ? [] : [{ output, isOwn: isOfDoor(entryPoint) }],
      )
      const loading = entries.filter(({ output }) =>
        loadedWith(output, built).some((path) => Object.keys(built.outputs[path]?.inputs ?? {}).some(isOfDoor)),
      )
      expect(loading.length).toBeGreaterThan(1)
      expect(loading.filter(({ isOwn }) => !isOwn)).toEqual([])
    },
  )

  test('that are loaded later are there in yaa serve', async ({ expect }) => {
    const yaa = startYaa(['serve', '--port', '0', '--data', 'data'], { cwd: folder.path })
    const [, port] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
    const ask = async (path: string, body?: unknown) => {
      const headers = { ...WITH_KEY, 'content-type': 'application/json' }
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
      return (await fetch(`http://127.0.0.1:${port}${path}`, init)).status
    }
    const skill = '---\nname: mine\ndescription: x\nmetadata:\n  version: 1.0\n---\nHello'
    expect(await ask('/openapi.json')).toBe(200)
    expect(await ask('/v1/skills/web-research')).toBe(200)
    expect(await ask('/v1/schedules', { name: 'daily', task: 'Look', cron: '0 8 * * *' })).toBe(201)
    expect(await ask('/v1/nothing')).toBe(404)
    const markdown = { method: 'POST', headers: { ...WITH_KEY, 'content-type': 'text/markdown' }, body: skill }
    expect((await fetch(`http://127.0.0.1:${port}/v1/skills`, markdown)).status).toBe(201)
    yaa.process.kill('SIGTERM')
    expect((await yaa.ended).code).toBe(0)
  })
})
