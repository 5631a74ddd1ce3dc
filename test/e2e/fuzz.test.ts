import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'vitest'

test('400 requests of every kind are answered soundly, and no secret is told', async ({ expect }) => {
  const args = ['test/fuzz/main.ts', '--requests', '400', '--seed', '11']
  const fuzz = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(fuzz, 'close')
  const output = await text(fuzz.stdout)
  const [code] = await ended
  console.log(output.trim().split('\n').at(-1))
  expect(code, output).toBe(0)
  expect(output).toMatch(/fuzz: 400 requests, 0 violations/)
})
