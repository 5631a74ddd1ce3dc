import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, test } from 'vitest'
import { REPORT, startWorld, type World } from './world.ts'

const run = promisify(execFile)
const HERE = import.meta.dirname
const TOOLS = join(HERE, 'node_modules/.bin')

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

test('types of openapi-typescript check, and a client of openapi-fetch works with them', async ({ expect }) => {
  const made = await run(join(TOOLS, 'openapi-typescript'), [world.document, '-o', join(HERE, 'typescript/schema.ts')])
  expect(made.stdout + made.stderr).not.toMatch(/⚠|warn|error/i)
  const checked = await run(join(TOOLS, 'tsc'), ['-p', join(HERE, 'typescript')]).catch((error: unknown) => error)
  expect(checked).toMatchObject({ stdout: '', stderr: '' })
  const { stdout } = await run(process.execPath, [join(HERE, 'typescript/client.ts'), world.url, world.key])
  expect(JSON.parse(stdout)).toEqual(REPORT)
})
