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
  const input = terminalInput(stdin as never, stderr, { editor, marksPaste: true })
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

test('an object that is pasted behind the one on the line takes its place', async () => {
  const { edit, type } = startInput()
  for (const [typed, taken] of [
    ['{"a":2}', '{"a":2}'],
    [' {"b": "{"} ', '{"b": "{"}'],
    ['x', '{"a":1}x'],
  ] as const) {
    const left = edit('{"a": 1}', 'x.json', 'Arguments: ')
    await type(`${typed}\r`)
    expect(await left).toBe(taken)
  }
})

test('an editor has the text as a file with its name; what it leaves is taken, unless it fails', async () => {
  const { edit } = startInput('sed -i s/one/two/')
  expect(await edit('{"a": "one"}', 'web_access.json', '')).toBe('{"a": "two"}')
  expect(await startInput('false').edit('{}', 'x.json', '')).toBeNull()
  expect(await startInput('true >').edit('{}', 'x.json', '')).toBeNull()
})

test('what is pasted is one text with its lines, which Enter sends; in pieces and in a line that a run overhears too', async () => {
  const { input, type, shown } = startInput()
  const answer = input.ask('you> ')
  await type('see: \u001b[20')
  await type('0~one\r\ntwo 中文\rthree\r\u001b[201~')
  await type(' end\r')
  expect(await answer).toBe('see: one\ntwo 中文\nthree\n end')
  expect(shown()).toContain('one⏎two 中文⏎three⏎')
  expect(shown().split('\u001b[?2004')).toHaveLength(3)
  let overheard: Promise<string | null> | undefined
  input.overhear((ask) => void (overheard ??= ask('tell it> ')))
  await type('one\rtwo\r\n\r\nthree\r')
  expect(await overheard).toBe('one\ntwo\n\nthree')
})

test('the sign that shows a line break stays that sign where it is typed or pasted', async () => {
  const { input, type, shown } = startInput()
  const answer = input.ask('you> ')
  await type('press ⏎ ')
  await type('\u001b[200~or ⏎\nthen ⏎\u001b[201~\r')
  expect(await answer).toBe('press ⏎ or ⏎\nthen ⏎')
  expect(shown()).toContain('or ⏎⏎then ⏎')
})

test('Ctrl-C takes away what is typed where it may, and leaves a line that is empty', async () => {
  const { input, type } = startInput()
  const first = input.ask('you> ', { canClear: true })
  await type('half a thought')
  await type('\u0003')
  await type('whole\r')
  expect(await first).toBe('whole')
  const second = input.ask('you> ', { canClear: true })
  await type('\u0003')
  expect([await second, input.interrupted()]).toEqual([null, true])
})
