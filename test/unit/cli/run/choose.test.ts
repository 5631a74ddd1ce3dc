import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { choose } from '../../../../src/cli/run/choose.ts'
import type { Chat } from '../../../../src/cli/run/conversation.ts'
import { textsOf } from '../../../../src/cli/texts.ts'

test('a list to choose from says its keys in the language of the person, and nothing in another', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  const written: string[] = []
  stderr.on('data', (chunk: Buffer) => void written.push(chunk.toString()))
  const chat = {
    context: { stdin, stderr, texts: textsOf('zh-CN') },
    terminal: { interactive: true },
  } as unknown as Chat
  const options = ['agent', 'plan'].map((value) => ({ value, label: value }))
  const chosen = choose(chat, '选择哪个？', options, undefined)
  await turn()
  stdin.write('\r')
  expect(await chosen).toBe('agent')
  expect(written.join('')).toContain('选择哪个？（↑/↓ 移动，回车选定，Esc 返回）')
  expect(written.join('')).not.toMatch(/navigate|confirm/)
})
