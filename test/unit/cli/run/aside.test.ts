import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'vitest'
import { asideOf } from '../../../../src/cli/run/aside.ts'
import { terminalInput } from '../../../../src/cli/run/input.ts'
import type { StreamEvent } from '../../../../src/client/client.ts'

/** A terminal whose screen has what is shown and what is typed, in the order of time. */
function startAside() {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => stdin })
  const screen: string[] = []
  const stderr = new PassThrough()
  stderr.on('data', (chunk: Buffer) => void screen.push(chunk.toString()))
  const said: [line: string, isOver: boolean][] = []
  const aside = asideOf({
    input: terminalInput(stdin as never, stderr),
    prompt: 'tell it> ',
    show: ({ type }) => void screen.push(`<${type}>`),
    clear: () => void screen.push('<clear>'),
    resume: () => void screen.push('<resume>'),
    say: async (line, isOver) => void said.push([line, isOver]),
  })
  const type = async (keys: string) => {
    stdin.write(keys)
    await turn()
  }
  return { aside, type, said, shown: () => screen.join('') }
}

const event = (type: StreamEvent['type'], more = {}) => ({ type, ...more }) as StreamEvent

test('what happens while a line is written is shown behind it, and the line is said', async ({ expect }) => {
  const { aside, type, said, shown } = startAside()
  aside.show(event('model-start'))
  await type('短')
  aside.show(event('model-end'))
  await type('一点')
  expect(shown()).toContain('<model-start><clear>')
  expect(shown()).toContain('tell it> ')
  expect(shown()).not.toContain('<model-end>')
  await type('\r')
  await aside.said()
  expect(shown()).toMatch(/短一点[^]*<model-end><resume>$/)
  await type('and in one line\r')
  await aside.said()
  expect(said).toEqual([
    ['短一点', false],
    ['and in one line', false],
  ])
  aside.close()
})

test('a line says whether its run came to rest while it was written; between two batches it goes on', async ({
  expect,
}) => {
  const { aside, type, said } = startAside()
  for (const rest of [
    event('run-pause', { status: 'in_progress' }),
    event('run-pause', { status: 'interrupted' }),
    event('run-end'),
  ]) {
    await type('wait')
    aside.show(rest)
    await type('\r')
    await aside.said()
  }
  expect(said.map(([, isOver]) => isOver)).toEqual([false, true, true])
  aside.close()
})

test('keys that write nothing begin no line, an empty line says nothing, and none begins behind the end', async ({
  expect,
}) => {
  const { aside, type, said, shown } = startAside()
  for (const keys of ['\r', '\u001b[A', '\t']) await type(keys)
  expect(shown()).toBe('')
  await type('x')
  await type('\u007f\r')
  await aside.said()
  expect(shown()).toContain('tell it> ')
  aside.close()
  await type('late\r')
  expect(said).toEqual([])
})
