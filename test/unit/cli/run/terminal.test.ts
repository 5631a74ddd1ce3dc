import { PassThrough } from 'node:stream'
import { test } from 'vitest'
import type { Client, StreamEvent } from '../../../../src/client/client.ts'
import type { Context } from '../../../../src/cli/context.ts'
import { openTerminal } from '../../../../src/cli/run/terminal.ts'
import { textsOf } from '../../../../src/cli/texts.ts'

const UP_ONE = '\u001b[1A\u001b[J'

test('a line of its own takes the place of the half answer, which comes again below it', async ({ expect }) => {
  const written: string[] = []
  const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  screen.on('data', (chunk: Buffer) => void written.push(chunk.toString()))
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const context = { stdin, stdout: screen, stderr: screen, env: {}, texts: textsOf('en') } as unknown as Context
  const terminal = await openTerminal(context, { tools: async () => ({ data: [] }) } as unknown as Client)
  const run = terminal.newRun()
  run.show({
    type: 'model-start',
    message_id: 'msg_1',
    model: 'm',
    run_id: 'run_1',
    scope: null,
    seq: 1,
  } as StreamEvent)
  run.show({
    type: 'message-delta',
    message_id: 'msg_1',
    delta: 'Half an answer',
    run_id: 'run_1',
    scope: null,
    seq: 1,
  } as StreamEvent)
  terminal.tell('dim', 'cancelling')
  run.answer.pass()
  terminal.clear()
  const text = written.join('')
  const at = text.indexOf('cancelling')
  expect(text.slice(0, at).split('Half an answer')).toHaveLength(2)
  expect(text.slice(0, at)).toContain(UP_ONE)
  expect(text.slice(at)).toContain('Half an answer')
  expect(text.slice(at)).not.toContain(UP_ONE)
})
