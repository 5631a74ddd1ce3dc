import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'vitest'

test('sessions that are killed 25 times come to their ends: nothing is lost, nothing is there twice', async ({
  expect,
}) => {
  const args = [
    '--import',
    './src/cli/markdown.mjs',
    'test/chaos/main.ts',
    '--kills',
    '25',
    '--seed',
    '7',
    '--sessions',
    '8',
    '--look-after-ms',
    '1000',
  ]
  const chaos = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(chaos, 'close')
  const output = await text(chaos.stdout)
  const [code] = await ended
  console.log(output.trim().split('\n').at(-1))
  expect(code, output).toBe(0)
  expect(output).toMatch(/chaos: 25 kills, \d+ sessions, 0 violations/)
})
