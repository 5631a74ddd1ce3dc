import { describe, test } from 'vitest'
import {
  currentTrouble,
  lastFailure,
  withoutAttempts,
  withoutRepeats,
} from '../../../../src/console/timeline/trouble.ts'
import type { EndItem, Item, NoteItem } from '../../../../src/console/timeline/item.ts'

const common = { scope: null, time: '', run: 'run_1', rev: 0 }
const USAGE = { model_calls: 0, tool_calls: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: null }
const usage = USAGE as unknown as EndItem['usage']

const note = (seq: number, what: NoteItem['note'], run = 'run_1'): Item => ({
  ...common,
  kind: 'note',
  key: String(seq),
  seq,
  run,
  note: what,
})
const busy = (seq: number) => note(seq, { type: 'error', code: 'model_rate_limited', detail: 'busy', isCall: true })
/** Told beside the last failure of a call. */
const given = (seq: number) => note(seq, { type: 'error', code: 'model_rate_limited', detail: 'busy' })
const again = (seq: number) => note(seq, { type: 'again', attempt: seq })
const failed = (seq: number, code: string, detail: string): Item => ({
  ...common,
  kind: 'end',
  key: String(seq),
  seq,
  status: 'failed',
  reason: 'failed',
  error: { code, detail },
  isRefused: false,
  usage,
  result: null,
  isLoop: false,
})

describe('what went wrong in a run', () => {
  test('is told with its end: each failure once, with how often it happened', ({ expect }) => {
    const items = [busy(1), again(2), busy(3), given(4), failed(5, 'model_rate_limited', 'busy')]
    expect(withoutAttempts(items).map(({ kind }) => kind)).toEqual(['end'])
    expect(lastFailure(items)?.attempts).toEqual([{ code: 'model_rate_limited', detail: 'busy', times: 2 }])
    expect(withoutRepeats(items).map(({ seq }) => seq)).toEqual([1, 2, 3, 5])
  })

  test('counts the tries within a call, which are told without what the service said', ({ expect }) => {
    const tried = (seq: number) => note(seq, { type: 'error', code: 'model_rate_limited', detail: '', isCall: true })
    expect(currentTrouble([tried(1), tried(2)])).toMatchObject({ code: 'model_rate_limited', attempt: 3 })
    const items = [tried(1), tried(2), busy(3), failed(4, 'model_rate_limited', 'busy')]
    expect(lastFailure(items)?.attempts).toEqual([{ code: 'model_rate_limited', detail: 'busy', times: 3 }])
  })

  test('is told once where it is no failed call, and not beside an end that says the same', ({ expect }) => {
    const stuck = (seq: number) => note(seq, { type: 'error', code: 'stuck', detail: 'in circles' })
    const down = (seq: number) => note(seq, { type: 'error', code: 'mcp_server_unavailable', detail: 'words' })
    const items = [down(1), down(2), stuck(3), failed(4, 'stuck', 'in circles')]
    expect(withoutAttempts(items).map(({ seq }) => seq)).toEqual([1, 4])
  })

  test('is gone once the session has gone on, and told as trouble while a call is made again', ({ expect }) => {
    const said = { ...common, kind: 'said', key: '5', seq: 5, message: {} } as unknown as Item
    expect(lastFailure([failed(4, 'stuck', ''), said])).toBe(null)
    expect(currentTrouble([busy(1), again(2)])).toEqual({
      code: 'model_rate_limited',
      detail: 'busy',
      times: 1,
      attempt: 2,
    })
    expect(currentTrouble([busy(1), again(2), said])).toBe(null)
    expect(currentTrouble([busy(1), again(2), said, busy(6), again(7), busy(8)])).toMatchObject({
      times: 2,
      attempt: 3,
    })
  })
})
