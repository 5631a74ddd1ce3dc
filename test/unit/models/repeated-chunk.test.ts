import { describe, test } from 'vitest'
import { RepeatedChunk } from '../../../src/models/openai/repeated-chunk.ts'
import { readPiece } from '../../../src/models/openai/wire-shapes.ts'

const said = (content: string, more = {}) => ({ id: 'c1', choices: [{ index: 0, delta: { content }, ...more }] })
const written = (args: string, index = 0) => ({
  id: 'c1',
  choices: [{ delta: { tool_calls: [{ index, function: { arguments: args } }] }, finish_reason: null }],
})

/** What chunks say that come one after the other, and of how many it was known without a parse. */
function heard(chunks: readonly string[]) {
  const repeated = new RepeatedChunk()
  let known = 0
  const pieces = chunks.map((data) => {
    const again = repeated.read(data)
    if (again) known++
    const piece = again ?? readPiece(JSON.parse(data))
    if (piece && !again) repeated.learn(data, piece)
    return piece
  })
  return { pieces, known }
}

const parsed = (chunks: readonly string[]) => chunks.map((data) => readPiece(JSON.parse(data)))

const TEXTS = ['One', ' two', '三', '"', '\\', '\n', '\u2028', '😀', '\ud800', '"content":"', '}]}', ' ', '\\"', 'x"y']

describe('a chunk that repeats another but for its text', () => {
  test.for([
    ['texts', said],
    ['arguments', written],
  ] as const)('is known without a parse and says the same: %s', ([, make], { expect }) => {
    const chunks = TEXTS.map((text) => JSON.stringify(make(text)))
    const { pieces, known } = heard(chunks)
    expect(pieces).toEqual(parsed(chunks))
    expect(known).toBe(chunks.length - 1)
  })

  test('is known as services space and escape it', ({ expect }) => {
    const chunks = ['a', '\\u4e2d', '\\/', '\\ud83d\\ude00'].map(
      (text) => `{"choices": [{"delta": {"content": "${text}"}}], "usage": null}`,
    )
    expect(heard(chunks)).toEqual({ pieces: parsed(chunks), known: 3 })
  })
})

describe('a chunk is parsed', () => {
  const first = JSON.stringify(said('One'))
  test.for([
    ['that says more', JSON.stringify(said('two', { finish_reason: 'stop' }))],
    ['of another answer', JSON.stringify({ ...said('two'), id: 'c2' })],
    ['whose text closes early', first.replace('One', 'a"},"finish_reason":"stop","x":{"y":"b')],
    ['without a text', JSON.stringify(said(''))],
    ['of a call', JSON.stringify(written('{'))],
  ] as const)('%s', ([, data], { expect }) => {
    expect(heard([first, data])).toEqual({ pieces: parsed([first, data]), known: 0 })
  })

  test.for([
    ['that has two texts', { choices: [{ delta: { content: 'a', reasoning_content: 'b' } }] }],
    ['of several choices', { choices: [{ delta: { content: 'a' } }, { delta: { content: 'a' } }] }],
    ['whose text is a list of parts', { choices: [{ delta: { content: [{ type: 'text', text: 'a' }] } }] }],
    ['of two calls', { choices: [{ delta: { tool_calls: [written('a'), written('b', 1)] } }] }],
    [
      'with the name of a call',
      { choices: [{ delta: { tool_calls: [{ function: { name: 'f', arguments: '{' } }] } }] },
    ],
    ['that is over', said('a', { finish_reason: 'stop' })],
    ['that counts', { ...said('a'), usage: { prompt_tokens: 1, completion_tokens: 1 } }],
  ] as const)('%s, each time', ([, value], { expect }) => {
    const data = JSON.stringify(value)
    expect(heard([data, data])).toEqual({ pieces: parsed([data, data]), known: 0 })
  })

  test('where no chunk repeats an earlier one, none is looked at any more', ({ expect }) => {
    const chunks = Array.from({ length: 20 }, (_, n) => JSON.stringify({ ...said('a'), obfuscation: `${n}` }))
    const { known } = heard([...chunks, chunks.at(-1) ?? ''])
    expect(known).toBe(0)
  })
})
