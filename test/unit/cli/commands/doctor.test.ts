import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, test } from 'vitest'
import { doctor } from '../../../../src/cli/commands/doctor.ts'
import { textsOf } from '../../../../src/cli/texts.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yaa-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** What the doctor says of these models, and of a config with more. */
async function findings(models: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<string> {
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ models, ...more }))
  const written = new PassThrough()
  const stdout = written as unknown as NodeJS.WriteStream
  const context = { stdin: process.stdin, stdout, stderr: stdout, env: {}, texts: textsOf('en') }
  await doctor(context, { port: 1, config, data: join(folder, 'data') })
  return String(written.read())
}

test('the doctor names the models without a price, and what that means', async ({ expect }) => {
  const api_url = 'http://127.0.0.1:1/v1'
  const price = { prompt_per_mtok: 1, completion_per_mtok: 1, currency: 'CNY' }
  const said = await findings({ free: { api_url }, priced: { api_url, price } })
  expect(said).toContain('· model free: no price is known')
  expect(said).not.toContain('model priced: no price')
  expect(said).not.toContain('model built-in')
})

test('the doctor names a config for a real model as it is reached from here', async ({ expect }) => {
  const written = new PassThrough()
  const stdout = written as unknown as NodeJS.WriteStream
  const context = { stdin: process.stdin, stdout, stderr: stdout, env: {}, texts: textsOf('en') }
  await doctor(context, { port: 1, data: join(folder, 'data') })
  const [, file = ''] = /--config (\S+) and its key/.exec(String(written.read())) ?? []
  expect(existsSync(file)).toBe(true)
})

test('the doctor calls no model fine that only a Worker reaches', async ({ expect }) => {
  const said = await findings({ edge: { provider: 'workers-ai' } })
  expect(said).toContain('· model edge is of Workers AI')
  expect(said).not.toContain('model edge answers')
})

test('the doctor says of directory_shards for whom it counts', async ({ expect }) => {
  expect(await findings({}, { directory_shards: 4 })).toContain(
    '· directory_shards counts for tenants that begin from now on',
  )
  expect(await findings({}, { directory_shards: 1 })).not.toContain('directory_shards')
})

test('the doctor names the bounds in money that a model without a price in their currency cannot hold, and the field to set', async ({
  expect,
}) => {
  const api_url = 'http://127.0.0.1:1/v1'
  const price = { prompt_per_mtok: 1, completion_per_mtok: 1, currency: 'CNY' }
  const said = await findings(
    { free: { api_url }, priced: { api_url, price } },
    {
      limits: { max_cost: { amount: 1, currency: 'CNY' } },
      budgets: {
        user: { day: { max_cost: { amount: 1, currency: 'USD' } } },
        tenants: { t: { month: { max_total_tokens: 9 } } },
      },
    },
  )
  const [bad, note] = [said.match(/^✗ model .* no price .*$/gm), said.match(/^· model .*$/gm)]
  expect(note).toBeNull()
  expect(bad?.map((line) => line.replace(/ refuses.*set/, ' … set').replace(/ \{.*/, ''))).toEqual([
    '✗ model free has no price in CNY, so limits.max_cost … set models.free.price',
    '✗ model free has no price in USD, so budgets.user.day.max_cost … set models.free.price',
    '✗ model priced has no price in USD, so budgets.user.day.max_cost … set models.priced.price',
  ])
})
