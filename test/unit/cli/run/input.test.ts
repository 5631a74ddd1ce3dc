import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { terminalInput } from '../../../../src/cli/run/input.ts'

/** A terminal, and what is written to it. */
function startInput(editor?: string) {
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), { setRawMode: (isOn: boolean) => (raw.push(isOn), stdin) })
  const stderr = new PassThrough()
  let shown = ''
  stderr.on('data', (chunk: Buffer) => void (shown += chunk.toString()))
  const type = async (keys: string) => {
    stdin.write(keys)
    await turn()
  }
  const input = terminalInput(stdin as never, stderr, editor)
  const { key, edit } = input
  if (!key || !edit) throw new Error('a terminal hears keys')
  return { input, key, edit, type, raw, shown: () => shown }
}

test('a key answers at once and without Enter; others are not heard, and those before the question neither', async () => {
  const { input, key, type, raw, shown } = startInput()
  input.overhear(() => {})
  await type('y')
  const answer = key('Run it? ', ['y', 'n'])
  await type('x')
  await type('\u001b[A')
  await type('N')
  expect(await answer).toBe('n')
  expect(shown()).toBe('Run it? n\n')
  // The keys of the run are heard again.
  expect(raw.at(-1)).toBe(true)
})

test('Ctrl-C and Esc leave a question, and it is known which', async () => {
  for (const [typed, interrupted] of [
    ['\u0003', true],
    ['\u001b', false],
  ] as const) {
    const { input, key, type } = startInput()
    const answer = key('', ['y'])
    await type(typed)
    expect([await answer, input.interrupted()]).toEqual([null, interrupted])
  }
})

test('a secret is not shown, and not had again by Up', async () => {
  const { input, type, shown } = startInput()
  const secret = input.ask('The secret: ', { isSecret: true })
  await type('s3cret\r')
  expect(await secret).toBe('s3cret')
  expect(shown()).toBe('The secret: \n')
  const next = input.ask('Next: ')
  await type('\u001b[A')
  await type('x\r')
  expect(await next).toBe('x')
  expect(shown()).not.toContain('s3cret')
})

test('without an editor a text stands on a line, which Enter takes and Esc leaves', async () => {
  const { edit, type, shown } = startInput()
  const taken = edit('{\n  "a": 1\n}', 'x.json', 'Arguments: ')
  await type('\u007f, "b": 2}\r')
  expect(await taken).toBe('{"a":1, "b": 2}')
  const left = edit('{}', 'x.json', 'Arguments: ')
  await type('\u001b')
  expect(await left).toBeNull()
  expect(shown()).toContain('{"a":1}')
})

test('an editor has the text as a file with its name; what it leaves is taken, unless it fails', async () => {
  const { edit } = startInput('sed -i s/one/two/')
  expect(await edit('{"a": "one"}', 'web_access.json', '')).toBe('{"a": "two"}')
  expect(await startInput('false').edit('{}', 'x.json', '')).toBeNull()
  expect(await startInput('true >').edit('{}', 'x.json', '')).toBeNull()
})
