import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { RESTARTS_MAX } from '../../src/cli/serve/keep-running.ts'
import { ADMIN_KEY } from '../support/admin-key.ts'
import { startYaa, workFolder, type Running, type RunOptions } from '../support/cli.ts'
import { workerdOf } from '../support/workerd-of.ts'

const folder = workFolder()
const running: Running[] = []
let folders = 0

afterEach(async () => {
  for (const one of running.splice(0)) {
    one.process.kill('SIGKILL')
    await one.ended
  }
})
afterAll(() => folder.remove())

async function serving(options: Partial<RunOptions> = {}) {
  const data = `data-${folders++}`
  const yaa = startYaa(['serve', '--port', '0', '--data', data], { cwd: folder.path, ...options })
  running.push(yaa)
  const [, port] = await yaa.says(/yaa ready on http:\/\/localhost:(\d+)\n/)
  return { yaa, data, client: createClient({ server: `http://127.0.0.1:${port}`, key: ADMIN_KEY }) }
}

const workerdOn = (data: string) => workerdOf(join(folder.path, data))

describe('workerd', () => {
  test('that is killed is started again on the same port and data, and the server still ends with 0', async ({
    expect,
  }) => {
    const { yaa, data, client } = await serving()
    const { id } = await client.sessions.create({ title: 'kept' })
    const first = workerdOn(data) ?? 0
    expect(first).toBeGreaterThan(0)
    process.kill(first, 'SIGKILL')
    await yaa.says(/workerd ended by itself.*; it is started again\n/)
    await expect.poll(() => client.health().catch(() => null)).toMatchObject({ status: 'ok' })
    const second = workerdOn(data)
    expect(second).toBeGreaterThan(0)
    expect(second).not.toBe(first)
    expect(await client.sessions.get(id)).toMatchObject({ title: 'kept' })
    yaa.process.kill('SIGTERM')
    expect((await yaa.ended).code).toBe(0)
    expect(workerdOn(data)).toBeUndefined()
  })

  test('that ends again and again is given up: one clear line and exit 1', async ({ expect }) => {
    const { yaa, data } = await serving()
    for (let count = 0; count <= RESTARTS_MAX; count++) {
      let id = 0
      await expect.poll(() => (id = workerdOn(data) ?? 0)).toBeGreaterThan(0)
      process.kill(id, 'SIGKILL')
      await expect.poll(() => workerdOn(data) === id).toBe(false)
    }
    const { code, stderr } = await yaa.ended
    expect(code).toBe(1)
    expect(stderr.match(/it is started again/g)).toHaveLength(RESTARTS_MAX)
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      /^yaa: workerd ended by itself and is not started again \(at most 5 times a minute\)/,
    )
  })
})

describe('the number of files that may be open', () => {
  test('is raised to what the system allows', async ({ expect }) => {
    const { data } = await serving({ limit: 'ulimit -S -n 256' })
    const [, soft, hard] = /^Max open files\s+(\d+)\s+(\d+)/m.exec(limitsOf(workerdOn(data))) ?? []
    expect(Number(soft)).toBeGreaterThan(256)
    expect(soft).toBe(hard)
  })

  test('is told when it is low, with what to do', async ({ expect }) => {
    const { yaa } = await serving({ limit: 'ulimit -n 1024' })
    const [line] = await yaa.says(/warning: only.*/)
    expect(line).toMatch(/^warning: only 1024 files may be open.*ulimit -n/)
  })
})

const limitsOf = (id: number | undefined) => readFileSync(`/proc/${id}/limits`, 'utf8')
