import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'vitest'
import { type Chat, drive } from '../../../../src/cli/run/conversation.ts'
import type { Input } from '../../../../src/cli/run/input.ts'
import { textsOf } from '../../../../src/cli/texts.ts'
import { Unreachable } from '../../../../src/client/client.ts'
import { NO_USAGE } from '../../../../src/domain/usage.ts'

const END = {
  type: 'run-end',
  seq: 2,
  run_id: 'run_1',
  status: 'completed',
  finish_reason: 'completed',
  usage: NO_USAGE,
}

test('all commands that are typed while a run works come after it, in their order', async ({ expect }) => {
  let type: Parameters<Input['overhear']>[0] = () => {}
  const said: string[] = []
  let resumed = 0
  const stderr = new PassThrough().on('data', (chunk: Buffer) => void said.push(chunk.toString()))
  const sessions = {
    async *stream() {
      for (const line of ['/state', '/sessions', '/model x']) {
        type(async () => line)
        await turn()
      }
      yield END
    },
    get: async () => ({ id: 'ses_1', status: 'completed', result: null, messages: [], pending: [] }),
  }
  const chat = {
    context: { texts: textsOf('en'), stderr },
    client: { sessions },
    terminal: {
      interactive: true,
      screen: { show: () => {}, clear: () => {}, resume: () => void resumed++ },
      clear: () => {},
      tell: () => {},
      input: { overhear: (onLine: typeof type) => ((type = onLine), () => {}) },
      newRun: () => ({ show: () => {}, answer: { hide: () => {}, finish: () => {} } }),
    },
    session: { id: 'ses_1', lastSeq: 0, waits: false },
    attached: [],
    commands: [],
  } as unknown as Chat
  await drive(chat, { type: 'continue' })
  expect(chat.commands).toEqual(['/state', '/sessions', '/model x'])
  expect(resumed).toBe(3)
  expect(said.join('')).toMatch(/\/state will run[^]*\/sessions will run[^]*\/model x will run/)
})

test('where the server is lost, what was said stays, and what was shown is not shown again', async ({ expect }) => {
  const calls: string[] = []
  const sessions = {
    async *stream() {
      yield { type: 'model-start', seq: 7, run_id: 'run_1' }
      throw new Unreachable('http://localhost:1', null)
    },
  }
  const chat = {
    context: { texts: textsOf('en'), stderr: new PassThrough() },
    client: { sessions },
    terminal: {
      interactive: true,
      screen: { show: ({ type }: { type: string }) => void calls.push(type), clear: () => {} },
      clear: () => {},
      input: { overhear: () => () => {} },
      newRun: () => ({ show: () => {}, answer: { hide: () => {}, pass: () => void calls.push('pass') } }),
    },
    session: { id: 'ses_1', lastSeq: 0, waits: false },
    attached: [],
    commands: [],
  } as unknown as Chat
  await expect(drive(chat, { type: 'continue' })).rejects.toThrow(Unreachable)
  expect(chat.session?.lastSeq).toBe(7)
  expect(calls).toEqual(['pass', 'status'])
})
