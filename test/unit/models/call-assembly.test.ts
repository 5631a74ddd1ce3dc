import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { CallAssembly, type CallPiece } from '../../../src/models/assembly.ts'

const piece = (fields: Partial<CallPiece>): CallPiece => ({ index: null, id: '', name: '', arguments: '', ...fields })

function assemble(...pieces: Partial<CallPiece>[]): string[] {
  const assembly = new CallAssembly()
  for (const each of pieces) assembly.add(piece(each))
  let made = 0
  return assembly.finish(() => `made${++made}`).map((call) => `${call.id} ${call.name} ${call.arguments}`)
}

describe('tool calls from pieces', () => {
  const CASES: [string, Partial<CallPiece>[], string[]][] = [
    [
      'by index, interleaved',
      [
        { index: 0, id: 'a', name: 'f' },
        { index: 1, id: 'b', name: 'g' },
        { index: 0, arguments: '{"x"' },
        { index: 1, arguments: '{"y"' },
        { index: 0, arguments: ':1}' },
        { index: 1, arguments: ':2}' },
      ],
      ['a f {"x":1}', 'b g {"y":2}'],
    ],
    [
      'without index, pieces follow the last call',
      [{ id: 'a', name: 'f', arguments: '{"x"' }, { arguments: ':1}' }, { id: 'b', name: 'f', arguments: '{}' }],
      ['a f {"x":1}', 'b f {}'],
    ],
    [
      'without index, interleaved by id',
      [
        { id: 'a', name: 'f' },
        { id: 'b', name: 'g' },
        { id: 'a', arguments: '{"x":1}' },
        { id: 'b', arguments: '{"y":2}' },
      ],
      ['a f {"x":1}', 'b g {"y":2}'],
    ],
    [
      'the id repeated in every piece',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{"x"' },
        { index: 0, id: 'a', arguments: ':1}' },
      ],
      ['a f {"x":1}'],
    ],
    [
      'id and name repeated in every piece',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{"x"' },
        { index: 0, id: 'a', name: 'f', arguments: ':{}' },
        { index: 0, id: 'a', name: 'f', arguments: '}' },
      ],
      ['a f {"x":{}}'],
    ],
    [
      'another id in every piece of one call',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{"x"' },
        { index: 0, id: 'b', arguments: ':1}' },
      ],
      ['a f {"x":1}'],
    ],
    [
      'one index for all, told apart by id',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{}' },
        { index: 0, id: 'b', name: 'f', arguments: '{}' },
      ],
      ['a f {}', 'b f {}'],
    ],
    [
      'one index for all and no ids, told apart by whole arguments',
      [
        { index: 0, name: 'f', arguments: '{"x":1}' },
        { index: 0, name: 'f', arguments: '{"x":2}' },
      ],
      ['made1 f {"x":1}', 'made2 f {"x":2}'],
    ],
    [
      'neither index nor ids',
      [
        { name: 'f', arguments: '{"x":1}' },
        { name: 'g', arguments: '{}' },
      ],
      ['made1 f {"x":1}', 'made2 g {}'],
    ],
    ['neither index, ids nor arguments', [{ name: 'f' }, { name: 'g' }], ['made1 f {}', 'made2 g {}']],
    [
      'the same id for two whole calls: the second gets its own',
      [
        { id: 'a', name: 'f', arguments: '{"x":1}' },
        { id: 'a', name: 'f', arguments: '{"x":2}' },
      ],
      ['a f {"x":1}', 'made1 f {"x":2}'],
    ],
    [
      'a name in two pieces',
      [
        { index: 0, id: 'a', name: 'web_' },
        { index: 0, name: 'access' },
        { index: 0, arguments: '{}' },
      ],
      ['a web_access {}'],
    ],
    [
      'an id that comes late',
      [
        { index: 0, name: 'f' },
        { index: 0, id: 'a', arguments: '{}' },
      ],
      ['a f {}'],
    ],
    ['broken arguments stay as they are', [{ index: 0, id: 'a', name: 'f', arguments: '{"x":' }], ['a f {"x":']],
    ['a call without a name is none', [{ index: 0, id: 'a', arguments: '{}' }], []],
  ]
  test.for(CASES)('%s', ([, pieces, expected], { expect }) => {
    expect(assemble(...pieces)).toEqual(expected)
  })

  test('calls over the limit are left out and do not spoil the last one', ({ expect }) => {
    const count = LIMITS.model.callsPerReplyMax + 2
    const pieces = Array.from({ length: count }, (_, i) => [
      { name: 'f', id: `id${i}` },
      { arguments: `{"i":${i}}` },
    ]).flat()
    const made = assemble(...pieces)
    expect(made).toHaveLength(LIMITS.model.callsPerReplyMax)
    expect(made.at(-1)).toBe('id63 f {"i":63}')
  })
})
