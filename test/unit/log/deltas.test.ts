import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { Deltas } from '../../../src/log/deltas.ts'

const { deltaKeptMs: KEPT_MS, deltaCharsMax: CHARS_MAX } = LIMITS.stream

/** Deltas on a clock that stands until it is moved. */
function watched() {
  let time = Date.parse('2026-01-01T00:00:00Z')
  const deltas = new Deltas(() => time)
  return {
    deltas,
    pass: (ms: number) => void (time += ms),
    tell: (text: string, messageId = 'msg_1', seq = 5) =>
      deltas.add({ seq, type: 'message-delta', message_id: messageId, delta: text, run_id: 'run_1', scope: null }),
    idsBehind: (n: number, seq = 5) => deltas.after({ seq, n }, 100).map((delta) => `${delta.seq}.${delta.n}`),
  }
}

describe('deltas', () => {
  test('stay while their message is written, however long that takes', ({ expect }) => {
    const { tell, pass, idsBehind } = watched()
    for (const text of ['a', 'b', 'c']) {
      tell(text)
      pass(2 * KEPT_MS)
    }
    tell('d')
    expect(idsBehind(0)).toEqual(['5.1', '5.2', '5.3', '5.4'])
    expect(idsBehind(2)).toEqual(['5.3', '5.4'])
  })

  test('of one message and of several come as they were told, a page at a time', ({ expect }) => {
    const { deltas, pass, tell } = watched()
    const call = { seq: 5, type: 'answer-delta', message_id: 'msg_1', run_id: 'run_1', scope: null } as const
    tell('a')
    pass(10)
    tell('b')
    deltas.add({ ...call, call_id: 'call_1', delta: 'c' })
    deltas.add({ ...call, call_id: 'call_2', delta: 'd' })
    tell('e', 'msg_2')
    tell('f', 'msg_2', 7)
    const told = deltas.after({ seq: 5, n: 0 }, 100)
    const message = { seq: 5, type: 'message-delta', run_id: 'run_1', scope: null }
    const [start, later] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.010Z']
    expect(told).toEqual([
      { ...message, message_id: 'msg_1', delta: 'a', n: 1, time: start },
      { ...message, message_id: 'msg_1', delta: 'b', n: 2, time: later },
      { ...call, call_id: 'call_1', delta: 'c', n: 3, time: later },
      { ...call, call_id: 'call_2', delta: 'd', n: 4, time: later },
      { ...message, message_id: 'msg_2', delta: 'e', n: 5, time: later },
    ])
    for (const n of [0, 1, 2, 3, 4, 5])
      for (const limit of [1, 2, 3]) expect(deltas.after({ seq: 5, n }, limit)).toEqual(told.slice(n, n + limit))
    expect(deltas.after({ seq: 6, n: 0 }, 100)).toEqual([])
    expect(deltas.after({ seq: 7, n: 0 }, 100)).toMatchObject([{ delta: 'f', n: 1 }])
  })

  test('stay for a minute after it, and go then', ({ expect }) => {
    const { deltas, tell, pass, idsBehind } = watched()
    tell('a')
    deltas.end('msg_1')
    pass(KEPT_MS)
    tell('x', 'msg_2', 8)
    expect(idsBehind(0)).toEqual(['5.1'])
    pass(1)
    tell('y', 'msg_2', 8)
    expect(idsBehind(0)).toEqual([])
    expect(idsBehind(0, 8)).toEqual(['8.1', '8.2'])
  })

  test('keep their ids when those of another message between them are forgotten', ({ expect }) => {
    const { deltas, tell, pass, idsBehind } = watched()
    for (const [text, message] of [
      ['a', 'msg_1'],
      ['x', 'msg_2'],
      ['b', 'msg_1'],
    ] as const)
      tell(text, message)
    deltas.end('msg_1')
    pass(KEPT_MS + 1)
    tell('y', 'msg_2')
    expect(idsBehind(0)).toEqual(['5.2', '5.4'])
    expect(idsBehind(2)).toEqual(['5.4'])
    expect(idsBehind(3)).toEqual(['5.4'])
  })

  test('of a run that ended go as well, whether or not their message was written', ({ expect }) => {
    const { deltas, tell, pass, idsBehind } = watched()
    tell('a')
    deltas.endAll()
    pass(KEPT_MS + 1)
    tell('b', 'msg_2', 9)
    expect(idsBehind(0)).toEqual([])
  })

  test('have ids that go on behind what was dropped, since it was too much or too old', ({ expect }) => {
    const { deltas, tell, pass, idsBehind } = watched()
    tell('x'.repeat(CHARS_MAX + 1))
    tell('b')
    expect(idsBehind(0)).toEqual(['5.2'])
    deltas.end('msg_1')
    pass(KEPT_MS + 1)
    tell('c', 'msg_2')
    expect(idsBehind(0)).toEqual(['5.3'])
  })
})
